/* Who ran on the processors of one of the slowest intervals, from the kernel's switches. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../../sink/escape.h"
#include "../../sink/json.h"
#include "../../sink/table.h"
#include "../../sink/units.h"
#include "slowest.h"

enum { SLOWEST_THREADS_TEXT = 8 /* threads next to one */ };

static const char *const ran_whys[RAN_WHYS] = {
	[RAN_OTHER_NUMBER] = "its thread has another number there",
	[RAN_TOO_MANY] = "there are too many of them",
	[RAN_NOT_COVERED] = "they do not cover it",
	[RAN_CONTRADICTED] = "they contradict each other",
};

/* -------------------------------------------------------------------------------- text */

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

/* t: NULL, other threads; times as in a thread. */
static void slowest_write_thread(struct table *t, const struct slowest *s,
	const struct ran_thread *thread, unsigned cpus, const char *name)
{
	struct out *o;

	table_text(t, "  ");
	o = table_right(t);
	if (s->ran->why != RAN_COVERED)
		out_str(o, "n/a");
	else if (!isnan(thread->instead_ns))
		units_duration(o, thread->instead_ns);
	if (cpus == 2)
		units_duration(table_right(t), thread->start_cpu_ns);
	if (cpus)
		units_duration(table_right(t), thread->cpu_ns);
	o = table_left(t);
	if (name)
		out_str(o, name);
	else if (thread->has_name)
		escape_text(o, thread->name, strlen(thread->name));
	else
		out_str(o, "unknown name");
	if (!name)
		out_printf(o, " (thread %u, process %u)", thread->tid, thread->pid);
	table_end_row(t);
}

void slowest_write_ran(struct report *r, const struct slowest *s)
{
	const struct ran *ran = s->ran;
	struct ran_thread rest, unknown;
	uint32_t cpu[2];
	unsigned cpus;
	struct table t;

	if (!ran)
		return;
	cpus = slowest_find_cpus(s->kin->iv, cpu);
	rest = ran->others;
	unknown = (struct ran_thread){.instead_ns = NAN,
		.start_cpu_ns = ran->start_cpu_unknown_ns,
		.cpu_ns = ran->cpu_unknown_ns};
	slowest_spell_away(r->out, ran);
	for (size_t i = SLOWEST_THREADS_TEXT; i < ran->count; i++) {
		rest.instead_ns += ran->threads[i].instead_ns;
		rest.start_cpu_ns += ran->threads[i].start_cpu_ns;
		rest.cpu_ns += ran->threads[i].cpu_ns;
	}
	if (!ran->count && !(unknown.start_cpu_ns + unknown.cpu_ns > 0)) {
		slowest_write_wakers(r, ran);
		return;
	}
	for (table_begin(&t, r->out); table_pass_fit(&t, r->width, TABLE_LAST);) {
		table_printf(&t, "  \t>instead");
		for (unsigned i = 2 - cpus; i < 2; i++)
			out_printf(table_right(&t), "on CPU %u", cpu[i]);
		table_printf(&t, "who ran\n");
		for (size_t i = 0; i < ran->count && i < SLOWEST_THREADS_TEXT; i++)
			slowest_write_thread(
				&t, s, &ran->threads[i], cpus, ran->threads[i].tid ? NULL : "idle");
		if (rest.instead_ns + rest.start_cpu_ns + rest.cpu_ns > 0)
			slowest_write_thread(&t, s, &rest, cpus, "(others)");
		if (cpus && unknown.start_cpu_ns + unknown.cpu_ns > 0)
			slowest_write_thread(&t, s, &unknown, cpus, "(not recorded)");
	}
	table_free(&t);
	slowest_write_wakers(r, ran);
}

/* -------------------------------------------------------------------------------- JSON */

static void slowest_write_thread_member(
	struct json *j, const struct slowest *s, const struct ran_thread *t, bool is_rest)
{
	const struct interval *iv = s->kin->iv;
	uint32_t cpu;

	json_open(j, '{');
	json_key(j, "tid");
	if (is_rest)
		json_null(j);
	else
		json_u64(j, t->tid);
	json_key(j, "pid");
	if (is_rest)
		json_null(j);
	else
		json_u64(j, t->pid);
	json_member_text(j, "name", t->has_name ? t->name : NULL);
	json_member_fixed(j, "instead_ns", s->ran->why == RAN_COVERED ? t->instead_ns : NAN, 1);
	json_member_fixed(
		j, "start_cpu_ns", meanwhile_start_cpu(iv, &cpu) ? t->start_cpu_ns : NAN, 1);
	json_member_fixed(j, "cpu_ns", iv->ring & TF_GUEST_RING ? NAN : t->cpu_ns, 1);
	json_close(j, '}');
}

void slowest_write_ran_members(struct json *j, const struct slowest *s)
{
	const struct ran *r = s->ran;

	if (!r)
		return;
	const bool is_known = r->why == RAN_COVERED;
	json_key(j, "kernel_switches");
	if (is_known)
		json_u64(j, r->switches);
	else
		json_null(j);
	json_key(j, "kernel_records_lost");
	if (r->has_lost && !r->has_lost_number)
		json_null(j);
	else
		json_u64(j, r->lost);
	json_member_fixed(j, "preempted_ns", is_known ? r->preempted_ns : NAN, 1);
	json_member_fixed(j, "waiting_ns", is_known ? r->waiting_ns : NAN, 1);
	json_member_open(j, "ran", '[');
	for (size_t i = 0; i < r->count; i++)
		slowest_write_thread_member(j, s, &r->threads[i], false);
	if (r->others.instead_ns + r->others.start_cpu_ns + r->others.cpu_ns > 0)
		slowest_write_thread_member(j, s, &r->others, true);
	json_close(j, ']');
	slowest_write_wakers_members(j, r);
}
