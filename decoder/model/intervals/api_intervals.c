/* cpidecode.h: intervals. */
#include <stdlib.h>

#include "../../../formats/interval_hooks.h"
#include "../trace/labels.h"
#include "api_private.h"
#include "set.h"

_Static_assert(CPIDECODE_NOT_MEASURED == NOT_MEASURED, "counts are copied as they are");

/* struct interval_cpu is returned as its public mirror, so the layouts must match. */
_Static_assert(sizeof(cpidecode_interval_cpu) == sizeof(struct interval_cpu) &&
		       offsetof(cpidecode_interval_cpu, scaled_cpi) ==
			       offsetof(struct interval_cpu, scaled_cpi) &&
		       offsetof(cpidecode_interval_cpu, busy_pct) ==
			       offsetof(struct interval_cpu, busy_pct) &&
		       offsetof(cpidecode_interval_cpu, instructions) ==
			       offsetof(struct interval_cpu, instructions) &&
		       offsetof(cpidecode_interval_cpu, busy_cycles) ==
			       offsetof(struct interval_cpu, busy_cycles),
	"the two must be laid out alike");
_Static_assert(sizeof(cpidecode_interval_util) == sizeof(struct interval_util) &&
		       offsetof(cpidecode_interval_util, intr_pct) ==
			       offsetof(struct interval_util, intr_pct) &&
		       offsetof(cpidecode_interval_util, elapsed) ==
			       offsetof(struct interval_util, elapsed) &&
		       offsetof(cpidecode_interval_util, intr_time) ==
			       offsetof(struct interval_util, intr_time) &&
		       offsetof(cpidecode_interval_util, reference_cycles) ==
			       offsetof(struct interval_util, reference_cycles),
	"the two must be laid out alike");
_Static_assert((int)CPIDECODE_IV_SUMMARY == (int)IV_SUMMARY &&
		       (int)CPIDECODE_IV_DETAILED == (int)IV_DETAILED &&
		       (int)CPIDECODE_IV_NO_START == (int)IV_NO_START &&
		       (int)CPIDECODE_IV_NO_END == (int)IV_NO_END &&
		       (int)CPIDECODE_IV_INCONSISTENT == (int)IV_INCONSISTENT &&
		       (int)CPIDECODE_IV_SCRIPTED == (int)IV_SCRIPTED &&
		       (int)CPIDECODE_IV_MALFORMED == (int)IV_MALFORMED &&
		       (int)CPIDECODE_IV_QUALITY == (int)IV_QUALITY &&
		       (int)CPIDECODE_IV_MULTIPLEXED == (int)IV_MULTIPLEXED &&
		       (int)CPIDECODE_IV_CPUS_CHANGED == (int)IV_CPUS_CHANGED &&
		       (int)CPIDECODE_IV_CORE_TYPES == (int)IV_CORE_TYPES &&
		       (int)CPIDECODE_IV_USER_ONLY == (int)IV_USER_ONLY &&
		       (int)CPIDECODE_IV_CHILDREN_LOST == (int)IV_CHILDREN_LOST &&
		       (int)CPIDECODE_IV_ARGS_CUT == (int)IV_ARGS_CUT &&
		       (int)CPIDECODE_IV_OWN_COST == (int)IV_OWN_COST,
	"flags are handed out as they are");

/* Fills the public form of an interval. */
static void api_interval(cpidecode_interval *to, const struct interval *iv)
{
	*to = (cpidecode_interval){
		.start_ns = iv->start_ns,
		.end_ns = iv->end_ns,
		.start_ticks = iv->start_ticks,
		.end_ticks = iv->end_ticks,
		.elapsed = iv->elapsed,
		.ring = iv->ring,
		.tid = iv->tid,
		.pid = iv->task ? iv->task->pid : 0,
		.file = iv->file,
		.minor = iv->mm,
		.types = iv->types,
		.flags = iv->flags,
		.depth = iv->depth,
		.parent = iv->parent,
		.task = iv->task ? iv->task->name : NULL,
		.label = iv->has_label ? iv->label : NULL,
		.label_length = iv->label_len,
		.raw_cpi = iv->raw_cpi,
		.scaled_cpi = iv->scaled_cpi,
		.busy_pct = iv->busy_pct,
		.thread_cpi = iv->thread_cpi,
		.instructions = iv->instructions,
		.cycles = iv->cycles,
		.busy_cycles = iv->busy_cycles,
		.thread_instructions = iv->thread_instructions,
		.thread_cycles = iv->thread_cycles,
		.num_cpus = iv->num_cpus,
		.major = iv->major,
		.cpus = (const cpidecode_interval_cpu *)iv->cpus,
		.on_cpu_ns = iv->on_cpu_ns,
		.off_cpu_ns = iv->off_cpu_ns,
		.ctx_switches = iv->ctx_switches,
		.migrations = iv->migrations,
		.faults = iv->faults,
		.idle_pct = iv->idle_pct,
		.intr_pct = iv->intr_pct,
		.actual_perf_pct = iv->actual_perf_pct,
		.method = iv->method,
		.utils = (const cpidecode_interval_util *)iv->utils,
	};
}

_Static_assert((int)CPIDECODE_VALUE_ARGUMENT == (int)VALUE_ARGUMENT &&
		       (int)CPIDECODE_VALUE_EVENT == (int)VALUE_EVENT &&
		       (int)CPIDECODE_VALUE_U64 == (int)INTERVAL_ARG_U64 &&
		       (int)CPIDECODE_VALUE_I64 == (int)INTERVAL_ARG_I64 &&
		       (int)CPIDECODE_VALUE_F64 == (int)INTERVAL_ARG_F64 &&
		       (int)CPIDECODE_VALUE_TEXT == (int)INTERVAL_ARG_TEXT,
	"kinds and types are handed out as they are");

static int api_value(
	const struct trace *t, const struct interval *iv, size_t i, cpidecode_value *to)
{
	if (!iv || i >= iv->num_values)
		return CPIDECODE_EINVAL;
	const struct interval_value *v = &iv->values[i];
	const struct trace_text name = trace_text_at(t, v->name);
	*to = (cpidecode_value){
		.name = name.at, .name_length = name.length, .kind = v->kind, .type = v->type};
	switch (v->type) {
	case INTERVAL_ARG_U64:
		to->u = v->u;
		break;
	case INTERVAL_ARG_I64:
		to->i = v->i;
		break;
	case INTERVAL_ARG_F64:
		to->f = v->f;
		break;
	case INTERVAL_ARG_TEXT:
		to->text = iv->value_texts + v->at;
		to->text_length = v->length;
		break;
	}
	return 0;
}

struct cpidecode_intervals {
	const struct trace *trace;
	struct interval_set set;
};

int cpidecode_intervals_read(const cpidecode_trace *t, cpidecode_intervals **set)
{
	const struct interval_stream_options options = {
		.from_ns = INT64_MIN, .wants = WANT_ALL | WANT_VALUES};

	*set = calloc(1, sizeof **set);
	if (!*set)
		return CPIDECODE_ENOMEM;
	(*set)->trace = t->trace;
	int rc = interval_set_read(&(*set)->set, t->trace, &options);
	if (rc) {
		cpidecode_intervals_free(*set);
		*set = NULL;
	}
	return rc;
}

size_t cpidecode_intervals_count(const cpidecode_intervals *set)
{
	return set->set.count;
}

int cpidecode_intervals_get(const cpidecode_intervals *set, size_t i, cpidecode_interval *to)
{
	if (i >= set->set.count)
		return CPIDECODE_EINVAL;
	api_interval(to, &set->set.at[i]);
	return 0;
}

int cpidecode_intervals_value(
	const cpidecode_intervals *set, size_t i, size_t k, cpidecode_value *value)
{
	return i < set->set.count ? api_value(set->trace, &set->set.at[i], k, value)
				  : CPIDECODE_EINVAL;
}

void cpidecode_intervals_free(cpidecode_intervals *set)
{
	if (!set)
		return;
	interval_set_free(&set->set);
	free(set);
}

struct cpidecode_interval_stream {
	const struct trace *trace;
	struct interval_stream *stream;
	const struct interval *last; /* the one returned; NULL: none */
	int64_t from_ns, to_ns;
};

/* Same meaning as the command's --from and --to. */
static bool in_range(void *ctx, const struct interval *iv)
{
	const cpidecode_interval_stream *s = ctx;

	return iv->end_ns >= s->from_ns && iv->start_ns <= s->to_ns;
}

int cpidecode_interval_stream_open(
	const cpidecode_trace *t, int64_t from_ns, int64_t to_ns, cpidecode_interval_stream **s)
{
	*s = calloc(1, sizeof **s);
	if (!*s)
		return CPIDECODE_ENOMEM;
	(*s)->trace = t->trace;
	(*s)->from_ns = from_ns;
	(*s)->to_ns = to_ns;
	struct interval_stream_options options = {
		.ctx = *s, .from_ns = from_ns, .wants = WANT_ALL | WANT_VALUES};
	if (from_ns != INT64_MIN || to_ns != INT64_MAX) {
		options.filter = in_range;
		options.filter_wants = WANT_START;
	}
	int rc = interval_stream_open(t->trace, &options, &(*s)->stream, NULL);
	if (rc) {
		free(*s);
		*s = NULL;
	}
	return rc;
}

int cpidecode_interval_stream_next(cpidecode_interval_stream *s, cpidecode_interval *to)
{
	const struct interval *iv;
	int rc = interval_stream_next(s->stream, &iv);

	s->last = rc > 0 ? iv : NULL;
	if (rc > 0)
		api_interval(to, iv);
	return rc;
}

int cpidecode_interval_stream_value(
	const cpidecode_interval_stream *s, size_t i, cpidecode_value *value)
{
	return api_value(s->trace, s->last, i, value);
}

void cpidecode_interval_stream_close(cpidecode_interval_stream *s)
{
	if (!s)
		return;
	interval_stream_close(s->stream);
	free(s);
}
