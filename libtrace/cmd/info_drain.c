/*
 * info in continuous mode: the drain and its output.
 */
#include "../ring/layout.h"
#include "info.h"

/*
 * Every hook that entered the ring is present or overwritten; drained ones are part of both. Only
 * this sum is reliable: a hook may finish after the drain saw it torn.
 */
void info_drained(
	struct ring_info *r, struct ring_reader *reader, uint32_t generation, uint32_t ring)
{
	const struct shm_ring_control *control = &reader->control[ring];
	struct ring_ledger ledger;
	uint64_t entered = r->hooks + r->torn + r->overwritten;

	r->written = shm_figure_value(generation, control->drained);
	r->torn = shm_figure_value(generation, control->drained_torn);
	uint64_t taken = r->written + r->torn;
	r->hooks = entered > taken ? entered - taken : 0;
	ring_reader_ledger(reader, ring, &ledger);
	uint64_t released = ring_released(&reader->geometry, generation, control->released);
	r->bytes = r->hooks && ledger.head > released ? ledger.head - released : 0;
	r->overwritten = 0;
}

void info_unwritten(struct info *i)
{
	uint64_t lost = i->drain.page->lost;

	i->unwritten = lost < i->sum.hooks ? lost : i->sum.hooks;
	i->sum.hooks -= i->unwritten;
	if (i->sum.hooks == 0)
		i->sum.bytes = 0;
}

void info_drain(struct info *i)
{
	struct drain_info *d = &i->drain;
	bool on = i->state == SHM_ON || i->state == SHM_SUSPENDED;

	d->page = session_drain(&i->session);
	d->advice = "";
	if (drain_load(&i->session, &d->config, NULL) != 0)
		d->config.path[0] = 0;
	if (continuous_runs(&i->session)) {
		d->state = "running";
		return;
	}
	switch (d->page->state) {
	case SHM_DRAIN_RUNNING:
		d->state = "killed";
		d->advice = on ? "; swtrace on resumes it, swtrace off finishes the file"
			       : "; swtrace off finishes the file";
		return;
	case SHM_DRAIN_FAILED:
		d->state = "failed";
		break;
	case SHM_DRAIN_FINISHED:
		d->state = "finished";
		break;
	default:
		d->state = "none";
		d->advice = on ? "" : "; swtrace on starts it";
	}
	if (on)
		d->advice = "; tracing is still on: swtrace on starts another";
}

void info_drain_text(const struct info *i)
{
	const struct drain_info *d = &i->drain;

	printf("drain     %s", d->state);
	if (d->page->state == SHM_DRAIN_RUNNING)
		printf(" (process %u)", d->page->pid);
	if (d->page->state == SHM_DRAIN_FAILED)
		printf(": %.255s", d->page->why);
	printf("%s\n", d->advice);
	if (d->config.path[0])
		printf("file      %s\n", d->config.path);
	printf("written   %llu hooks, %llu bytes, %llu torn, rotations %llu; waiting %llu bytes\n",
		(unsigned long long)d->page->hooks, (unsigned long long)d->page->bytes,
		(unsigned long long)d->page->torn, (unsigned long long)d->page->rotations,
		(unsigned long long)i->sum.bytes);
}

void info_drain_json(struct json *j, const struct info *i)
{
	const struct drain_info *d = &i->drain;

	json_member_open(j, "drain", '{');
	json_member_text(j, "state", d->state);
	json_member_count(j, "pid", d->page->state == SHM_DRAIN_RUNNING, d->page->pid);
	json_member_text(j, "file", d->config.path[0] ? d->config.path : NULL);
	json_member_u64(j, "written_hooks", d->page->hooks);
	json_member_u64(j, "written_bytes", d->page->bytes);
	json_member_u64(j, "torn", d->page->torn);
	json_member_u64(j, "lost_unwritten", d->page->lost);
	json_member_u64(j, "rotations", d->page->rotations);
	json_member_u64(j, "waiting_bytes", i->sum.bytes);
	json_member_text(j, "why", d->page->state == SHM_DRAIN_FAILED ? d->page->why : NULL);
	json_close(j, '}');
}
