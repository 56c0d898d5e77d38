/*
 * The intervals as a profile of pprof (profile.proto, gzip): a sample for each stack of labels of
 * each thread, with the sums of its intervals' own figures, by the nesting of the reports.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../../../formats/base/hash.h"
#include "../../base/grow.h"
#include "../../model/intervals/elapsed.h"
#include "../../sink/escapes.h"
#include "../../sink/gzip.h"
#include "../../sink/protobuf.h"
#include "../flame/names.h"
#include "export.h"
#include "own_costs.h"

static const struct {
	const char *name, *unit;
} pprof_values[OWN_COSTS] = {[OWN_COUNT] = {"intervals", "count"},
	[OWN_TIME] = {"time", "nanoseconds"},
	[OWN_THREAD_CYCLES] = {"thread_cycles", "count"},
	[OWN_THREAD_INSTRUCTIONS] = {"thread_instructions", "count"},
	[OWN_OFF_CPU] = {"off_cpu", "nanoseconds"}};

/* Fields of profile.proto's messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	TYPE_NAME = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
};

/* The string table's first entries: "", the values' names and units, keys of labels. */
enum {
	STRING_VALUES = 1,
	STRING_THREAD = STRING_VALUES + 2 * OWN_COSTS,
	STRING_TID,
	STRING_PID,
	STRING_HOST,
	STRING_MAPPING,
	STRING_COMMENT,
	STRINGS_OWN,
};

/* A node of the tree of stacks: up from a stack's frames come the four of its thread. */
enum pprof_kind {
	NODE_HOST,
	NODE_PID,
	NODE_TID,
	NODE_THREAD,
	NODE_FRAME,
};

struct pprof_node {
	uint32_t parent; /* of nodes; 0: none */
	uint32_t key;	 /* of flame_names, or an id; 0: unknown */
	enum pprof_kind kind;
	uint64_t value[OWN_COSTS];
};

struct pprof_export {
	struct report *r;
	struct flame_names names;
	struct pprof_node *nodes; /* from 1 */
	size_t nnodes, room;
	struct hash_index index; /* of nodes, by parent, key and kind */
	bool known[OWN_COSTS];
	struct out text, gzip;
	struct protobuf to;
	int64_t first, last;
	uint64_t capped, open;
	struct report_children_lost lost;
};

static uint64_t pprof_hash(uint32_t parent, uint32_t key, enum pprof_kind kind)
{
	return hash_add_u64(hash_u64((uint64_t)parent << 32 | key), kind);
}

/* The node, new or not; 0: out of memory. */
static uint32_t pprof_find_node(
	struct pprof_export *e, uint32_t parent, uint32_t key, enum pprof_kind kind)
{
	uint64_t hash = pprof_hash(parent, key, kind);
	size_t i;

	for (uint32_t at; (at = hash_index_next(&e->index, &hash));) {
		const struct pprof_node *n = &e->nodes[at - 1];

		if (n->parent == parent && n->key == key && n->kind == kind)
			return at - 1;
	}
	if (!e->nnodes)
		e->nnodes = 1;
	if (e->nnodes >= UINT32_MAX - 1 ||
		array_grow(&e->nodes, e->nnodes, &e->room, sizeof *e->nodes) ||
		!hash_index_grow(&e->index, e->nnodes + 1, &i))
		return 0;
	e->nodes[e->nnodes++] = (struct pprof_node){.parent = parent, .key = key, .kind = kind};
	for (i = i ? i : 1; i < e->nnodes; i++)
		hash_index_add(&e->index,
			pprof_hash(e->nodes[i].parent, e->nodes[i].key, e->nodes[i].kind),
			(uint32_t)i);
	return (uint32_t)e->nnodes - 1;
}

static int pprof_begin_thread(void *ctx, struct lane_thread *t)
{
	struct pprof_export *e = ctx;
	const char *host = trace_meta_value(trace_file(e->r->trace, t->file), "host");
	char room[EXPORT_THREAD_ROOM];
	const char *name = export_thread_name(t, room);
	uint32_t *thread = t->own = malloc(sizeof *thread), key[NODE_FRAME] = {0};

	if (!thread)
		return CPIDECODE_ENOMEM;
	key[NODE_PID] = t->task ? t->task->pid : 0;
	key[NODE_TID] = t->tid;
	key[NODE_THREAD] = flame_names_add(&e->names, name, strlen(name));
	if (host)
		key[NODE_HOST] = flame_names_add(&e->names, host, strlen(host));
	if (!key[NODE_THREAD] || (host && !key[NODE_HOST]))
		return CPIDECODE_ENOMEM;
	*thread = 0;
	for (enum pprof_kind kind = NODE_HOST; kind < NODE_FRAME; kind++) {
		*thread = pprof_find_node(e, *thread, key[kind], kind);
		if (!*thread)
			return CPIDECODE_ENOMEM;
	}
	return 0;
}

static int pprof_begin_slice(
	void *ctx, struct lane_thread *t, struct lane *l, const struct interval *iv, int64_t end)
{
	struct pprof_export *e = ctx;
	struct own_frame *frame = own_costs_begin(t, l, iv, elapsed_whole_ns(iv));
	char room[REPORT_NAME_ROOM];
	size_t length;

	if (end > e->last)
		e->last = end;
	if (iv->flags & IV_OPEN) {
		e->open++;
		frame->node = frame->under;
		return 0;
	}
	const char *name = report_name(iv, room, &length);
	uint32_t key = flame_names_add(&e->names, name, length);
	if (key)
		frame->node = pprof_find_node(e, frame->under, key, NODE_FRAME);
	return frame->node ? 0 : CPIDECODE_ENOMEM;
}

static int pprof_end_slice(void *ctx, struct lane_thread *t, struct lane *l, int64_t end)
{
	struct pprof_export *e = ctx;
	const struct own_frame *f = own_costs_frame(l);

	(void)t;
	(void)end;
	if (!f->node)
		return 0;
	for (unsigned i = 0; i < OWN_COSTS; i++)
		e->nodes[f->node].value[i] += own_costs_rest(f, i);
	return 0;
}

static void pprof_label(struct protobuf *p, unsigned key, unsigned field, uint64_t value)
{
	if (!value)
		return;
	protobuf_open(p, SAMPLE_LABEL);
	protobuf_uint(p, LABEL_KEY, key);
	protobuf_uint(p, field, value);
	protobuf_close(p);
}

/* numbers: of the names, from 1 on: a function's and a location's id. */
static void pprof_put_sample(
	struct pprof_export *e, const struct pprof_node *n, const uint32_t *numbers)
{
	struct protobuf *p = &e->to;
	const struct pprof_node *at = n;

	protobuf_open(p, PROFILE_SAMPLE);
	protobuf_open(p, SAMPLE_LOCATIONS);
	for (; at->kind == NODE_FRAME; at = &e->nodes[at->parent])
		out_varint(&p->bytes, numbers[at->key]);
	protobuf_close(p);
	protobuf_open(p, SAMPLE_VALUES);
	for (unsigned i = 0; i < OWN_COSTS; i++) {
		if (!e->known[i])
			continue;
		e->capped += n->value[i] > INT64_MAX;
		out_varint(&p->bytes, n->value[i] > INT64_MAX ? INT64_MAX : n->value[i]);
	}
	protobuf_close(p);
	const uint32_t names = STRINGS_OWN - 1;
	pprof_label(p, STRING_THREAD, LABEL_TEXT, names + numbers[at->key]);
	at = &e->nodes[at->parent];
	pprof_label(p, STRING_TID, LABEL_NUMBER, at->key);
	at = &e->nodes[at->parent];
	pprof_label(p, STRING_PID, LABEL_NUMBER, at->key);
	at = &e->nodes[at->parent];
	if (at->key)
		pprof_label(p, STRING_HOST, LABEL_TEXT, names + numbers[at->key]);
	protobuf_close(p);
	protobuf_flush(p, &e->gzip);
}

/* Each name is a function with one location, though no sample is in one of a thread's name. */
static void pprof_put_function(struct protobuf *p, uint32_t id)
{
	protobuf_open(p, PROFILE_LOCATION);
	protobuf_uint(p, LOCATION_ID, id);
	protobuf_uint(p, LOCATION_MAPPING, 1);
	protobuf_open(p, LOCATION_LINE);
	protobuf_uint(p, LINE_FUNCTION, id);
	protobuf_close(p);
	protobuf_close(p);
	/* No system name: readers would demangle it. */
	protobuf_open(p, PROFILE_FUNCTION);
	protobuf_uint(p, FUNCTION_ID, id);
	protobuf_uint(p, FUNCTION_NAME, STRINGS_OWN - 1 + id);
	protobuf_close(p);
}

static void pprof_put_head(struct pprof_export *e)
{
	struct protobuf *p = &e->to;

	for (unsigned i = 0; i < OWN_COSTS; i++) {
		if (!e->known[i])
			continue;
		protobuf_open(p, PROFILE_SAMPLE_TYPE);
		protobuf_uint(p, TYPE_NAME, STRING_VALUES + 2 * i);
		protobuf_uint(p, TYPE_UNIT, STRING_VALUES + 2 * i + 1);
		protobuf_close(p);
	}
	protobuf_open(p, PROFILE_MAPPING);
	protobuf_uint(p, MAPPING_ID, 1);
	protobuf_uint(p, MAPPING_FILE, STRING_MAPPING);
	protobuf_uint(p, MAPPING_HAS_FUNCTIONS, 1); /* there is no source of symbols */
	protobuf_close(p);
	protobuf_int(p, PROFILE_TIME, e->first);
	protobuf_int(p, PROFILE_DURATION, (int64_t)((uint64_t)e->last - (uint64_t)e->first));
	protobuf_uint(p, PROFILE_COMMENT, STRING_COMMENT);
	protobuf_uint(p, PROFILE_DEFAULT_TYPE, STRING_VALUES + 2 * OWN_TIME);
	protobuf_flush(p, &e->gzip);
}

static void pprof_put_strings(struct pprof_export *e)
{
	static const char *const own[] = {"thread", "tid", "pid", "host", "[intervals]",
		("own figures of intervals, by cpidecode " SWTRACE_VERSION)};
	struct protobuf *p = &e->to;

	protobuf_ascii(p, PROFILE_STRING, "");
	for (unsigned i = 0; i < OWN_COSTS; i++) {
		protobuf_ascii(p, PROFILE_STRING, pprof_values[i].name);
		protobuf_ascii(p, PROFILE_STRING, pprof_values[i].unit);
	}
	for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
		protobuf_ascii(p, PROFILE_STRING, own[i]);
	for (uint32_t i = 1; i < e->names.used; i = flame_names_next(&e->names, i)) {
		struct flame_name name = flame_names_get(&e->names, i);

		/* A line end in a name would break pprof's lists. */
		e->text.len = 0;
		escape_name(&e->text, name.at, name.len);
		if (e->text.error && !p->bytes.error)
			p->bytes.error = e->text.error;
		protobuf_open(p, PROFILE_STRING);
		out_bytes(&p->bytes, e->text.buf, e->text.len);
		protobuf_close(p);
		protobuf_flush(p, &e->gzip);
	}
	protobuf_flush(p, &e->gzip);
}

static int pprof_write(struct pprof_export *e)
{
	uint32_t used = e->names.used ? e->names.used : 1, n = 0;
	uint32_t *numbers = calloc(used, sizeof *numbers);

	if (!numbers || gzip_open(&e->gzip, e->r->out)) {
		free(numbers);
		return CPIDECODE_ENOMEM;
	}
	protobuf_init(&e->to);
	pprof_put_head(e);
	for (uint32_t i = 1; i < used; i = flame_names_next(&e->names, i)) {
		numbers[i] = ++n;
		pprof_put_function(&e->to, n);
		protobuf_flush(&e->to, &e->gzip);
	}
	for (size_t i = 1; i < e->nnodes && !e->gzip.error; i++)
		if (e->nodes[i].kind == NODE_FRAME && e->nodes[i].value[OWN_COUNT])
			pprof_put_sample(e, &e->nodes[i], numbers);
	pprof_put_strings(e);
	gzip_close(&e->gzip);
	protobuf_free(&e->to);
	free(numbers);
	return 0;
}

static void pprof_note(const struct pprof_export *e)
{
	const bool all = e->known[OWN_THREAD_CYCLES] && e->known[OWN_THREAD_INSTRUCTIONS] &&
			 e->known[OWN_OFF_CPU];

	report_note(e->r,
		"pprof's format holds sums by stack: times, arguments and losses are left out%s",
		all ? "" : ", and figures that some intervals lack");
	own_costs_note_open(e->r, e->open);
	if (e->capped)
		report_note(e->r, "pprof's numbers end at 2^63 - 1: %" PRIu64 " sum%s cut to that",
			e->capped, e->capped == 1 ? " is" : "s are");
	report_note_counted_lost(e->r, &e->lost, REPORT_SELF_BOUNDS);
}

int export_pprof(struct report *r, struct interval_stream *s)
{
	static const struct lane_writer writer = {.slice_size = sizeof(struct own_frame),
		.begin_thread = pprof_begin_thread,
		.begin_slice = pprof_begin_slice,
		.end_slice = pprof_end_slice};
	struct pprof_export e = {.r = r};
	struct lanes lanes;
	int rc = own_costs_find(s, e.known, &e.lost);

	if (!rc)
		rc = export_find_base(r, s, &e.first);
	if (rc)
		return rc;
	e.last = e.first;
	out_memory(&e.text);
	lanes_init(&lanes, &writer, &e);
	rc = export_lanes(r, s, &lanes);
	if (!rc)
		rc = pprof_write(&e);
	flame_names_free(&e.names);
	free(e.nodes);
	hash_index_free(&e.index);
	out_discard(&e.text);
	if (!rc)
		pprof_note(&e);
	return rc;
}
