#include "time_text.h"

#include "../../sink/units.h"
#include "../open.h"

struct time_text time_text_of(const struct report *r)
{
	return (struct time_text){.how = r->times, .start = r->trace ? report_start(r->trace) : 0};
}

void time_text_write(struct out *o, const struct time_text *t, int64_t ns)
{
	int64_t since;

	if (t->how == TIMES_ISO) {
		units_iso8601(o, ns);
	} else if (t->how == TIMES_UNIX) {
		out_seconds(o, ns);
	} else {
		if (__builtin_sub_overflow(ns, t->start, &since))
			since = ns < 0 ? INT64_MIN : INT64_MAX;
		/* Began before the first hook. */
		if (since >= 0)
			out_char(o, '+');
		out_seconds(o, since);
		out_str(o, " s");
	}
}
