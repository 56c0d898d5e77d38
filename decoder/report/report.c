/* What several reports say alike. */
#include "../../formats/cpuutil_hooks.h"
#include "../sink/escape.h"
#include "report.h"

#include <inttypes.h>
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
	struct out safe;
	va_list ap;
	if (!r->note)
		return;
	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	/* A note may hold the name of a file, which may hold anything. */
	out_memory(&safe);
	escape_text(&safe, line, strlen(line));
	out_char(&safe, '\0');
	r->note(r->ctx, safe.error ? "no memory for a note" : safe.buf);
	out_discard(&safe);
}

void report_note_no_intervals(const struct report *r)
{
	uint64_t hooks = r->found ? r->found->total.hooks : 0;
	/* A filter or a slice may have left them out. */
	if (hooks && !r->slices && filter_takes_all(r->filter))
		report_note(r,
			"no intervals, but %" PRIu64
			" hook%s (of TraceHook, say): --report hooks shows %s",
			hooks, hooks == 1 ? "" : "s", hooks == 1 ? "it" : "them");
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

void report_methods(struct out *o, uint32_t methods)
{
	static const char *const words[] = {[CPUUTIL_METHOD_NONE] = "none",
		[CPUUTIL_METHOD_REFERENCE] = "reference",
		[CPUUTIL_METHOD_MPERF] = "mperf",
		[CPUUTIL_METHOD_CYCLES] = "cycles",
		[CPUUTIL_METHOD_IDLE_FINE] = "idle_fine",
		[CPUUTIL_METHOD_IDLE_TICK] = "idle_tick",
		[CPUUTIL_METHOD_SCRIPT] = "script",
		[CPUUTIL_METHODS] = "unknown"};
	const char *between = "";
	for (unsigned i = 0; i <= CPUUTIL_METHODS; i++) {
		if (!(methods & 1u << i))
			continue;
		out_str(o, between);
		out_str(o, words[i]);
		between = "+";
	}
}

void report_methods_text(struct out *o, uint32_t methods)
{
	if (methods)
		report_methods(o, methods);
	else
		out_str(o, "n/a");
}

void report_code(struct out *o, uint8_t major, uint8_t mm)
{
	if (major == CPUUTIL_MAJOR)
		out_printf(o, "%02X:", major);
	out_printf(o, "%02X", mm);
}
