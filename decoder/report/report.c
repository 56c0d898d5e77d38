/* What several reports say alike. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

static const struct flag_word {
	uint32_t flag;
	const char *word;
} flag_words[] = {{IV_SUMMARY, "summary"}, {IV_DETAILED, "detailed"}, {IV_NO_START, "no-start"},
	{IV_NO_END, "no-end"}, {IV_INCONSISTENT, "inconsistent"}, {IV_SCRIPTED, "scripted"},
	{IV_MALFORMED, "malformed"}, {IV_QUALITY, "quality"}, {IV_MULTIPLEXED, "multiplexed"},
	{IV_CPUS_CHANGED, "cpus-changed"}, {IV_CORE_TYPES, "core-types"},
	{IV_USER_ONLY, "user-only"}};

enum { FLAG_WORDS = sizeof flag_words / sizeof *flag_words };

void report_note(const struct report *r, const char *format, ...)
{
	char line[1024];
	va_list ap;
	if (!r->note)
		return;
	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	r->note(r->ctx, line);
}

void report_scripted_line(const struct report *r)
{
	if (r->scripted)
		out_str(r->out, "# " REPORT_SCRIPTED "\n");
}

void report_flags(struct out *o, uint32_t flags)
{
	const char *between = "";
	for (unsigned i = 0; i < FLAG_WORDS; i++) {
		if (!(flags & flag_words[i].flag))
			continue;
		out_str(o, between);
		out_str(o, flag_words[i].word);
		between = "+";
	}
}

void report_flagged_line(const struct report *r)
{
	size_t taken = 0, flagged = 0, by[FLAG_WORDS] = {0};
	const char *between = ": ";
	for (size_t i = 0; i < r->nintervals; i++) {
		const struct interval *iv = &r->intervals[i];
		if (!filter_interval(r->filter, iv))
			continue;
		taken++;
		flagged += (iv->flags & IV_FLAGGED) != 0;
		for (unsigned f = 0; f < FLAG_WORDS; f++)
			by[f] += (iv->flags & IV_FLAGGED & flag_words[f].flag) != 0;
	}
	if (!flagged)
		return;
	out_printf(r->out, "# %zu of %zu intervals flagged", flagged, taken);
	for (unsigned f = 0; f < FLAG_WORDS; f++) {
		if (!by[f])
			continue;
		out_printf(r->out, "%s%s %zu", between, flag_words[f].word, by[f]);
		between = ", ";
	}
	out_char(r->out, '\n');
}
