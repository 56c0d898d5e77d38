/*
 * From hooks to intervals: the hooks of a group stand next to each other on their ring,
 * so each ring has at most one group in the making.
 */
#include <math.h>
#include <string.h>

#include "../../formats/cpi_hooks.h"
#include "../../formats/trace_file.h"
#include "clock.h"
#include "group_fields.h"
#include "grow.h"
#include "intervals.h"
#include "trace_private.h"

/* All arrays and labels of groups in the making together. Hostile files ask for more. */
#define MAX_HELD (UINT64_C(1) << 30)
enum {
	PLANS = 64,
};

struct group {
	struct interval iv;
	struct interval_cpu *cpus;
	uint32_t cpus_cap;
	char *label;
	uint32_t label_cap;
	uint32_t num_cpus_word; /* as the hooks say, 0: not said */
	uint8_t last;		/* enum group_part */
	bool open, has_elapsed, has_types;
};

struct plan_entry {
	const struct schema_hook *key;
	uint8_t part;
	bool valid;
	struct field_plan plan;
};

struct interval_builder {
	const struct trace *t;
	struct group **groups; /* by file, then by its rings */
	struct group out;      /* the one handed out */
	uint64_t held;
	size_t flush_file, flush_ring;
	struct plan_entry plans[PLANS];
};

int interval_builder_new(const struct trace *t, struct interval_builder **result)
{
	struct interval_builder *b = calloc(1, sizeof *b);
	*result = NULL;
	if (!b)
		return CPIDECODE_ENOMEM;
	b->t = t;
	b->groups = calloc(t->nfiles ? t->nfiles : 1, sizeof *b->groups);
	bool ok = b->groups;
	for (size_t i = 0; ok && i < t->nfiles; i++) {
		size_t n = t->files[i]->pub.nrings;
		b->groups[i] = calloc(n ? n : 1, sizeof **b->groups);
		ok = b->groups[i];
	}
	if (!ok) {
		interval_builder_free(b);
		return CPIDECODE_ENOMEM;
	}
	*result = b;
	return 0;
}

static void free_group(struct group *g)
{
	free(g->cpus);
	free(g->label);
}

void interval_builder_free(struct interval_builder *b)
{
	if (!b)
		return;
	for (size_t i = 0; b->groups && i < b->t->nfiles; i++) {
		for (size_t j = 0; b->groups[i] && j < b->t->files[i]->pub.nrings; j++)
			free_group(&b->groups[i][j]);
		free(b->groups[i]);
	}
	free_group(&b->out);
	free(b->groups);
	free(b);
}

static struct group *group_of(struct interval_builder *b, const struct hook *h)
{
	const struct trace_file *f = &b->t->files[h->file]->pub;
	size_t lo = 0, hi = f->nrings;
	/* Rings are mostly CPU numbers without gaps. */
	if (h->ring < f->nrings && f->rings[h->ring].ring == h->ring)
		return &b->groups[h->file][h->ring];
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (f->rings[mid].ring <= h->ring)
			lo = mid;
		else
			hi = mid;
	}
	return &b->groups[h->file][lo];
}

/*
 * How to read this hook: by the schema in force or, should that one not name what a
 * group is made of, by the built-in one.
 */
static const struct field_plan *plan_of(
	struct interval_builder *b, const struct hook *h, enum group_part part)
{
	uintptr_t hash = (uintptr_t)h->schema / sizeof(void *);
	struct plan_entry *e = &b->plans[(hash ^ hash >> 6 ^ part) % PLANS];
	if (e->valid && e->key == h->schema && e->part == part)
		return &e->plan;
	e->valid = true;
	e->key = h->schema;
	e->part = (uint8_t)part;
	e->plan.usable = false;
	if (h->schema)
		field_plan(&e->plan, part, h->schema);
	if (!e->plan.usable)
		field_plan(&e->plan, part,
			schema_find(b->t->builtin, CPI_MAJOR, h->minor & CPI_MINOR_KIND));
	return &e->plan;
}

static bool find_elapsed(const struct hook *h, const struct field_plan *plan, uint64_t *elapsed)
{
	struct field_cursor c;
	struct field_value v;
	field_start(&c, h);
	while (field_next(&c, &v)) {
		if (plan->means[v.index] == GF_ELAPSED) {
			*elapsed = v.u;
			return true;
		}
	}
	return false;
}

static void clear_cpu(struct interval_cpu *c)
{
	c->raw_cpi = c->scaled_cpi = c->busy_pct = NAN;
	c->instructions = c->cycles = c->busy_cycles = NOT_MEASURED;
}

static void open_group(struct interval_builder *b, struct group *g, const struct hook *h)
{
	const struct trace_file *f = &b->t->files[h->file]->pub;
	g->open = true;
	g->has_elapsed = g->has_types = false;
	g->num_cpus_word = 0;
	g->iv = (struct interval){
		.end_ns = h->time_ns,
		.end_ticks = h->ticks,
		.ring = h->ring,
		.tid = h->tid,
		.file = h->file,
		.machine = h->machine,
		.position = h->position,
		.mm = (uint8_t)(h->minor & CPI_MINOR_MM),
		.parent = -1,
		.raw_cpi = NAN,
		.scaled_cpi = NAN,
		.busy_pct = NAN,
		.thread_cpi = NAN,
		.instructions = NOT_MEASURED,
		.cycles = NOT_MEASURED,
		.busy_cycles = NOT_MEASURED,
		.thread_instructions = NOT_MEASURED,
		.thread_cycles = NOT_MEASURED,
		.on_cpu_ns = NOT_MEASURED,
		.off_cpu_ns = NOT_MEASURED,
		.ctx_switches = NOT_MEASURED,
		.migrations = NOT_MEASURED,
		.faults = NOT_MEASURED,
		.flags = f->header.flags & TF_FLAG_SCRIPTED ? IV_SCRIPTED : 0,
		.task = h->task,
	};
}

/* Where the nominal cycles are not known, no cycles were idle or busy: 0 says nothing. */
static void forget_busy_of_unknown(uint64_t cycles, uint64_t *busy_cycles)
{
	if (cycles == NOT_MEASURED && *busy_cycles == 0)
		*busy_cycles = NOT_MEASURED;
}

/* Cycles of a clock whose rate is unknown are scaled cycles, but no share of the time. What was
 * not idle was not 0 % busy. */
static void forget_share_of_unknown(double raw_cpi, double scaled_cpi, double *busy_pct)
{
	if (*busy_pct == 0 && scaled_cpi > 0 && isnan(raw_cpi))
		*busy_pct = NAN;
}

/* A processor without cycles among others that have them was offline: its 0 % busy is none. */
static void settle_cpus(struct interval_cpu *cpus, uint32_t n)
{
	bool counted = false;

	for (uint32_t i = 0; i < n; i++) {
		forget_busy_of_unknown(cpus[i].cycles, &cpus[i].busy_cycles);
		forget_share_of_unknown(cpus[i].raw_cpi, cpus[i].scaled_cpi, &cpus[i].busy_pct);
		counted |= cpus[i].cycles != NOT_MEASURED;
	}
	for (uint32_t i = 0; counted && i < n; i++) {
		if (cpus[i].cycles == NOT_MEASURED && cpus[i].busy_pct == 0)
			cpus[i].busy_pct = NAN;
	}
}

/* The time on a processor is of another clock than elapsed, and may be a little more. */
static void settle_off_cpu(struct interval *iv)
{
	/* No clock runs for that long, and no integer holds it. */
	if (iv->on_cpu_ns == NOT_MEASURED || !(iv->elapsed_ns < 0x1p63))
		return;
	uint64_t elapsed = (uint64_t)iv->elapsed_ns;
	iv->off_cpu_ns = elapsed > iv->on_cpu_ns ? elapsed - iv->on_cpu_ns : 0;
}

/* Hands the group out: its arrays change places with those of the one before. */
static int close_group(struct interval_builder *b, struct group *g, const struct interval **result)
{
	if (!g->open)
		return 0;
	struct group out = *g;
	*g = b->out;
	g->open = false;
	struct interval *iv = &out.iv;
	const struct trace_file *f = &b->t->files[iv->file]->pub;
	iv->start_ticks = iv->elapsed < iv->end_ticks ? iv->end_ticks - iv->elapsed : 0;
	iv->start_ns = clock_time_before(f->clock, iv->end_ticks, iv->elapsed);
	iv->elapsed_ns = trace_duration_ns(f, iv->elapsed);
	forget_busy_of_unknown(iv->cycles, &iv->busy_cycles);
	forget_share_of_unknown(iv->raw_cpi, iv->scaled_cpi, &iv->busy_pct);
	settle_cpus(out.cpus, iv->num_cpus);
	settle_off_cpu(iv);
	iv->cpus = iv->num_cpus ? out.cpus : NULL;
	iv->label = iv->has_label ? out.label : NULL;
	b->out = out;
	*result = &b->out.iv;
	return 1;
}

static int hold(struct interval_builder *b, uint64_t more)
{
	b->held += more;
	return b->held > MAX_HELD ? CPIDECODE_ENOMEM : 0;
}

static int need_cpu(struct interval_builder *b, struct group *g, uint32_t cpu)
{
	if (cpu >= g->cpus_cap) {
		uint32_t cap = cpu < 8 ? 16 : 2 * cpu;
		int rc = hold(b, (uint64_t)(cap - g->cpus_cap) * sizeof *g->cpus);
		void *p = rc ? NULL : realloc(g->cpus, (size_t)cap * sizeof *g->cpus);
		if (!p)
			return CPIDECODE_ENOMEM;
		g->cpus = p;
		g->cpus_cap = cap;
	}
	while (g->iv.num_cpus <= cpu)
		clear_cpu(&g->cpus[g->iv.num_cpus++]);
	return 0;
}

static int take_label(struct interval_builder *b, struct group *g, const struct field_value *v)
{
	struct interval *iv = &g->iv;
	if (iv->has_label) {
		if (iv->label_len != v->length || memcmp(g->label, v->string, v->length))
			iv->flags |= IV_INCONSISTENT;
		return 0;
	}
	if (!g->label || v->length > g->label_cap) {
		uint32_t cap = v->length < 64 ? 64 : v->length;
		int rc = hold(b, cap - g->label_cap);
		void *p = rc ? NULL : realloc(g->label, cap);
		if (!p)
			return CPIDECODE_ENOMEM;
		g->label = p;
		g->label_cap = cap;
	}
	memcpy(g->label, v->string, v->length);
	iv->label_len = v->length;
	iv->has_label = true;
	return 0;
}

/* What two hooks of a group both say must be the same; the later, more detailed one wins. */
static void set_ratio(struct interval *iv, double *to, const struct field_value *v)
{
	double ratio = (double)v->u / CPI_FRACTION;
	if (v->not_measured)
		return;
	if (!isnan(*to) && *to != ratio)
		iv->flags |= IV_INCONSISTENT;
	*to = ratio;
}

static void set_count(struct interval *iv, uint64_t *to, const struct field_value *v)
{
	if (v->not_measured)
		return;
	if (*to != NOT_MEASURED && *to != v->u)
		iv->flags |= IV_INCONSISTENT;
	*to = v->u;
}

static void take_types(struct group *g, uint64_t types)
{
	const unsigned common = CPI_HOOK_RAW | CPI_HOOK_BUSY;
	if (g->has_types && (g->iv.types & common) != (types & common))
		g->iv.flags |= IV_INCONSISTENT;
	g->has_types = true;
	g->iv.types |= (uint8_t)types;
}

/* Bits that nobody knows yet are none of these. */
static void take_quality_flags(struct interval *iv, uint64_t flags)
{
	static const struct {
		uint32_t hook, interval;
	} means[] = {{CPI_QUALITY_MULTIPLEXED, IV_MULTIPLEXED},
		{CPI_QUALITY_CPUS_CHANGED, IV_CPUS_CHANGED},
		{CPI_QUALITY_CORE_TYPES, IV_CORE_TYPES}, {CPI_QUALITY_USER_ONLY, IV_USER_ONLY}};
	for (size_t i = 0; i < sizeof means / sizeof *means; i++)
		if (flags & means[i].hook)
			iv->flags |= means[i].interval;
}

static void take_num_cpus(struct group *g, uint64_t n)
{
	if (g->num_cpus_word && g->num_cpus_word != n)
		g->iv.flags |= IV_INCONSISTENT;
	g->num_cpus_word = (uint32_t)n;
}

static int take_cpu_value(struct interval_builder *b, struct group *g, enum group_field means,
	const struct field_value *v)
{
	int rc = need_cpu(b, g, v->turn);
	if (rc)
		return rc;
	struct interval_cpu *c = &g->cpus[v->turn];
	switch (means) {
	case GF_CPU_RAW_CPI:
		set_ratio(&g->iv, &c->raw_cpi, v);
		break;
	case GF_CPU_SCALED_CPI:
		set_ratio(&g->iv, &c->scaled_cpi, v);
		break;
	case GF_CPU_BUSY:
		set_ratio(&g->iv, &c->busy_pct, v);
		break;
	case GF_CPU_INSTRUCTIONS:
		set_count(&g->iv, &c->instructions, v);
		break;
	case GF_CPU_CYCLES:
		set_count(&g->iv, &c->cycles, v);
		break;
	default:
		set_count(&g->iv, &c->busy_cycles, v);
		break;
	}
	return 0;
}

static int take_value(struct interval_builder *b, struct group *g, enum group_field means,
	const struct field_value *v)
{
	struct interval *iv = &g->iv;
	switch (means) {
	case GF_OTHER:
	case GF_ELAPSED:
		break;
	case GF_TYPES:
		take_types(g, v->u);
		break;
	case GF_NUM_CPUS:
		take_num_cpus(g, v->u);
		break;
	case GF_LABEL:
		return take_label(b, g, v);
	case GF_TID:
		if (v->u != iv->tid)
			iv->flags |= IV_INCONSISTENT;
		break;
	case GF_RAW_CPI:
		set_ratio(iv, &iv->raw_cpi, v);
		break;
	case GF_SCALED_CPI:
		set_ratio(iv, &iv->scaled_cpi, v);
		break;
	case GF_BUSY:
		set_ratio(iv, &iv->busy_pct, v);
		break;
	case GF_THREAD_CPI:
		set_ratio(iv, &iv->thread_cpi, v);
		break;
	case GF_INSTRUCTIONS:
		set_count(iv, &iv->instructions, v);
		break;
	case GF_CYCLES:
		set_count(iv, &iv->cycles, v);
		break;
	case GF_BUSY_CYCLES:
		set_count(iv, &iv->busy_cycles, v);
		break;
	case GF_THREAD_INSTRUCTIONS:
		set_count(iv, &iv->thread_instructions, v);
		break;
	case GF_THREAD_CYCLES:
		set_count(iv, &iv->thread_cycles, v);
		break;
	case GF_QUALITY_FLAGS:
		take_quality_flags(iv, v->u);
		break;
	case GF_ON_CPU_NS:
		set_count(iv, &iv->on_cpu_ns, v);
		break;
	case GF_CTX_SWITCHES:
		set_count(iv, &iv->ctx_switches, v);
		break;
	case GF_MIGRATIONS:
		set_count(iv, &iv->migrations, v);
		break;
	case GF_FAULTS:
		set_count(iv, &iv->faults, v);
		break;
	default:
		return take_cpu_value(b, g, means, v);
	}
	return 0;
}

static void take_part(struct group *g, enum group_part part)
{
	struct interval *iv = &g->iv;
	g->last = (uint8_t)part;
	switch (part) {
	case PART_LABEL_START:
		iv->flags |= IV_NO_END; /* until it comes */
		break;
	case PART_LABEL_END:
		if (iv->flags & IV_NO_END)
			iv->flags &= ~(uint32_t)IV_NO_END;
		else
			iv->flags |= IV_NO_START;
		break;
	case PART_SUMMARY:
		iv->flags |= IV_SUMMARY;
		break;
	case PART_QUALITY:
		iv->flags |= IV_QUALITY;
		break;
	case PART_THREAD:
		iv->types |= CPI_HOOK_THREAD;
		iv->flags |= IV_DETAILED;
		break;
	default:
		iv->flags |= IV_DETAILED;
		break;
	}
}

static int add_hook(struct interval_builder *b, struct group *g, const struct hook *h,
	const struct field_plan *plan)
{
	struct field_cursor c;
	struct field_value v;
	field_start(&c, h);
	while (field_next(&c, &v)) {
		int rc = take_value(b, g, (enum group_field)plan->means[v.index], &v);
		if (rc)
			return rc;
	}
	if (c.fit & FIT_SHORT)
		g->iv.flags |= IV_MALFORMED;
	return 0;
}

static bool same_group(const struct group *g, const struct hook *h, enum group_part part,
	bool has_elapsed, uint64_t elapsed)
{
	if (g->iv.tid != h->tid || g->iv.end_ticks != h->ticks ||
		g->iv.mm != (h->minor & CPI_MINOR_MM) || part <= g->last)
		return false;
	/* One that is too short to say joins its neighbours. */
	return !has_elapsed || !g->has_elapsed || elapsed == g->iv.elapsed;
}

int interval_feed(struct interval_builder *b, const struct hook *h, const struct interval **iv)
{
	struct group *g = group_of(b, h);
	enum group_part part = group_part(h->major, h->minor);
	*iv = NULL;
	if (part == PART_NONE)
		return close_group(b, g, iv);
	const struct field_plan *plan = plan_of(b, h, part);
	struct hook read_as = *h;
	read_as.schema = plan->schema;
	uint64_t elapsed = 0;
	bool has_elapsed = find_elapsed(&read_as, plan, &elapsed);
	int closed = 0;
	if (g->open && !same_group(g, h, part, has_elapsed, elapsed))
		closed = close_group(b, g, iv);
	if (!g->open)
		open_group(b, g, h);
	if (has_elapsed && !g->has_elapsed) {
		g->iv.elapsed = elapsed;
		g->has_elapsed = true;
	}
	take_part(g, part);
	int rc = add_hook(b, g, &read_as, plan);
	return rc ? rc : closed;
}

int interval_flush(struct interval_builder *b, const struct interval **iv)
{
	*iv = NULL;
	for (; b->flush_file < b->t->nfiles; b->flush_file++, b->flush_ring = 0) {
		size_t n = b->t->files[b->flush_file]->pub.nrings;
		while (b->flush_ring < n) {
			struct group *g = &b->groups[b->flush_file][b->flush_ring++];
			if (g->open)
				return close_group(b, g, iv);
		}
	}
	return 0;
}
