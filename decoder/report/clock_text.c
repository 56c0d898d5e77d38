#include "clock_text.h"

#include "../../formats/base/text.h"
#include "../sink/units.h"

const char *clock_finding_name(enum clock_finding_kind kind)
{
	static const char *const names[] = {[CLOCK_STEP] = "step",
		[CLOCK_STEP_OR_SUSPEND] = "step-or-suspend",
		[CLOCK_SUSPEND] = "suspend",
		[CLOCK_DRIFT] = "drift",
		[CLOCK_RESTART] = "restart",
		[CLOCK_CONTRADICTION] = "contradiction"};

	return names[kind];
}

static const char *what_happened(const struct clock_finding *f)
{
	switch (f->kind) {
	case CLOCK_STEP:
		return f->ns < 0 ? "CLOCK_REALTIME was set back by "
				 : "CLOCK_REALTIME was set forward by ";
	case CLOCK_STEP_OR_SUSPEND:
		return "CLOCK_REALTIME was set forward, or the machine suspended, by ";
	case CLOCK_SUSPEND:
		return "the machine was suspended for ";
	case CLOCK_DRIFT:
		return f->ns < 0 ? "the ticks ran ahead of CLOCK_REALTIME by "
				 : "the ticks fell behind CLOCK_REALTIME by ";
	case CLOCK_RESTART:
		return "the tick counter was reset, as some suspends do: higher ticks are earlier by ";
	default:
		return "the clocks contradict each other by ";
	}
}

static const char *what_follows(const struct clock_finding *f)
{
	switch (f->kind) {
	case CLOCK_SUSPEND:
		return " (the ticks went on: times are right)";
	case CLOCK_DRIFT:
		return " (no step: fast slewing, a wrong rate, or ticks that stopped)";
	case CLOCK_RESTART:
		return "; hooks are not in order of time";
	case CLOCK_CONTRADICTION:
		return "; times between these are doubtful";
	default:
		return "; times between these may be off by as much";
	}
}

void clock_text_finding(struct out *o, const struct clock_finding *f)
{
	double ns = (double)f->ns;

	out_str(o, what_happened(f));
	units_duration(o, ns < 0 ? -ns : ns);
	if (f->from == f->to) {
		out_str(o, " in clock syncs of one tick, at ");
		units_iso8601(o, f->from_ns);
		out_str(o, "; times around it are doubtful");
		return;
	}
	out_str(o, " between the clock syncs at ");
	units_iso8601(o, f->from_ns);
	out_str(o, " and ");
	units_iso8601(o, f->to_ns);
	out_str(o, what_follows(f));
}

void clock_text_alignment(struct out *o, const struct trace_alignment *a)
{
	out_printf(o, "%zu traces of %zu host%s merged by CLOCK_REALTIME; their ", a->traces,
		a->hosts, text_plural(a->hosts));
	if (a->within_ns == a->within_ns) {
		out_str(o, "clocks agree to within ");
		units_duration(o, a->within_ns);
		out_str(o, " as far as the traces show");
	} else {
		out_str(o, "clock syncs do not show how well their clocks agree");
	}
	if (a->hosts > 1)
		out_str(o, " (NTP's own error is not known)");
}
