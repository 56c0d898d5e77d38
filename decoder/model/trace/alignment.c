/* How well the files' times are known, and how well they agree. */
#include <math.h>
#include <string.h>

#include "trace_private.h"

double trace_time_error(const struct trace_file *f)
{
	return f->has_hooks ? clock_error(f->clock, f->first, f->last) : (double)NAN;
}

static bool first_of_host(const struct trace *t, size_t i)
{
	const struct trace_file *f = &t->files[i]->pub;
	const char *host = trace_meta_value(f, "host");

	for (size_t j = 0; j < i; j++) {
		const struct trace_file *before = &t->files[j]->pub;
		const char *other = trace_meta_value(before, "host");

		if (!before->has_hooks)
			continue;
		if (before->machine == f->machine || (host && other && strcmp(host, other) == 0))
			return false;
	}
	return true;
}

/* The largest error of that machine's files; false: none of them has hooks. */
static bool machine_error(const struct trace *t, uint32_t machine, double *error)
{
	bool any = false;

	*error = 0;
	for (size_t i = 0; i < t->nfiles; i++) {
		const struct trace_file *f = &t->files[i]->pub;

		if (f->machine != machine || !f->has_hooks)
			continue;
		double own = trace_time_error(f);
		*error = isnan(own) || own > *error ? own : *error;
		any = true;
	}
	return any;
}

struct trace_alignment trace_alignment(const struct trace *t)
{
	struct trace_alignment a = {0};
	double largest = 0, second = 0, error;

	for (size_t i = 0; i < t->nfiles; i++)
		a.hosts += t->files[i]->pub.has_hooks && first_of_host(t, i);
	for (size_t i = 0; t->nmachines > 1 && i < t->nmachines; i++) {
		if (!machine_error(t, (uint32_t)i, &error))
			continue;
		a.traces++;
		if (isnan(error) || error > largest) {
			second = largest;
			largest = error;
		} else if (error > second) {
			second = error;
		}
	}
	if (t->nmachines == 1)
		a.traces = a.hosts;
	a.within_ns = a.traces > 1 ? largest + second : 0;
	return a;
}
