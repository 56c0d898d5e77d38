/*
 * The intervals for speedscope (JSON, its schema is file-format-schema.json): an evented profile
 * for each lane. A profile's events are adjacent, while lanes come interleaved, so they are
 * sorted first, as far as they do not fit into memory in a temporary file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"
#include "../../base/sorter/sorter.h"
#include "../../sink/json.h"
#include "../flame/names.h"
#include "export.h"

enum { SPEEDSCOPE_BUDGET = 16 << 20 };

/* The profile of a lane. A thread that was dropped and returns continues in its own. */
struct speedscope_profile {
	uint32_t machine, tid, pid, index;
	uint32_t name; /* of flame_names */
};

struct speedscope_event {
	struct sorter_record sort; /* group: the profile; key: the order; spare: it begins */
	int64_t at;		   /* since the base */
	uint32_t frame;		   /* of flame_names */
	uint32_t reserved;
};

struct speedscope_export {
	struct report *r;
	struct sorter *events;
	struct flame_names names;
	struct speedscope_profile *profiles;
	size_t nprofiles, room;
	struct hash_index by_lane;
	struct out text;
	uint64_t order;
	int64_t base, first, last; /* first and last: since the base */
};

static int speedscope_compare(const struct sorter_record *a, const struct sorter_record *b)
{
	return compare_u64(a->key, b->key);
}

static int speedscope_add(
	struct speedscope_export *e, struct lane *l, int64_t time, uint32_t frame, bool begins)
{
	const uint32_t *profile = l->own;
	struct sorter_record *r;
	int rc = sorter_reserve(e->events, 0, &r);

	if (rc)
		return rc;
	int64_t at = (int64_t)((uint64_t)time - (uint64_t)e->base);
	struct speedscope_event *event = (struct speedscope_event *)r;
	*event = (struct speedscope_event){.sort = {.key = e->order++,
						   .group = *profile,
						   .size = sizeof *event,
						   .spare = begins},
		.at = at,
		.frame = frame};
	sorter_add(e->events, 0);
	if (at < e->first)
		e->first = at;
	if (at > e->last)
		e->last = at;
	return 0;
}

static uint64_t speedscope_hash(const struct speedscope_profile *p)
{
	return lane_hash(p->machine, p->tid, p->pid, p->index, p->name);
}

static int speedscope_find_profile(
	struct speedscope_export *e, const struct speedscope_profile *p, uint32_t *found)
{
	uint64_t hash = speedscope_hash(p);
	size_t i;

	for (uint32_t at; (at = hash_index_next(&e->by_lane, &hash));) {
		*found = at - 1;
		if (memcmp(&e->profiles[*found], p, sizeof *p) == 0)
			return 0;
	}
	if (array_grow(&e->profiles, e->nprofiles, &e->room, sizeof *p) ||
		!hash_index_grow(&e->by_lane, e->nprofiles + 1, &i))
		return CPIDECODE_ENOMEM;
	*found = (uint32_t)e->nprofiles;
	e->profiles[e->nprofiles++] = *p;
	for (; i < e->nprofiles; i++)
		hash_index_add(&e->by_lane, speedscope_hash(&e->profiles[i]), (uint32_t)i);
	return 0;
}

static int speedscope_begin_lane(void *ctx, struct lane_thread *t, struct lane *l)
{
	struct speedscope_export *e = ctx;
	uint32_t *profile = l->own = malloc(sizeof *profile);
	struct speedscope_profile p = {.machine = t->machine,
		.tid = t->tid,
		.pid = t->task ? t->task->pid : 0,
		.index = l->index};
	char room[EXPORT_THREAD_ROOM];

	if (!profile)
		return CPIDECODE_ENOMEM;
	e->text.len = 0;
	const char *host = trace_meta_value(trace_file(e->r->trace, t->file), "host");
	if (host && !trace_one_machine(e->r->trace))
		out_printf(&e->text, "%s ", host);
	out_str(&e->text, export_thread_name(t, room));
	if (report_task_name(t->task))
		out_printf(&e->text, " (tid %" PRIu32 ")", t->tid);
	if (l->index)
		out_printf(&e->text, ", overlapping %u", l->index);
	if (e->text.error || !(p.name = flame_names_add(&e->names, e->text.buf, e->text.len)))
		return CPIDECODE_ENOMEM;
	return speedscope_find_profile(e, &p, profile);
}

static int speedscope_begin_slice(
	void *ctx, struct lane_thread *t, struct lane *l, const struct interval *iv, int64_t end)
{
	struct speedscope_export *e = ctx;
	uint32_t *frame = (uint32_t *)l->slices + l->count - 1;
	char room[REPORT_NAME_ROOM];
	size_t length;

	(void)t;
	(void)end;
	const char *name = report_name(iv, room, &length);
	*frame = flame_names_add(&e->names, name, length);
	return *frame ? speedscope_add(e, l, iv->start_ns, *frame, true) : CPIDECODE_ENOMEM;
}

static int speedscope_end_slice(void *ctx, struct lane_thread *t, struct lane *l, int64_t end)
{
	const uint32_t frame = ((const uint32_t *)l->slices)[l->count - 1];

	(void)t;
	/* None, where memory ran out at its begin. */
	return frame ? speedscope_add(ctx, l, end, frame, false) : 0;
}

static void speedscope_begin_profile(struct speedscope_export *e, struct json *j, uint32_t profile)
{
	struct flame_name name = flame_names_get(&e->names, e->profiles[profile].name);

	json_break(j);
	json_open(j, '{');
	json_member_text(j, "type", "evented");
	json_key(j, "name");
	json_string(j, name.at, name.len);
	json_member_text(j, "unit", "nanoseconds");
	json_member_i64(j, "startValue", e->first);
	json_member_i64(j, "endValue", e->last);
	json_member_open(j, "events", '[');
}

static void speedscope_end_profile(struct json *j)
{
	json_close(j, ']');
	json_close(j, '}');
}

/* numbers: of the frames, by their number in flame_names. */
static int speedscope_put_profiles(
	struct speedscope_export *e, struct json *j, const uint32_t *numbers)
{
	const struct sorter_record *r;
	bool begun = false;
	uint32_t profile = 0;
	int rc = sorter_rewind(e->events);

	while (!rc && !e->r->out->error && (rc = sorter_next(e->events, &r)) > 0) {
		const struct speedscope_event *event = (const struct speedscope_event *)r;

		rc = 0;
		if (!begun || r->group != profile) {
			if (begun)
				speedscope_end_profile(j);
			profile = r->group;
			begun = true;
			speedscope_begin_profile(e, j, profile);
		}
		json_break(j);
		json_open(j, '{');
		json_member_text(j, "type", r->spare ? "O" : "C");
		json_member_i64(j, "at", event->at);
		json_member_u64(j, "frame", numbers[event->frame]);
		json_close(j, '}');
	}
	if (begun)
		speedscope_end_profile(j);
	return rc;
}

static int speedscope_write(struct speedscope_export *e)
{
	/* The first unit of the names' text is not used, and there may be none yet. */
	uint32_t used = e->names.used ? e->names.used : 1, n = 0;
	uint32_t *numbers = calloc(used, sizeof *numbers);
	struct json json = {.o = e->r->out}, *j = &json;

	if (!numbers)
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 1; i < used; i = flame_names_next(&e->names, i))
		numbers[i] = n++;
	json_open(j, '{');
	json_member_text(j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_member_text(j, "exporter", "cpidecode");
	json_key(j, "name");
	json_format(j, "intervals from %" PRId64 " ns", e->base);
	json_member_open(j, "profiles", '[');
	int rc = speedscope_put_profiles(e, j, numbers);
	json_close(j, ']');
	json_member_open(j, "shared", '{');
	json_member_open(j, "frames", '[');
	for (uint32_t i = 1; i < used; i = flame_names_next(&e->names, i)) {
		struct flame_name name = flame_names_get(&e->names, i);

		json_break(j);
		json_open(j, '{');
		json_key(j, "name");
		json_string(j, name.at, name.len);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, '}');
	json_end_line(j);
	free(numbers);
	return rc;
}

int export_speedscope(struct report *r, struct interval_stream *s)
{
	static const struct lane_writer writer = {.slice_size = sizeof(uint32_t),
		.begin_lane = speedscope_begin_lane,
		.begin_slice = speedscope_begin_slice,
		.end_slice = speedscope_end_slice};
	const struct sorter_options sort = {.threads = 1,
		.budget = SPEEDSCOPE_BUDGET,
		.largest = sizeof(struct speedscope_event),
		.compare = speedscope_compare};
	struct speedscope_export e = {.r = r};
	struct lanes lanes;
	int rc = export_find_base(r, s, &e.base);

	if (rc)
		return rc;
	rc = sorter_new(&sort, &e.events);
	if (rc)
		return rc;
	out_memory(&e.text);
	lanes_init(&lanes, &writer, &e);
	rc = export_lanes(r, s, &lanes);
	if (!rc)
		rc = speedscope_write(&e);
	int error = rc == CPIDECODE_ESPOOL ? sorter_error(e.events) : 0;
	sorter_free(e.events);
	flame_names_free(&e.names);
	free(e.profiles);
	hash_index_free(&e.by_lane);
	out_discard(&e.text);
	if (error)
		errno = error;
	if (!rc) {
		export_note_lanes(r, &lanes, "profiles");
		report_note(r,
			"speedscope holds names and times: figures, arguments and losses are left out");
	}
	return rc;
}
