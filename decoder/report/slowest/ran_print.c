/* Who ran on the processors of one of the slowest intervals, from the kernel's switches. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../../sink/escapes.h"
#include "../../sink/units.h"
#include "slowest.h"

enum { SLOWEST_THREADS_TEXT = 8 /* threads shown for one interval */ };

static const char *const ran_whys[RAN_WHYS] = {
	[RAN_OTHER_NUMBER] = "its thread has another number there",
	[RAN_TOO_MANY] = "there are too many of them",
	[RAN_NOT_COVERED] = "they do not cover it",
	[RAN_CONTRADICTED] = "they contradict each other",
};

static void slowest_spell_away(struct out *o, const struct ran *r)
{
	out_str(o, "   away from a processor, by the kernel's switches: ");
	if (r->why == RAN_COVERED) {
		units_duration(o, r->preempted_ns + r->waiting_ns);
		out_printf(o, ", %" PRIu64 " switch%s: preempted for ", r->switches,
			r->switches == 1 ? "" : "es");
		units_duration(o, r->preempted_ns);
		out_str(o, ", waiting for ");
		units_duration(o, r->waiting_ns);
	} else if (r->has_lost && r->has_lost_number) {
		out_printf(o, "n/a (%" PRIu64 " records were lost meanwhile)", r->lost);
	} else if (r->has_lost) {
		out_str(o, "n/a (records were lost meanwhile)");
	} else {
		out_printf(o, "n/a (%s)", ran_whys[r->why]);
	}
	out_char(o, '\n');
}

struct slowest_thread {
	struct ran_thread of;
	const char *who; /* of a line that is no single thread's; NULL: the thread's own */
	const char *name;
	struct cell tid, pid, instead;
	double start_cpu, cpu; /* ns */
};

void slowest_spell_thread(struct out *o, const char *name, uint32_t tid, uint32_t pid)
{
	if (name)
		escape_text(o, name, strlen(name));
	else
		out_str(o, "unknown name");
	out_printf(o, " (thread %u, process %u)", tid, pid);
}

static void slowest_spell_who(struct out *o, const void *row)
{
	const struct slowest_thread *t = row;

	if (t->who)
		out_str(o, t->who);
	else if (!t->of.tid)
		out_str(o, "idle");
	else
		slowest_spell_thread(o, t->name, t->of.tid, t->of.pid);
}

#define AT(member) COLUMN_AT(struct slowest_thread, member)
static const struct column thread_columns[] = {
	{"tid", AT(tid)},
	{"pid", AT(pid)},
	{"name", AT(name)},
	{"instead_ns", "instead", AT(instead), .unit = UNIT_DURATION},
	{SLOWEST_START_CPU, AT(start_cpu)},
	{SLOWEST_CPU, AT(cpu)},
	{.heading = "who ran", .text = slowest_spell_who, .left = true},
	{.name = NULL},
};

/* who: as in a row. */
static void slowest_add_thread(
	struct document *d, const struct slowest *s, const struct ran_thread *t, const char *who)
{
	struct slowest_thread row = {.of = *t,
		.who = who,
		.name = t->has_name ? t->name : NULL,
		.tid = cell_u64(t->tid, !who),
		.pid = cell_u64(t->pid, !who),
		.start_cpu = slowest_start_cpu_ns(s, t->start_cpu_ns),
		.cpu = slowest_cpu_ns(s, t->cpu_ns)};

	if (s->ran->why != RAN_COVERED)
		row.instead = cell_u64(0, false);
	else if (document_is_text(d) && isnan(t->instead_ns))
		row.instead = cell_string("", 0, true);
	else
		row.instead = cell_real(t->instead_ns, 1);
	document_add_row(d, &row);
}

static void slowest_write_threads(struct slowest_output *to)
{
	struct document *d = &to->d;
	const struct slowest *s = to->s;
	const struct ran *ran = s->ran;
	const size_t most =
		d->j || ran->count < SLOWEST_THREADS_TEXT ? ran->count : SLOWEST_THREADS_TEXT;
	const struct ran_thread unknown = {.instead_ns = NAN,
		.start_cpu_ns = ran->start_cpu_unknown_ns,
		.cpu_ns = ran->cpu_unknown_ns};
	struct ran_thread rest = ran->others;

	for (size_t i = most; i < ran->count; i++) {
		rest.instead_ns += ran->threads[i].instead_ns;
		rest.start_cpu_ns += ran->threads[i].start_cpu_ns;
		rest.cpu_ns += ran->threads[i].cpu_ns;
	}
	for (slowest_begin_list(to, "ran", thread_columns); document_pass(d);) {
		for (size_t i = 0; i < most; i++)
			slowest_add_thread(d, s, &ran->threads[i], NULL);
		if (rest.instead_ns + rest.start_cpu_ns + rest.cpu_ns > 0)
			slowest_add_thread(d, s, &rest, "(others)");
		if (!d->j && d->has && unknown.start_cpu_ns + unknown.cpu_ns > 0)
			slowest_add_thread(d, s, &unknown, "(not recorded)");
	}
}

void slowest_write_ran(struct slowest_output *to)
{
	struct document *d = &to->d;
	const struct ran *r = to->s->ran;

	if (!r)
		return;
	if (document_is_text(d)) {
		slowest_spell_away(d->o, r);
	} else {
		const bool is_known = r->why == RAN_COVERED;

		json_member_count(d->j, "kernel_switches", is_known, r->switches);
		json_member_count(
			d->j, "kernel_records_lost", !r->has_lost || r->has_lost_number, r->lost);
		json_member_fixed(d->j, "preempted_ns", is_known ? r->preempted_ns : NAN, 1);
		json_member_fixed(d->j, "waiting_ns", is_known ? r->waiting_ns : NAN, 1);
	}
	slowest_write_threads(to);
	slowest_write_wakers(d, r);
}

#undef AT
