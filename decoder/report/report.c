/* What several reports say alike. */
#include "report.h"

void report_scripted_line(const struct report *r)
{
	if (r->scripted)
		out_str(r->out, "# " REPORT_SCRIPTED "\n");
}

void report_flags(struct out *o, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *word;
	} words[] = {{IV_SUMMARY, "summary"}, {IV_DETAILED, "detailed"}, {IV_NO_START, "no-start"},
		{IV_NO_END, "no-end"}, {IV_INCONSISTENT, "inconsistent"}, {IV_SCRIPTED, "scripted"},
		{IV_MALFORMED, "malformed"}};
	const char *between = "";
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		if (!(flags & words[i].flag))
			continue;
		out_str(o, between);
		out_str(o, words[i].word);
		between = "+";
	}
}
