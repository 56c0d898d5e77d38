/* A moment, as text spells it. */
#ifndef SWT_DECODER_REPORT_TEXT_TIME_TEXT_H
#define SWT_DECODER_REPORT_TEXT_TIME_TEXT_H

#include "../report.h"

/* How moments are spelled, and what relative ones count from. */
struct time_text {
	enum report_times how;
	int64_t start; /* CLOCK_REALTIME in ns */
};

/* As the report asks for; relative ones count from its trace's first hook. */
struct time_text time_text_of(const struct report *r);
/* `+1.500000000 s`, `1714564801.500000000` or `2024-05-01T12:00:01.500000000Z`. */
void time_text_write(struct out *o, const struct time_text *t, int64_t ns);

#endif
