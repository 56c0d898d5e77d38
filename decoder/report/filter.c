#include <string.h>

#include "../../formats/base/glob.h"
#include "../../formats/cpi_hooks.h"
#include "../../formats/cpuutil_hooks.h"
#include "../../formats/record.h"
#include "../../formats/scope_hooks.h"
#include "../model/trace/labels.h"
#include "filter.h"

void filter_init(struct filter *f)
{
	memset(f, 0, sizeof *f);
	f->from = INT64_MIN;
	f->to = INT64_MAX;
}

bool filter_takes_all(const struct filter *f)
{
	return !f->label && !f->by_major && !f->by_minor && !f->by_cpu && !f->by_tid &&
	       !f->by_pid && f->from == INT64_MIN && f->to == INT64_MAX;
}

bool filter_takes_ring(const struct filter *f, uint32_t ring)
{
	if (!f->by_cpu)
		return true;
	if (ring & TF_GUEST_RING)
		return f->guests;
	return ring < FILTER_CPUS && f->cpus[ring / 8] >> ring % 8 & 1;
}

static bool thread_taken(const struct filter *f, uint32_t tid, const struct task *task)
{
	if (f->by_tid && f->tid != tid)
		return false;
	return !f->by_pid || (task && task->pid == f->pid);
}

bool filter_interval(const struct filter *f, const struct interval *iv)
{
	if (iv->end_ns < f->from || iv->start_ns > f->to)
		return false;
	if (f->by_minor && f->minor != iv->mm)
		return false;
	if (!filter_takes_ring(f, iv->ring) || !thread_taken(f, iv->tid, iv->task))
		return false;
	return !f->label || (iv->has_label && glob_match(f->label, iv->label, iv->label_len));
}

static bool any_string_matches(const char *pattern, const struct hook *h)
{
	const uint8_t *p = h->strings;

	for (unsigned i = 0; i < h->nstrings; i++) {
		uint32_t length = get_le32(p);

		if (glob_match(pattern, (const char *)p + 4, length))
			return true;
		p += rec_string_bytes(length);
	}
	return false;
}

/* By its label: the texts of its arguments do not count. */
static bool scope_matches(const struct filter *f, const struct hook *h, const struct trace *t)
{
	const struct label *label;
	uint32_t length;

	if (h->nwords <= SCOPE_WORD_LABEL)
		return false;
	if (hook_word(h, SCOPE_WORD_KNOWN) & SCOPE_KNOWN_TEXT && h->nstrings) {
		const char *text = hook_string(h, 0, &length);

		return glob_match(f->label, text, length);
	}
	label = trace_label(trace_file(t, h->file), hook_word(h, SCOPE_WORD_LABEL));
	return label && glob_match(f->label, label->text, label->length);
}

/* The kinds that are asked for here are both majors'. */
_Static_assert(CPUUTIL_MINOR_KIND == CPI_MINOR_KIND && CPUUTIL_MINOR_MM == CPI_MINOR_MM &&
		       CPUUTIL_MINOR_LABEL_START == CPI_MINOR_LABEL_START &&
		       CPUUTIL_MINOR_LABEL_END == CPI_MINOR_LABEL_END,
	"same labels");

/* The major of the group that a hook belongs to; 0: none. */
static uint8_t group_major(const struct hook *h)
{
	switch (h->major) {
	case CPI_MAJOR:
	case INTERVAL_MAJOR:
		return CPI_MAJOR;
	case CPUUTIL_MAJOR:
		return CPUUTIL_MAJOR;
	default:
		return 0;
	}
}

static bool label_matches(const struct filter *f, const struct hook *h, struct filter_group *group)
{
	const uint8_t major = group_major(h);

	if (h->major == SCOPE_MAJOR)
		return scope_matches(f, h, group->trace);
	if (!major)
		return any_string_matches(f->label, h);
	uint32_t kind = h->minor & CPI_MINOR_KIND;
	if (h->major == major && kind == CPI_MINOR_LABEL_START) {
		*group = (struct filter_group){.trace = group->trace,
			.ticks = h->ticks,
			.ring = h->ring,
			.tid = h->tid,
			.machine = h->machine,
			.major = h->major,
			.mm = h->minor & CPI_MINOR_MM,
			.known = true,
			.matches = any_string_matches(f->label, h)};
		return group->matches;
	}
	if (h->major == major && kind == CPI_MINOR_LABEL_END)
		return any_string_matches(f->label, h);
	return group->known && group->matches && group->ticks == h->ticks &&
	       group->ring == h->ring && group->tid == h->tid && group->machine == h->machine &&
	       group->major == major && group->mm == (h->minor & CPI_MINOR_MM);
}

static bool minor_taken(const struct filter *f, const struct hook *h)
{
	if (h->minor == f->minor)
		return true;
	return f->minor <= CPI_MINOR_MM && (group_major(h) || h->major == SCOPE_MAJOR) &&
	       (h->minor & CPI_MINOR_MM) == f->minor;
}

bool filter_hook(const struct filter *f, const struct hook *h, struct filter_group *group)
{
	/* First: a group's hooks follow its first one. */
	if (f->label && !label_matches(f, h, group))
		return false;
	if (h->time_ns < f->from || h->time_ns > f->to)
		return false;
	if (f->by_major && f->major != h->major)
		return false;
	if (f->by_minor && !minor_taken(f, h))
		return false;
	return filter_takes_ring(f, h->ring) && thread_taken(f, h->tid, h->task);
}

void filter_describe(const struct filter *f, bool compensated, const char *where, struct out *o)
{
	if (f->from != INT64_MIN) {
		out_str(o, "from ");
		out_seconds(o, f->from);
		out_str(o, "; ");
	}
	if (f->to != INT64_MAX) {
		out_str(o, "to ");
		out_seconds(o, f->to);
		out_str(o, "; ");
	}
	if (compensated)
		out_str(o, FILTER_COMPENSATED);
	/* With its length, as it may look like the others. */
	if (where)
		out_printf(o, "where %zu %s; ", strlen(where), where);
	if (f->by_minor)
		out_printf(o, "minor 0x%02X; ", f->minor);
	if (f->by_cpu) {
		out_str(o, "cpu ");
		for (unsigned cpu = 0; cpu < FILTER_CPUS; cpu++)
			if (f->cpus[cpu / 8] >> cpu % 8 & 1)
				out_printf(o, "%u,", cpu);
		out_str(o, f->guests ? "guest; " : "; ");
	}
	if (f->by_tid)
		out_printf(o, "tid %u; ", f->tid);
	if (f->by_pid)
		out_printf(o, "pid %u; ", f->pid);
	/* Last, as it may look like the others. */
	if (f->label)
		out_printf(o, "label %s", f->label);
}
