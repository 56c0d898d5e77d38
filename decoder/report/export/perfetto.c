/*
 * The intervals as a Perfetto trace: a track for each thread, with its figures as counter tracks;
 * a track for each processor, with the figures of detailed groups and losses.
 */
#include "../../sink/perfetto.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <xxhash.h>

#include "../../../formats/interval_hooks.h"
#include "../../base/grow.h"
#include "../losses.h"
#include "export.h"

/* The kind of a track: part of its uuid. */
enum track_of {
	TRACK_OF_MACHINE,
	TRACK_OF_PROCESS,
	TRACK_OF_THREAD,
	TRACK_OF_LANE,
	TRACK_OF_COUNTER,
	TRACK_OF_CPUS,
	TRACK_OF_CPU,
	TRACK_OF_CPU_COUNTER,
};

/* Counters of a thread: the processor an interval ended on, its figures, then its events. */
enum {
	COUNTER_CPU,
	COUNTER_ELAPSED,
	COUNTER_COUNTS,
	COUNTER_REALS = COUNTER_COUNTS + EXPORT_COUNTS,
	COUNTERS_OWN = COUNTER_REALS + EXPORT_REALS,
};

struct event_counter {
	uint32_t name; /* trace_text_at */
	uint64_t uuid;
};

struct thread_tracks {
	uint64_t uuid, parent;	    /* parent: of further lanes */
	uint64_t own[COUNTERS_OWN]; /* 0: not described yet */
	struct event_counter *events;
	size_t count, room;
};

/* Events beyond these have no counter tracks. */
enum { EVENTS_MAX = 32, VALUES_MAX = COUNTERS_OWN + EVENTS_MAX };
/* A slice's event has the first values; where another event is needed, it has a sequence for the
 * counter that it begins with. */
struct lane_sequences {
	struct perfetto_sequence slices, *values[VALUES_MAX];
};

/* What a processor counted, then its ratios: see perfetto_fit. */
enum { CPU_COUNTS = 3, CPU_REALS = 6, CPU_FIGURES = CPU_COUNTS + CPU_REALS };

struct cpu_track {
	uint32_t machine, cpu;
	uint64_t counters[CPU_FIGURES];
	struct perfetto_sequence values[CPU_FIGURES]; /* as a lane's */
};

/* The values of an interval. */
struct counter_values {
	struct perfetto_value at[VALUES_MAX];
	unsigned n;
};

struct perfetto_export {
	struct report *r;
	struct perfetto to;
	struct out text;
	uint8_t *taken; /* names of values */
	bool several_machines;
	struct cpu_track *cpus;
	size_t ncpus, cpus_room;
	uint64_t events_left_out, before_1970;
	int64_t last; /* the last end */
};

/* Tracks of other threads, processes or runs have others, and a thread that comes again has its
 * own. */
static uint64_t track_uuid(enum track_of of, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t key[4] = {htole64(of), htole64(a), htole64(b), htole64(c)};
	uint64_t uuid = XXH3_64bits(key, sizeof key);

	return uuid ? uuid : 1;
}

static struct perfetto_track plain_track(uint64_t uuid, uint64_t parent, const char *name)
{
	return (struct perfetto_track){.kind = PERFETTO_PLAIN,
		.uuid = uuid,
		.parent = parent,
		.name = name,
		.name_length = strlen(name)};
}

/* The track that all of a machine's are in; 0: there is one machine only. */
static uint64_t perfetto_describe_machine(
	struct perfetto_export *e, uint32_t machine, uint32_t file)
{
	char number[32];

	if (!e->several_machines)
		return 0;
	uint64_t uuid = track_uuid(TRACK_OF_MACHINE, machine, 0, 0);
	const char *host = trace_meta_value(trace_file(e->r->trace, file), "host");
	snprintf(number, sizeof number, "machine %" PRIu32, machine);
	struct perfetto_track track = plain_track(uuid, 0, host ? host : number);
	perfetto_describe(&e->to, &track);
	return uuid;
}

static void perfetto_describe_process(
	struct perfetto_export *e, const struct task *task, uint32_t machine, uint64_t ticks)
{
	const struct task *leader = trace_task(e->r->trace, machine, task->pid, ticks);
	const char *name = leader && leader->pid == task->pid ? report_task_name(leader) : NULL;
	struct perfetto_track track = {.kind = PERFETTO_PROCESS,
		.uuid = track_uuid(TRACK_OF_PROCESS, machine, task->pid, 0),
		.name = name,
		.name_length = name ? strlen(name) : 0,
		.pid = task->pid};

	perfetto_describe(&e->to, &track);
}

static bool is_id(uint32_t id)
{
	return id > 0 && id <= INT32_MAX;
}

/*
 * A thread of Perfetto's has a process. A thread whose process is not known, and one of several
 * machines, where ids mean different things, is a plain track.
 */
static int perfetto_begin_thread(void *ctx, struct lane_thread *t)
{
	struct perfetto_export *e = ctx;
	const struct task *task = t->task;
	struct thread_tracks *tracks = t->own = calloc(1, sizeof *tracks);
	char room[EXPORT_THREAD_ROOM];

	if (!tracks)
		return CPIDECODE_ENOMEM;
	const char *name = export_thread_name(t, room);
	bool is_thread = task && is_id(task->pid) && is_id(t->tid) && !e->several_machines;
	tracks->uuid = track_uuid(TRACK_OF_THREAD, t->machine, task ? task->pid : 0,
		(uint64_t)t->tid << 32 | (uint32_t)XXH3_64bits(name, strlen(name)));
	struct perfetto_track track = plain_track(tracks->uuid, 0, name);
	if (is_thread) {
		perfetto_describe_process(e, task, t->machine, task->first);
		track.kind = PERFETTO_THREAD;
		track.name = report_task_name(task);
		track.name_length = track.name ? strlen(track.name) : 0;
		track.pid = task->pid;
		track.tid = t->tid;
		tracks->parent = track_uuid(TRACK_OF_PROCESS, t->machine, task->pid, 0);
	} else {
		track.parent = tracks->parent = perfetto_describe_machine(e, t->machine, t->file);
	}
	perfetto_describe(&e->to, &track);
	return 0;
}

static int perfetto_begin_lane(void *ctx, struct lane_thread *t, struct lane *l)
{
	struct perfetto_export *e = ctx;
	const struct thread_tracks *tracks = t->own;
	struct lane_sequences *s = l->own = calloc(1, sizeof *s);
	char room[EXPORT_THREAD_ROOM];
	uint64_t uuid = tracks->uuid;

	if (!s)
		return CPIDECODE_ENOMEM;
	if (l->index) {
		uuid = track_uuid(TRACK_OF_LANE, tracks->uuid, l->index, 0);
		struct perfetto_track track =
			plain_track(uuid, tracks->parent, export_thread_name(t, room));
		perfetto_describe(&e->to, &track);
	}
	perfetto_begin_sequence(&e->to, &s->slices, uuid);
	return 0;
}

static void perfetto_free_lane(void *ctx, struct lane *l)
{
	struct lane_sequences *s = l->own;

	(void)ctx;
	if (!s)
		return;
	perfetto_free_sequence(&s->slices);
	for (unsigned i = 0; i < VALUES_MAX; i++)
		free(s->values[i]); /* which have no names */
}

static void perfetto_free_thread(void *ctx, struct lane_thread *t)
{
	struct thread_tracks *tracks = t->own;

	(void)ctx;
	if (tracks)
		free(tracks->events);
}

static uint64_t perfetto_describe_counter(struct perfetto_export *e,
	const struct thread_tracks *tracks, const char *name, size_t length,
	enum perfetto_unit unit)
{
	struct perfetto_track track = {.kind = PERFETTO_COUNTER_TRACK,
		.uuid = track_uuid(
			TRACK_OF_COUNTER, tracks->uuid, XXH3_64bits(name, length), length),
		.parent = tracks->uuid,
		.name = name,
		.name_length = length,
		.unit = unit};

	perfetto_describe(&e->to, &track);
	return track.uuid;
}

static uint64_t perfetto_find_counter(struct perfetto_export *e, struct thread_tracks *tracks,
	unsigned which, const char *name, enum perfetto_unit unit)
{
	uint64_t *uuid = &tracks->own[which];

	if (!*uuid)
		*uuid = perfetto_describe_counter(e, tracks, name, strlen(name), unit);
	return *uuid;
}

static void counter_values_add_count(struct counter_values *v, uint64_t track, int64_t value)
{
	v->at[v->n++] = (struct perfetto_value){.track = track, .count = value};
}

static void counter_values_add_real(struct counter_values *v, uint64_t track, double value)
{
	v->at[v->n++] = (struct perfetto_value){.track = track, .is_real = true, .real = value};
}

/* Counters of Perfetto's have 63 bits. */
static void counter_values_add(struct counter_values *v, uint64_t track, uint64_t value)
{
	if (value > INT64_MAX)
		counter_values_add_real(v, track, (double)value);
	else
		counter_values_add_count(v, track, (int64_t)value);
}

static int perfetto_find_event(
	struct perfetto_export *e, struct thread_tracks *tracks, uint32_t name, uint64_t *uuid)
{
	for (size_t i = 0; i < tracks->count; i++)
		if (tracks->events[i].name == name) {
			*uuid = tracks->events[i].uuid;
			return 0;
		}
	if (array_grow(&tracks->events, tracks->count, &tracks->room, sizeof *tracks->events))
		return CPIDECODE_ENOMEM;
	const struct trace_text text =
		export_name_value(e->r, VALUE_EVENT, name, e->taken, &e->text);
	if (e->text.error)
		return CPIDECODE_ENOMEM;
	*uuid = perfetto_describe_counter(e, tracks, text.at, text.length, PERFETTO_COUNT);
	tracks->events[tracks->count++] = (struct event_counter){name, *uuid};
	return 0;
}

static int perfetto_add_event(struct perfetto_export *e, struct thread_tracks *tracks,
	struct counter_values *v, const struct interval_value *value)
{
	uint64_t uuid;

	if (value->type != INTERVAL_ARG_U64 && value->type != INTERVAL_ARG_I64 &&
		!(value->type == INTERVAL_ARG_F64 && isfinite(value->f)))
		return 0;
	if (perfetto_find_event(e, tracks, value->name, &uuid))
		return CPIDECODE_ENOMEM;
	if (value->type == INTERVAL_ARG_U64)
		counter_values_add(v, uuid, value->u);
	else if (value->type == INTERVAL_ARG_I64)
		counter_values_add_count(v, uuid, value->i);
	else
		counter_values_add_real(v, uuid, value->f);
	return 0;
}

static void perfetto_find_counts(struct perfetto_export *e, struct thread_tracks *tracks,
	const struct interval *iv, struct counter_values *v, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		const struct export_figure *f = &export_counts[i];
		uint64_t value = export_count(iv, i);

		if (value != NOT_MEASURED)
			counter_values_add(v,
				perfetto_find_counter(e, tracks, COUNTER_COUNTS + i, f->name,
					f->is_time ? PERFETTO_NS : PERFETTO_COUNT),
				value);
	}
}

/* Figures that are often 0 come last: see perfetto_fit. */
static void perfetto_find_figures(struct perfetto_export *e, struct thread_tracks *tracks,
	const struct interval *iv, struct counter_values *v)
{
	v->n = 0;
	perfetto_find_counts(e, tracks, iv, v, 0, EXPORT_COUNTS_OFTEN_0);
	for (unsigned i = 0; i < EXPORT_REALS; i++) {
		double value = export_real(iv, i);

		if (!isnan(value))
			counter_values_add_real(v,
				perfetto_find_counter(e, tracks, COUNTER_REALS + i,
					export_reals[i].name, PERFETTO_NO_UNIT),
				value);
	}
	counter_values_add(v,
		perfetto_find_counter(
			e, tracks, COUNTER_ELAPSED, EXPORT_ELAPSED_CYCLES, PERFETTO_COUNT),
		iv->elapsed);
	if (!(iv->ring & TF_GUEST_RING) && !(iv->flags & IV_OPEN))
		counter_values_add_count(v,
			perfetto_find_counter(e, tracks, COUNTER_CPU, "cpu", PERFETTO_NO_UNIT),
			iv->ring);
	perfetto_find_counts(e, tracks, iv, v, EXPORT_COUNTS_OFTEN_0, EXPORT_COUNTS);
}

static int perfetto_find_values(struct perfetto_export *e, struct thread_tracks *tracks,
	const struct interval *iv, struct counter_values *v)
{
	unsigned events = 0;
	int rc = 0;

	perfetto_find_figures(e, tracks, iv, v);
	for (uint32_t i = 0; i < iv->num_values && !rc; i++) {
		if (iv->values[i].kind != VALUE_EVENT)
			continue;
		if (events++ < EVENTS_MAX)
			rc = perfetto_add_event(e, tracks, v, &iv->values[i]);
		else
			e->events_left_out++;
	}
	return rc;
}

static void perfetto_put_argument(struct perfetto_export *e, struct perfetto_sequence *s,
	const struct interval *iv, const struct interval_value *v)
{
	const struct trace_text name =
		export_name_value(e->r, VALUE_ARGUMENT, v->name, e->taken, &e->text);

	if (e->text.error)
		return;
	switch (v->type) {
	case INTERVAL_ARG_U64:
		perfetto_argument_uint(&e->to, s, name.at, name.length, v->u);
		break;
	case INTERVAL_ARG_I64:
		perfetto_argument_int(&e->to, s, name.at, name.length, v->i);
		break;
	case INTERVAL_ARG_F64:
		perfetto_argument_double(&e->to, s, name.at, name.length, v->f);
		break;
	case INTERVAL_ARG_TEXT:
		perfetto_argument_text(
			&e->to, s, name.at, name.length, iv->value_texts + v->at, v->length);
		break;
	default: /* it has no value */
		break;
	}
}

/* What has few values is interned. */
static void perfetto_put_attributes(
	struct perfetto_export *e, struct perfetto_sequence *s, const struct interval *iv)
{
	struct export_attribute at[EXPORT_ATTRIBUTES];
	const unsigned n = export_find_attributes(iv, &e->text, at);

	for (unsigned i = 0; i < n; i++) {
		const char *name = at[i].name;

		if (at[i].text)
			perfetto_argument_word(
				&e->to, s, name, strlen(name), at[i].text, at[i].length);
		else
			perfetto_argument_uint(&e->to, s, name, strlen(name), at[i].number);
	}
}

static void perfetto_put_arguments(
	struct perfetto_export *e, struct perfetto_sequence *s, const struct interval *iv)
{
	for (uint32_t i = 0; i < iv->num_values; i++)
		if (iv->values[i].kind == VALUE_ARGUMENT)
			perfetto_put_argument(e, s, iv, &iv->values[i]);
	if (e->r->compensate)
		perfetto_argument_double(
			&e->to, s, EXPORT_COMPENSATED, strlen(EXPORT_COMPENSATED), iv->elapsed_ns);
	perfetto_put_attributes(e, s, iv);
}

static const char *const cpu_figures[CPU_FIGURES] = {"instructions", "cycles", "busy_cycles",
	"raw_cpi", "scaled_cpi", "busy_pct", "idle_pct", "intr_pct", "actual_perf_pct"};

static struct cpu_track *perfetto_find_cpu(
	struct perfetto_export *e, const struct interval *iv, uint32_t cpu)
{
	char name[32];

	/* Nearly always in order, from 0 on. */
	if (cpu < e->ncpus && e->cpus[cpu].cpu == cpu && e->cpus[cpu].machine == iv->machine)
		return &e->cpus[cpu];
	for (size_t i = 0; i < e->ncpus; i++)
		if (e->cpus[i].cpu == cpu && e->cpus[i].machine == iv->machine)
			return &e->cpus[i];
	if (array_grow(&e->cpus, e->ncpus, &e->cpus_room, sizeof *e->cpus))
		return NULL;
	struct cpu_track *c = &e->cpus[e->ncpus++];
	*c = (struct cpu_track){.machine = iv->machine, .cpu = cpu};
	uint64_t uuid = track_uuid(TRACK_OF_CPU, iv->machine, cpu, 0);
	snprintf(name, sizeof name, "cpu %" PRIu32, cpu);
	struct perfetto_track track =
		plain_track(uuid, perfetto_describe_machine(e, iv->machine, iv->file), name);
	perfetto_describe(&e->to, &track);
	return c;
}

static uint64_t perfetto_find_cpu_counter(
	struct perfetto_export *e, struct cpu_track *c, unsigned which)
{
	if (c->counters[which])
		return c->counters[which];
	c->counters[which] = track_uuid(TRACK_OF_CPU_COUNTER, c->machine, c->cpu, which);
	perfetto_describe(
		&e->to, &(struct perfetto_track){.kind = PERFETTO_COUNTER_TRACK,
				.uuid = c->counters[which],
				.parent = track_uuid(TRACK_OF_CPU, c->machine, c->cpu, 0),
				.name = cpu_figures[which],
				.name_length = strlen(cpu_figures[which]),
				.unit = which < CPU_COUNTS ? PERFETTO_COUNT : PERFETTO_NO_UNIT});
	return c->counters[which];
}

static int perfetto_put_cpus(struct perfetto_export *e, const struct interval *iv)
{
	for (uint32_t cpu = 0; iv->cpus && cpu < iv->num_cpus; cpu++) {
		const struct interval_cpu *c = &iv->cpus[cpu];
		const struct interval_util *u = iv->utils ? &iv->utils[cpu] : NULL;
		const uint64_t counts[CPU_COUNTS] = {c->instructions, c->cycles, c->busy_cycles};
		const double reals[CPU_REALS] = {c->raw_cpi, c->scaled_cpi, c->busy_pct,
			u ? u->idle_pct : NAN, u ? u->intr_pct : NAN, u ? u->actual_perf_pct : NAN};
		struct cpu_track *track = perfetto_find_cpu(e, iv, cpu);
		struct counter_values v = {.n = 0};

		if (!track)
			return CPIDECODE_ENOMEM;
		for (unsigned k = 0; k < CPU_COUNTS; k++)
			if (counts[k] != NOT_MEASURED)
				counter_values_add(
					&v, perfetto_find_cpu_counter(e, track, k), counts[k]);
		for (unsigned k = 0; k < CPU_REALS; k++)
			if (!isnan(reals[k]))
				counter_values_add_real(&v,
					perfetto_find_cpu_counter(e, track, CPU_COUNTS + k),
					reals[k]);
		for (unsigned n = 0; n < v.n;)
			n += perfetto_count(
				&e->to, &track->values[n], iv->start_ns, v.at + n, v.n - n);
	}
	return 0;
}

static int perfetto_put_values(struct perfetto_export *e, struct lane_sequences *sequences,
	int64_t t, const struct counter_values *v, unsigned from)
{
	while (from < v->n) {
		struct perfetto_sequence **s = &sequences->values[from];

		if (!*s && !(*s = calloc(1, sizeof **s)))
			return CPIDECODE_ENOMEM;
		from += perfetto_count(&e->to, *s, t, v->at + from, v->n - from);
	}
	return 0;
}

static int perfetto_begin_slice(
	void *ctx, struct lane_thread *t, struct lane *l, const struct interval *iv, int64_t end)
{
	struct perfetto_export *e = ctx;
	struct lane_sequences *sequences = l->own;
	struct perfetto_sequence *s = &sequences->slices;
	struct counter_values v;
	char room[REPORT_NAME_ROOM];
	size_t length;
	int rc = perfetto_find_values(e, t->own, iv, &v);

	if (rc)
		return rc;
	if (end > e->last)
		e->last = end;
	e->before_1970 += iv->start_ns < 0;
	const char *name = report_name(iv, room, &length);
	unsigned n = perfetto_fit(v.at, v.n);
	perfetto_set_counters(&e->to, s, v.at, v.n, n);
	perfetto_begin_event(&e->to, s, PERFETTO_SLICE_BEGIN, iv->start_ns);
	perfetto_name(&e->to, s, name, length);
	perfetto_values(&e->to, v.at, n);
	perfetto_put_arguments(e, s, iv);
	perfetto_end_event(&e->to);
	if (e->text.error)
		return CPIDECODE_ENOMEM;
	if (n < v.n && perfetto_put_values(e, sequences, iv->start_ns, &v, n))
		return CPIDECODE_ENOMEM;
	return perfetto_put_cpus(e, iv);
}

static int perfetto_write_end(void *ctx, struct lane_thread *t, struct lane *l, int64_t end)
{
	struct perfetto_export *e = ctx;
	struct lane_sequences *s = l->own;

	(void)t;
	perfetto_end_slice(&e->to, &s->slices, end);
	return 0;
}

/* Losses have no time: they are at the end, on a track of their ring. */
static void perfetto_put_losses(struct perfetto_export *e, const struct trace_file *f, size_t ring)
{
	const struct trace_ring *at = &f->rings[ring];
	struct perfetto_sequence s = {0};
	struct losses l = {0};
	char name[40];

	losses_add_ring(&l, at, findings_ring(e->r->found, f->index, ring));
	const struct {
		const char *name;
		uint64_t n;
	} causes[] = {{"full", l.full}, {"too_big", l.big}, {"held", l.held},
		{"no_guest_ring", l.no_guest}, {"no_slot", l.no_slot}, {"no_memory", l.no_memory},
		{"unattached", l.unattached}, {"unwritten", l.unwritten},
		{"unexplained", l.unexplained}, {"overwritten", l.overwritten}, {"torn", l.torn}};
	uint64_t all = losses_lost(&l) + l.overwritten + l.torn;
	if (!all)
		return;
	bool guest = at->ring & TF_GUEST_RING;
	snprintf(name, sizeof name, "%s %" PRIu32 ": losses", guest ? "guest ring" : "cpu",
		at->ring & ~TF_GUEST_RING);
	uint64_t uuid = track_uuid(TRACK_OF_CPUS, f->machine, at->ring, f->index);
	struct perfetto_track track =
		plain_track(uuid, perfetto_describe_machine(e, f->machine, f->index), name);
	perfetto_describe(&e->to, &track);
	perfetto_begin_sequence(&e->to, &s, uuid);
	perfetto_begin_event(&e->to, &s, PERFETTO_INSTANT, e->last);
	perfetto_name(&e->to, &s, "hooks lost", strlen("hooks lost"));
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
		if (causes[i].n)
			perfetto_argument_uint(
				&e->to, &s, causes[i].name, strlen(causes[i].name), causes[i].n);
	perfetto_end_event(&e->to);
	perfetto_free_sequence(&s);
}

static void perfetto_finish(struct perfetto_export *e)
{
	const struct trace *t = e->r->trace;

	for (size_t i = 0; i < trace_nfiles(t); i++)
		for (size_t k = 0; k < trace_file(t, i)->nrings; k++)
			perfetto_put_losses(e, trace_file(t, i), k);
	free(e->cpus);
	free(e->taken);
	perfetto_close(&e->to);
	out_discard(&e->text);
}

int export_perfetto(struct report *r, struct interval_stream *s)
{
	static const struct lane_writer writer = {.begin_thread = perfetto_begin_thread,
		.begin_lane = perfetto_begin_lane,
		.begin_slice = perfetto_begin_slice,
		.end_slice = perfetto_write_end,
		.free_lane = perfetto_free_lane,
		.free_thread = perfetto_free_thread};
	struct perfetto_export e = {.r = r, .several_machines = !trace_one_machine(r->trace)};
	int64_t base;
	struct lanes lanes;
	int rc = export_find_base(r, s, &base);

	if (rc)
		return rc;
	e.last = base;
	e.taken = export_names_new(r);
	if (!e.taken)
		return CPIDECODE_ENOMEM;
	out_memory(&e.text);
	perfetto_open(&e.to, r->out, base);
	lanes_init(&lanes, &writer, &e);
	rc = export_lanes(r, s, &lanes);
	perfetto_finish(&e);
	if (!rc)
		export_note_lanes(r, &lanes, "tracks");
	if (!rc && e.before_1970)
		report_note(r, "%" PRIu64 " interval%s before 1970: Perfetto does not read them",
			e.before_1970, e.before_1970 == 1 ? " begins" : "s begin");
	if (!rc && e.events_left_out)
		report_note(r,
			"%" PRIu64
			" counts are left out: an interval's first %d events have counter tracks",
			e.events_left_out, EVENTS_MAX);
	return rc;
}
