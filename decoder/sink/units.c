#include <math.h>

#include "../../formats/base/time_ns.h"
#include "units.h"

void units_fixed(struct out *o, double v, unsigned decimals)
{
	if (isfinite(v))
		out_fixed(o, v, decimals);
	else
		out_str(o, "n/a");
}

void units_part(struct out *o, double share)
{
	units_fixed(o, 100 * (share < 1 && share > 0.9994 ? 0.9994 : share), 1);
	out_str(o, isfinite(share) ? " %" : "");
}

void units_rate(struct out *o, double per_second)
{
	units_fixed(o, per_second, per_second < 99.95 ? 1 : 0);
}

void units_duration(struct out *o, double ns)
{
	static const struct {
		double from, divide;
		const char *unit;
	} scale[] = {{9.995e8, 1e9, " s"}, {9.995e5, 1e6, " ms"}, {999.5, 1e3, " us"}};

	if (!isfinite(ns)) {
		out_str(o, "n/a");
		return;
	}
	for (unsigned i = 0; i < sizeof scale / sizeof *scale; i++) {
		if (ns < scale[i].from)
			continue;
		double v = ns / scale[i].divide;
		out_fixed(o, v, v < 9.995 ? 2 : v < 99.95 ? 1 : 0);
		out_str(o, scale[i].unit);
		return;
	}
	out_fixed(o, ns, 0);
	out_str(o, " ns");
}

void units_duration_change(struct out *o, double ns)
{
	out_str(o, isnan(ns) ? "" : ns < 0 ? "-" : "+");
	units_duration(o, fabs(ns));
}

void units_size(struct out *o, uint64_t bytes)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double v = (double)bytes;
	unsigned i = 0;

	while (v >= 1023.95 && i < 6) {
		v /= 1024;
		i++;
	}
	out_fixed(o, v, i ? 1 : 0);
	out_char(o, ' ');
	out_str(o, unit[i]);
}

void units_iso8601(struct out *o, int64_t ns)
{
	const int64_t second = (int64_t)TIME_SECOND_NS;
	struct timespec at = {.tv_sec = ns / second, .tv_nsec = ns % second};
	char text[TIME_UTC_TEXT];

	if (at.tv_nsec < 0) {
		at.tv_nsec += second;
		at.tv_sec--;
	}
	if (time_utc(at, 9, text))
		out_str(o, text);
	else
		out_seconds(o, ns);
}

void units_time(struct out *o, const struct time_text *t, int64_t ns)
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
