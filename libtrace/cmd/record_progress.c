/*
 * The progress line of `record`.
 */
#include <stdio.h>
#include <unistd.h>

#include "../../formats/base/quantity.h"
#include "../../formats/base/time_ns.h"
#include "record.h"
#include "../dump/drain/stream.h"

/* Formats a number with an SI suffix. */
static const char *progress_format_quantity(double value, char text[16])
{
	const char *prefix = quantity_scale(&value);

	snprintf(text, 16, "%.*f %s", *prefix ? 1 : 0, value, prefix);
	return text;
}

void record_progress_begin(struct record_progress *p, const struct verb *verb)
{
	*p = (struct record_progress){.verb = isatty(STDERR_FILENO) ? verb : NULL};
	p->started = p->shown = time_ns_monotonic();
}

void record_progress_show(struct record_progress *p, const struct drain *drain)
{
	uint64_t now = time_ns_monotonic();
	struct drain_status s;
	char rate[16], bytes[16], waiting[16];

	if (!p->verb || now - p->shown < 500000000u)
		return;
	drain_status(drain, &s);
	double seconds = time_seconds(now - p->shown);
	fprintf(stderr, "\rswtrace %s: %.1f s, %shooks/s, %sB, lost %llu, waiting %sB\033[K",
		p->verb->name, time_seconds(now - p->started),
		progress_format_quantity((double)(s.hooks - p->hooks) / seconds, rate),
		progress_format_quantity((double)s.bytes, bytes),
		(unsigned long long)(s.lost_full + s.lost_other + s.lost_unwritten),
		progress_format_quantity((double)s.waiting, waiting));
	p->hooks = s.hooks;
	p->shown = now;
}

void record_progress_clear(struct record_progress *p)
{
	if (p->verb && p->shown != p->started)
		fputs("\r\033[K", stderr);
}
