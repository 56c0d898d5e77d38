#include "group.h"

#include <errno.h>
#include <string.h>

#include "../../../formats/cpi_hooks.h"
#include "../../../formats/interval_hooks.h"
#include "../../../include/perfutil.h"
#include "../../session/attach.h"
#include "../scope/begins.h"
#include "figures.h"
#include "frame.h"

_Static_assert((int)COUNTER_INSTRUCTIONS == (int)CPI_QUANTITY_INSTRUCTIONS &&
		       (int)COUNTER_BUSY == (int)CPI_QUANTITY_BUSY &&
		       (int)COUNTER_THREAD_INSTRUCTIONS == (int)CPI_QUANTITY_THREAD_INSTRUCTIONS &&
		       (int)COUNTER_THREAD_CYCLES == (int)CPI_QUANTITY_THREAD_CYCLES &&
		       (int)COUNTER_QUANTITIES == (int)CPI_QUANTITIES,
	"quantities are written in their order");
_Static_assert(CPI_QUALITY_FLAGS == 0 && CPI_QUALITY_KNOWN == 1 && CPI_QUALITY_ELAPSED == 2 &&
		       CPI_QUALITY_QUANTITIES == 4 && CPI_QUALITY_FIRST == 5 &&
		       CPI_QUALITY_WORDS == 5 && CPI_QUALITY_LIFE_WORDS == 2,
	"as put_quality lays them out");

/* The group that is being written. */
struct group {
	struct frame f;
	const struct group_spec *spec;
	const struct counter_interval *i;
	const struct counter_interval_cpu *sum; /* if anything was counted, or with detailed */
	uint32_t types;
	uint32_t known;	     /* of the quality hook */
	uint32_t known_time; /* of the time hook */
	bool has_time;
	/* The thread's activity up to the stamp. */
	struct counter_activity activity;
	uint64_t unexplained_ns;
	enum interval_time_source source;
};

static void put_cpi(struct cursor *c, uint64_t cycles, uint64_t instructions)
{
	uint32_t word[2];

	figure_cpi_words(cycles, instructions, word);
	cursor_put_pair(c, word);
}

static void put_busy(struct cursor *c, const struct counter_interval_cpu *counts)
{
	uint32_t word[2];

	figure_busy_words(counts, word);
	cursor_put_pair(c, word);
}

/* ------------------------------------------------------------------------ data hooks */

static uint32_t summary_words(const struct group *g)
{
	return CPI_SUMMARY_RAW + (uint32_t)cpi_summary_ratio_words(g->types, g->i->cpus) +
	       ((g->spec->mode & CPI_TYPE_ONTHREAD) ? 2 : 0);
}

/* Without instructions and busy there is no ratio of a processor. */
static void write_summary(struct group *g)
{
	const struct counter_interval *i = g->i;
	struct cursor c = frame_record(&g->f, CPI_MAJOR, CPI_MINOR_SUMMARY, summary_words(g));

	cursor_put_word(&c, g->types | ((g->spec->mode & CPI_TYPE_ONTHREAD) ? CPI_HOOK_THREAD : 0));
	cursor_put_word(&c, i->cpus);
	cursor_put_elapsed(&c, &g->f);
	if (!i->counted) {
		cursor_put_zeros(&c, i->cpus + 1);
	} else {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
			put_cpi(&c, i->cpu[cpu].cycles, i->cpu[cpu].instructions);
		put_cpi(&c, g->sum->cycles, g->sum->instructions);
	}
	if (g->types & CPI_HOOK_BUSY) {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++) {
			put_cpi(&c, i->cpu[cpu].busy, i->cpu[cpu].instructions);
			put_busy(&c, &i->cpu[cpu]);
		}
		put_cpi(&c, g->sum->busy, g->sum->instructions);
		put_busy(&c, g->sum);
	}
	if (g->spec->mode & CPI_TYPE_ONTHREAD)
		put_cpi(&c, i->thread_cycles, i->thread_instructions);
}

/* The words of put_counts. */
static uint32_t counts_words(const struct group *g)
{
	return g->types & CPI_HOOK_BUSY ? 12 : 6;
}

/* Instructions, cycles, CPI and, with busy, the same of the cycles not idle. */
static void put_counts(struct cursor *c, const struct counter_interval_cpu *counts, uint32_t types)
{
	cursor_put_count(c, counts->instructions);
	cursor_put_count(c, counts->cycles);
	put_cpi(c, counts->cycles, counts->instructions);
	if (types & CPI_HOOK_BUSY) {
		cursor_put_count(c, counts->busy);
		put_cpi(c, counts->busy, counts->instructions);
		put_busy(c, counts);
	}
}

enum { SYSTEM_HEAD_WORDS = 3, PER_CPU_HEAD_WORDS = 4, THREAD_WORDS = 9 };

static void add_detailed(struct group *g)
{
	frame_add(&g->f, SYSTEM_HEAD_WORDS + counts_words(g));
	frame_add(&g->f, PER_CPU_HEAD_WORDS + g->i->cpus * counts_words(g));
	if (g->spec->mode & CPI_TYPE_ONTHREAD)
		frame_add(&g->f, THREAD_WORDS);
}

static void write_detailed(struct group *g)
{
	const struct counter_interval *i = g->i;
	struct cursor c = frame_record(
		&g->f, CPI_MAJOR, CPI_MINOR_SYSTEM, SYSTEM_HEAD_WORDS + counts_words(g));

	cursor_put_word(&c, g->types);
	cursor_put_elapsed(&c, &g->f);
	put_counts(&c, g->sum, g->types);

	c = frame_record(&g->f, CPI_MAJOR, CPI_MINOR_PER_CPU,
		PER_CPU_HEAD_WORDS + i->cpus * counts_words(g));
	cursor_put_word(&c, g->types);
	cursor_put_word(&c, i->cpus);
	cursor_put_elapsed(&c, &g->f);
	for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
		put_counts(&c, &i->cpu[cpu], g->types);

	if (!(g->spec->mode & CPI_TYPE_ONTHREAD))
		return;
	c = frame_record(&g->f, CPI_MAJOR, CPI_MINOR_THREAD, THREAD_WORDS);
	cursor_put_word(&c, g->spec->tid);
	cursor_put_elapsed(&c, &g->f);
	cursor_put_count(&c, i->thread_instructions);
	cursor_put_count(&c, i->thread_cycles);
	put_cpi(&c, i->thread_cycles, i->thread_instructions);
}

/* ------------------------------------------------------------ what the thread did */

static uint32_t known_bit(uint64_t figure, uint32_t bit)
{
	return figure != NOT_MEASURED ? bit : 0;
}

static uint32_t quality_known(const struct counter_interval *i)
{
	const struct counter_activity *activity = &i->activity;

	if (!i->thread_known)
		return 0;
	return known_bit(activity->on_cpu_ns, CPI_KNOWN_ON_CPU) |
	       known_bit(activity->switches, CPI_KNOWN_SWITCHES) |
	       known_bit(activity->migrations, CPI_KNOWN_MIGRATIONS) |
	       known_bit(activity->faults, CPI_KNOWN_FAULTS);
}

/* Own cost of an interval of this kind, without reading events; 0: unknown. */
static uint32_t group_own_pair(const struct group_spec *spec)
{
	return spec->own && !(spec->more && spec->more->events) ? spec->own->pair : 0;
}

/* The figures of the time hook. It leaves out those that the quality hook has, and the run time of
 * a thread that was not switched: it ran all the time. */
static uint32_t time_known(const struct group *g)
{
	const struct counter_interval *i = g->i;
	uint32_t known = known_bit(i->unexplained_ns, INTERVAL_KNOWN_UNEXPLAINED);

	if (!(g->spec->types & CPI_TYPE_TRACE_QUALITY))
		known |= known_bit(i->activity.switches, INTERVAL_KNOWN_SWITCHES);
	if (!(g->spec->types & CPI_TYPE_TRACE_QUALITY) && !i->stayed)
		known |= known_bit(i->activity.on_cpu_ns, INTERVAL_KNOWN_ON_CPU);
	if (group_own_pair(g->spec))
		known |= INTERVAL_KNOWN_OWN_COST;
	if (!i->stayed && i->activity.cpu != COUNTER_NO_CPU)
		known |= INTERVAL_KNOWN_START_CPU;
	return known;
}

/* Two words of each figure, and of the own cost; one of the processor. */
static uint32_t group_known_words(uint32_t known)
{
	return 2 * ((known & 1) + (known >> 1 & 1) + (known >> 2 & 1) + (known >> 3 & 1)) +
	       (known >> 4 & 1);
}

static uint32_t quality_words(const struct group *g)
{
	return CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * COUNTER_QUANTITIES +
	       group_known_words(g->known);
}

static uint32_t time_words(const struct group *g)
{
	return INTERVAL_TIME_WORD_FIRST + group_known_words(g->known_time);
}

static void put_quality(struct cursor *c, const struct group *g)
{
	const struct counter_interval *i = g->i;
	const struct counter_activity *activity = &g->activity;
	const uint32_t known = g->known;

	cursor_put_word(c, i->flags);
	cursor_put_word(c, known);
	cursor_put_count(c, g->f.elapsed);
	cursor_put_word(c, COUNTER_QUANTITIES);
	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		cursor_put_word(c, i->quality[q].source);
		cursor_put_count(c, i->quality[q].enabled);
		cursor_put_count(c, i->quality[q].running);
	}
	if (known & CPI_KNOWN_ON_CPU)
		cursor_put_activity(c, activity->on_cpu_ns);
	if (known & CPI_KNOWN_SWITCHES)
		cursor_put_activity(c, activity->switches);
	if (known & CPI_KNOWN_MIGRATIONS)
		cursor_put_activity(c, activity->migrations);
	if (known & CPI_KNOWN_FAULTS)
		cursor_put_count(c, activity->faults);
}

static void write_quality(struct group *g)
{
	struct cursor c = frame_record(&g->f, CPI_MAJOR, CPI_MINOR_QUALITY, quality_words(g));

	put_quality(&c, g);
}

static void write_time(struct group *g)
{
	const struct counter_interval *i = g->i;
	struct cursor c = frame_record(&g->f, INTERVAL_MAJOR, INTERVAL_MINOR_TIME, time_words(g));

	cursor_put_word(&c, (uint32_t)g->source);
	cursor_put_word(&c, g->known_time);
	cursor_put_elapsed(&c, &g->f);
	if (g->known_time & INTERVAL_KNOWN_ON_CPU)
		cursor_put_activity(&c, g->activity.on_cpu_ns);
	if (g->known_time & INTERVAL_KNOWN_SWITCHES)
		cursor_put_activity(&c, g->activity.switches);
	if (g->known_time & INTERVAL_KNOWN_UNEXPLAINED)
		cursor_put_activity(&c, g->unexplained_ns);
	if (g->known_time & INTERVAL_KNOWN_OWN_COST) {
		cursor_put_word(&c, g->spec->own->inside);
		cursor_put_word(&c, g->spec->own->pair);
	}
	if (g->known_time & INTERVAL_KNOWN_START_CPU)
		cursor_put_word(&c, i->activity.cpu);
}

/* ------------------------------------------------------------------------- arguments */

static uint32_t args_words(const struct args *args)
{
	return INTERVAL_ARGS_WORD_FIRST + INTERVAL_ARG_WORDS * args->count;
}

static void write_args(
	struct group *g, const struct args *args, struct args_shape *shape, bool is_stale)
{
	struct cursor c = frame_record_texts(&g->f, INTERVAL_MAJOR, INTERVAL_MINOR_ARGS,
		args_words(args), shape->texts, shape->string_bytes);

	if (is_stale)
		args_forget_names(args, shape);
	cursor_put_word(&c, args->count);
	cursor_put_word(&c, shape->texts);
	cursor_put_elapsed(&c, &g->f);
	args_write_strings(args_write_words(c.at, args, shape), args, shape);
}

/* ------------------------------------------------------------------------- the group */

/* Finds the sizes. sum: filled if it is needed. */
static void group_prepare(struct group *g, const struct group_spec *spec,
	const struct counter_interval *i, struct counter_interval_cpu *sum)
{
	g->spec = spec;
	g->i = i;
	g->sum = sum;
	g->types = CPI_HOOK_RAW;
	g->known = 0;
	g->has_time = i->thread_known && i->activity_source != INTERVAL_TIME_NONE;
	if (i->counted || (spec->types & CPI_TYPE_TRACE_DETAILED))
		figure_sums(i, sum);
	if ((spec->mode & CPI_TYPE_SCALED) && i->counted && figure_busy_known(sum))
		g->types |= CPI_HOOK_BUSY;
	frame_open(&g->f, CPI_MAJOR, spec->mm, spec->label);
	if (spec->types & CPI_TYPE_TRACE_SUMMARY)
		frame_add(&g->f, summary_words(g));
	if (spec->types & CPI_TYPE_TRACE_DETAILED)
		add_detailed(g);
	if (spec->types & CPI_TYPE_TRACE_QUALITY) {
		g->known = quality_known(i);
		frame_add(&g->f, quality_words(g));
	}
	if (g->has_time) {
		g->known_time = time_known(g);
		frame_add(&g->f, time_words(g));
	}
}

static void group_extend_activity(struct group *g, const struct hook_time *at)
{
	const struct counter_interval *i = g->i;
	struct counter_activity *activity = &g->activity;
	const uint64_t stamp = g->f.w.stamp;

	*activity = i->activity;
	g->source = i->activity_source;
	g->unexplained_ns = i->unexplained_ns;
	/* A switched interval records the processor of its start. */
	if (!i->stayed && at && stamp == at->ticks)
		return;
	if (!image_activity_lasts(i, at, &g->f.w)) {
		activity->on_cpu_ns = activity->switches = activity->migrations =
			g->unexplained_ns = NOT_MEASURED;
		g->source = INTERVAL_TIME_NONE;
	} else if (!i->stayed && at && stamp > at->ticks && activity->on_cpu_ns != NOT_MEASURED) {
		/* Add what the thread's clock counted: the thread may have been switched since
		 * `at`. */
		uint64_t ran = activity_time_since_end(i),
			 all = rate_ns_of_ticks(stamp - at->ticks);

		activity->on_cpu_ns += ran < all ? ran : all;
	}
}

static void group_fill(struct group *g)
{
	frame_label(&g->f, CPI_MINOR_LABEL_START);
	if (g->spec->types & CPI_TYPE_TRACE_SUMMARY)
		write_summary(g);
	if (g->spec->types & CPI_TYPE_TRACE_DETAILED)
		write_detailed(g);
	if (g->spec->types & CPI_TYPE_TRACE_QUALITY)
		write_quality(g);
	frame_label(&g->f, CPI_MINOR_LABEL_END);
	if (g->has_time)
		write_time(g);
}

/* Not inlined: keeps registers free for group_write_stayed, the usual path. */
__attribute__((noinline)) int group_write(const struct group_spec *spec,
	const struct counter_interval *i, uint64_t start_ticks, const struct hook_time *at,
	uint64_t *elapsed)
{
	static const struct group_more nothing;
	const struct group_more *more = spec->more ? spec->more : &nothing;
	const struct ring_map *map = NULL;
	struct counter_interval_cpu sum;
	struct args_shape shape;
	struct group g;
	int rc;

	group_prepare(&g, spec, i, &sum);
	if (more->events || more->args) {
		attach_ready(CPI_MAJOR); /* names are of the rings that are written to */
		map = ring_self.map;
	}
	if (more->events)
		events_add(more->events, &g.f);
	if (more->args) {
		args_find_shape(more->args, &shape);
		frame_add_texts(&g.f, args_words(more->args), shape.string_bytes);
	}
	if (more->begin)
		frame_add(&g.f, INTERVAL_OVER_WORDS);
	rc = frame_begin(&g.f, start_ticks, at);
	if (rc != HOOK_RESERVED)
		return rc;
	*elapsed = g.f.elapsed;
	group_extend_activity(&g, at);
	group_fill(&g);
	/* Stale if a signal handler attached the thread to other rings. */
	if (more->events)
		events_write(more->events, &g.f, ring_self.map != map);
	if (more->args)
		write_args(&g, more->args, &shape, ring_self.map != map);
	if (more->begin)
		begins_put_over(&g.f.w, INTERVAL_MAJOR, spec->mm, more->begin);
	hook_commit(&g.f.w);
	return PU_SUCCESS;
}

/* ------------------------------------------------------------------------- its image */

_Static_assert(REC_MINOR == REC_MAJOR + 4, "copied together");
_Static_assert(CPI_SUMMARY_ELAPSED == 2 && CPI_QUALITY_ELAPSED == 2 &&
		       INTERVAL_TIME_WORD_ELAPSED == 2 && CPI_LABEL_ELAPSED == 0,
	"as image_find_places takes them");

size_t group_image_size(uint32_t cpus)
{
	return sizeof(struct group_image) + 2 * rec_size(2, rec_string_bytes(IMAGE_LABEL_MOST)) +
	       rec_size(CPI_SUMMARY_RAW + 2 * (cpus + 1) + 2, 0) +
	       rec_size(CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * CPI_QUANTITIES +
				CPI_QUALITY_LIFE * CPI_QUALITY_LIFE_WORDS,
		       0) +
	       rec_size(INTERVAL_TIME_WORDS, 0);
}

static bool image_is_of(const struct group_image *image, const struct group_spec *spec,
	const struct counter_interval *i)
{
	if (image->cpus != i->cpus || !group_image_is_for(image, spec->types, spec->mm,
					      group_own_pair(spec), spec->label))
		return false;
	return !(spec->types & CPI_TYPE_TRACE_QUALITY) || image->known == quality_known(i);
}

/* Finds the records and the words to be replaced in them. */
static void image_find_places(struct group_image *image, bool counted)
{
	uint32_t at = 0;

	for (uint32_t n = 0; n < image->hooks; n++) {
		const uint8_t *record = image->record + at;
		uint32_t control = n ? get_le32(record + REC_CONTROL) : image->first_control;

		image->place[n].record = at;
		image->place[n].elapsed = at + REC_DATA + (record[REC_NSTRINGS] ? 0 : 8);
		const uint32_t kind = get_le32(record + REC_MINOR) & CPI_MINOR_KIND;

		if (kind == CPI_MINOR_QUALITY)
			image->quality = at + REC_DATA;
		if (record[REC_MAJOR] == INTERVAL_MAJOR)
			image->time = at + REC_DATA;
		/* No processor was counted, so the summary has no busy words. */
		if (counted && kind == CPI_MINOR_SUMMARY && record[REC_MAJOR] == CPI_MAJOR)
			image->cpi = at + REC_DATA + 4 * (CPI_SUMMARY_RAW + 2 * (image->cpus + 1));
		at += rec_control_size(control);
	}
}

/* False: the label is too long. */
static __attribute__((noinline)) bool image_make(
	struct group_image *image, const struct group_spec *spec, const struct counter_interval *i)
{
	struct group g;

	image->key = 0;
	if (spec->label && strlen(spec->label) > IMAGE_LABEL_MOST)
		return false;
	group_prepare(&g, spec, i, NULL);
	g.f.w = (struct hook_writer){.first = image->record, .at = image->record};
	g.f.elapsed = 0;
	g.activity = i->activity;
	g.unexplained_ns = i->unexplained_ns;
	g.source = i->activity_source;
	group_fill(&g);
	image->key = image_key(spec->types, spec->mm, spec->label);
	image->cpus = i->cpus;
	image->known = g.known;
	image->own_pair = group_own_pair(spec);
	if (spec->label)
		strcpy(image->label, spec->label);
	image->first_control = g.f.w.first_control;
	image->bytes = g.f.bytes;
	image->hooks = g.f.hooks;
	image->cpi = image->quality = image->time = 0;
	/* Only the summary of such an instance has words for the thread. */
	image_find_places(
		image, spec->mode & CPI_TYPE_ONTHREAD && i->thread_instructions != NOT_MEASURED);
	return true;
}

__attribute__((noinline)) int group_write_events(const struct group_image *image,
	struct events *events, const struct counter_interval *i, uint64_t start_ticks,
	const struct hook_time *at, uint64_t *elapsed)
{
	int saved = errno, rc;

	if (!events_are_read(events))
		return group_write_image(image, NULL, i, start_ticks, at, elapsed);
	attach_ready(CPI_MAJOR); /* names are of the rings that are written to */
	rc = group_write_image(image, events, i, start_ticks, at, elapsed);
	errno = saved;
	return rc;
}

int group_write_stayed(struct group_image *image, const struct group_spec *spec,
	const struct counter_interval *i, uint64_t start_ticks, const struct hook_time *at,
	uint64_t *elapsed)
{
	const struct group_more *more = spec->more;

	if ((more && (more->args || more->begin)) ||
		(!image_is_of(image, spec, i) && !image_make(image, spec, i)))
		return group_write(spec, i, start_ticks, at, elapsed);
	if (more && more->events)
		return group_write_events(image, more->events, i, start_ticks, at, elapsed);
	return group_write_image(image, NULL, i, start_ticks, at, elapsed);
}
