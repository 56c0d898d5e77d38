#include <math.h>
#include <stdio.h>
#include <time.h>

#include "units.h"

void units_fixed(struct out *o, double v, unsigned decimals)
{
	if (isfinite(v))
		out_fixed(o, v, decimals);
	else
		out_str(o, "n/a");
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
	int64_t seconds = ns / 1000000000, rest = ns % 1000000000;

	if (rest < 0) {
		rest += 1000000000;
		seconds--;
	}
	time_t t = (time_t)seconds;
	struct tm tm;
	char text[40];
	if (!gmtime_r(&t, &tm) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm)) {
		out_seconds(o, ns);
		return;
	}
	out_str(o, text);
	out_printf(o, ".%09dZ", (int)rest);
}
