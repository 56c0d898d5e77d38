/*
 * What doctor found out, one line each.
 */
#ifndef SWT_CMD_DOCTOR_H
#define SWT_CMD_DOCTOR_H

#include <stdbool.h>

enum finding_status {
	FINDING_GOOD,
	FINDING_NOTE, /* worth knowing, nothing is broken */
	FINDING_BAD,
};

struct finding {
	const char *topic;
	enum finding_status status;
	char text[768];
};

enum { FINDINGS_MAX = 32 };

struct findings {
	int count;
	struct finding list[FINDINGS_MAX];
};

__attribute__((format(printf, 4, 5))) void finding(
	struct findings *f, const char *topic, enum finding_status status, const char *format, ...);

void doctor_sessions(struct findings *f);
void doctor_memory(struct findings *f);
void doctor_rings(struct findings *f);
void doctor_clock(struct findings *f);
/* Returns whether instructions can be counted; otherwise verdict says why not. */
bool doctor_counters(struct findings *f, char verdict[512]);

#endif
