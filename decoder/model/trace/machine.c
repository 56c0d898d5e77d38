/* Machines: the files that share ticks and threads. */
#include <string.h>

#include "../../base/grow.h"
#include "trace_private.h"

/* Keeps files of one trace apart if their tick rates contradict each other. */
static bool same_machine(const struct machine *m, const struct file *f)
{
	const struct io_header *h = &f->pub.header;
	bool same_trace = m->known && !h->damaged &&
			  memcmp(m->trace_id, h->trace_id, sizeof m->trace_id) == 0;
	bool same_rings = m->has_rings_id && f->has_rings_id &&
			  memcmp(m->rings_id, f->rings_id, sizeof m->rings_id) == 0;

	return (same_trace || same_rings) && m->clock == h->clock && m->rate == f->clock.rate;
}

/* A file without a usable id has a machine of its own. */
int machine_of(struct trace *t, struct file *f)
{
	static const uint8_t none[16];
	const struct io_header *h = &f->pub.header;
	bool known = !h->damaged && memcmp(h->trace_id, none, sizeof none) != 0;

	for (size_t i = 0; i < t->nmachines; i++) {
		if (same_machine(t->machines[i], f)) {
			f->pub.machine = (uint32_t)i;
			return 0;
		}
	}
	int rc = array_grow(&t->machines, t->nmachines, &t->machines_cap, sizeof *t->machines);
	struct machine *m = rc ? NULL : calloc(1, sizeof *m);
	if (!m)
		return CPIDECODE_ENOMEM;
	m->known = known;
	m->has_rings_id = f->has_rings_id;
	memcpy(m->rings_id, f->rings_id, sizeof m->rings_id);
	m->clock = h->clock;
	m->rate = f->clock.rate;
	memcpy(m->trace_id, h->trace_id, sizeof m->trace_id);
	f->pub.machine = (uint32_t)t->nmachines;
	t->machines[t->nmachines++] = m;
	return 0;
}

void machine_free(struct machine *m)
{
	tasks_free(&m->tasks);
	containers_free(&m->containers);
	free(m->syncs);
	free(m->findings);
	free(m);
}

/* The files of f's machine; f itself, not yet among the trace's, comes last. */
static struct file *next_file(const struct trace *t, struct file *f, size_t *i)
{
	while (*i < t->nfiles) {
		struct file *other = t->files[(*i)++];

		if (other->pub.machine == f->pub.machine)
			return other;
	}
	return (*i)++ == t->nfiles ? f : NULL;
}

/*
 * All files' syncs in one clock: two files with clocks of their own would not agree to the
 * nanosecond where they meet, and an interval could seem to begin before its container.
 * *syncs is NULL when there is but one file.
 */
static int join_clocks(
	const struct trace *t, struct file *f, struct clock *joined, struct clock_sync **syncs)
{
	size_t n = 0, files = 0, filled = 0;
	struct file *o;

	*joined = f->clock;
	*syncs = NULL;
	for (size_t i = 0; (o = next_file(t, f, &i)); files++)
		n += o->own_syncs;
	if (files == 1)
		return 0;
	*syncs = malloc(n * sizeof **syncs);
	if (!*syncs)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; (o = next_file(t, f, &i)); filled += o->own_syncs) {
		memcpy(*syncs + filled, o->syncs, o->own_syncs * sizeof **syncs);
		if (o->clock.base_ticks < joined->base_ticks) {
			joined->base_ticks = o->clock.base_ticks;
			joined->base_real = o->clock.base_real;
		}
	}
	clock_build(joined, *syncs, n);
	return 0;
}

static uint64_t last_sync(const struct file *f)
{
	return f->syncs[f->own_syncs - 1].ticks;
}

/* Whether a's last sync is before b's; of equal ones the first file's is. */
static bool ends_before(const struct file *a, const struct file *b)
{
	uint64_t x = last_sync(a), y = last_sync(b);

	return x != y ? x < y : a->pub.index < b->pub.index;
}

/* A file has the findings up to its last sync, except those of files that end before it. */
static void give_findings(
	const struct trace *t, struct file *f, struct file *to, const struct machine *m, size_t n)
{
	size_t first = 0, end = 0;
	uint64_t after = 0;
	struct file *o;

	for (size_t i = 0; (o = next_file(t, f, &i));)
		if (ends_before(o, to) && last_sync(o) > after)
			after = last_sync(o);
	while (first < n && m->findings[first].to <= after)
		first++;
	for (end = first; end < n && m->findings[end].to <= last_sync(to);)
		end++;
	to->pub.clock_findings = end > first ? m->findings + first : NULL;
	to->pub.nclock_findings = end - first;
	to->pub.clock_findings_untold = 0;
}

/* The tasks may be an earlier file's, and the entries this one's. */
static void machine_name_containers(const struct trace *t, struct machine *m)
{
	uint32_t first = TEXT_NONE;

	m->has_several_containers = false;
	m->first_container = NULL;
	for (size_t i = 0; m->containers.count && i < m->tasks.count; i++) {
		struct task *task = (struct task *)m->tasks.entries.p + i;
		const struct container *c = containers_find(&m->containers, task);
		uint32_t name = c ? c->name : TEXT_NONE;

		task->container = name != TEXT_NONE ? texts_get(t->texts, name).at : NULL;
		task->is_at_home = !c;
		if (i == 0) {
			first = name;
			m->first_container = task->container;
		}
		/* One in another PID namespace is not the owner's. */
		if (name != first || (c && c->own_tid != task->tid))
			m->has_several_containers = true;
	}
}

int machine_add(struct trace *t, struct file *f)
{
	struct machine *m = t->machines[f->pub.machine];
	struct clock joined;
	struct clock_sync *syncs;
	int rc = join_clocks(t, f, &joined, &syncs);

	if (rc)
		return rc;
	size_t n = clock_findings(&joined, NULL, 0);
	size_t kept = n < MAX_CLOCK_FINDINGS ? n : MAX_CLOCK_FINDINGS;
	struct clock_finding *list = malloc((kept + 1) * sizeof *list);
	rc = list ? containers_merge(&m->containers, &f->containers) : CPIDECODE_ENOMEM;
	rc = rc ? rc : tasks_add(&m->tasks, &f->tasks, f->pub.ntasks);
	if (rc) {
		free(syncs);
		free(list);
		return rc;
	}
	machine_name_containers(t, m);
	clock_findings(&joined, list, kept);
	free(m->syncs);
	free(m->findings);
	m->syncs = syncs;
	m->findings = list;
	struct file *o;
	for (size_t i = 0; (o = next_file(t, f, &i));) {
		o->clock = joined;
		give_findings(t, f, o, m, kept);
	}
	f->pub.clock_findings_untold = n - kept;
	return 0;
}
