/* Every report: its name, on the command line and in cpidecode.h, and its function. */
#include <string.h>

#include "report.h"

#define NAME(kind, name, ...) name,
const char *const report_names[REPORT_NAMES] = {REPORTS(NAME)};
const char *const format_names[FORMAT_NAMES] = {FORMATS(NAME)};
#undef NAME

const char *const weight_names[WEIGHT_NAMES] = {[WEIGHT_CYCLES] = "cycles",
	[WEIGHT_NS] = "ns",
	[WEIGHT_INSTRUCTIONS] = "instructions",
	[WEIGHT_THREAD_CYCLES] = "thread_cycles"};

const char *const times_names[TIMES_NAMES] = {
	[TIMES_RELATIVE] = "relative", [TIMES_UNIX] = "unix", [TIMES_ISO] = "iso"};

bool report_takes(enum report_kind kind, unsigned takes)
{
#define REPORT_TAKES(kind, name, function, takes, help) takes,
	static const unsigned of[REPORT_NAMES] = {REPORTS(REPORT_TAKES)};
#undef REPORT_TAKES

	return kind < REPORT_NAMES && of[kind] & takes;
}

bool format_is_binary(enum report_format format)
{
#define FORMAT_BINARY(kind, name, function, binary, help) binary,
	static const bool of[FORMAT_NAMES] = {FORMATS(FORMAT_BINARY)};
#undef FORMAT_BINARY

	return of[format];
}

int report_name_find(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return (int)i;
	return -1;
}

void report_set_weight(struct report *r, const char *name)
{
	int found = report_name_find(name, weight_names, WEIGHT_NAMES);

	r->weight = found >= 0 ? (enum report_weight)found : WEIGHT_EVENT;
	r->weight_event = name;
}

/* The value of META, if it is the same in all files. */
static const char *value_of_all(const struct trace *t, const char *key)
{
	const char *value = trace_meta_value(trace_file(t, 0), key);

	for (size_t i = 1; value && i < trace_nfiles(t); i++) {
		const char *other = trace_meta_value(trace_file(t, i), key);

		if (!other || strcmp(value, other) != 0)
			return NULL;
	}
	return value;
}

/* Counts traces: the files of a rotation are one. */
static size_t count_traces(const struct trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const uint8_t *id = trace_file(t, i)->header.trace_id;
		size_t k = 0;

		while (k < i && memcmp(trace_file(t, k)->header.trace_id, id, 16) != 0)
			k++;
		n += k == i;
	}
	return n;
}

void report_about(struct report *r, const struct trace *t)
{
	r->trace = t;
	r->scripted = trace_scripted(t);
	r->host = value_of_all(t, "host");
	r->command = value_of_all(t, "command");
	r->ntraces = count_traces(t);
}

int report_diff_alone(struct report *r)
{
	(void)r;
	return CPIDECODE_EINVAL; /* report_diff has two sides */
}

int report_run(struct report *r, enum report_kind kind)
{
	switch (kind) {
#define REPORT_CASE(kind, name, function, ...)                                                     \
	case REPORT_##kind:                                                                        \
		return function(r);
		REPORTS(REPORT_CASE)
#undef REPORT_CASE
	case REPORT_FLAME:
		return report_flame(r);
	case REPORT_EXPORT:
		return report_export(r);
	case REPORT_PARTIAL:
		return report_partial(r);
	}
	return CPIDECODE_EINVAL;
}
