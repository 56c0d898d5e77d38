/*
 * Light intervals: the functions behind swtrace.h.
 *
 * An interval is recorded if it ends in the period in which it began: the time during which tracing
 * was on without a break, in one session and one process.
 *
 * A thread's open intervals are in its own memory, which signal handlers use, too: a step that a
 * handler may interrupt reserves before it fills, and a handler leaves everything as it was.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "../../../formats/base/hash.h"
#include "../../../formats/scope_hooks.h"
#include "../../counters/thread/activity.h"
#include "../../ring/reserve.h"
#include "../../session/attach.h"
#include "../../session/member.h"
#include "../../session/threads.h"
#include "args.h"
#include "begins.h"
#include "cost.h"

#undef SwtraceEnd

_Static_assert(SWTRACE_SCOPE_MAJOR == SCOPE_MAJOR, "one major");
_Static_assert(sizeof(struct activity_start) == sizeof((swtrace_scope_ *)0)->life, "kept there");

/*
 * A thread's open intervals. Arguments and texts lie on a stack of their own. Intervals that do not
 * nest (coroutines), and blocks that longjmp left, may overwrite data that another one keeps there:
 * a differing serial number means the data was overwritten. Such data is neither read nor a place
 * to lower the stack to, which may be in the middle of what an open interval keeps.
 */
struct scope_thread {
	uint64_t period; /* of the members below */
	uint64_t serial; /* the last one */
	uint32_t depth;	 /* may exceed SWT_DEPTH_MAX */
	uint32_t used;	 /* bytes of `memory` */
	swtrace_scope_ begun[SWT_DEPTH_MAX];
	uint8_t memory[];
};

/* On that stack: a label's text, padded to 8 bytes, and struct args follow. */
struct kept {
	uint64_t serial;
};

#define MEMORY_BYTES (RING_BLOCK_BYTES - sizeof(struct scope_thread))
_Static_assert(sizeof(struct scope_thread) < RING_BLOCK_BYTES / 2, "room for arguments");

/* ------------------------------------------------------------------------ periods */

static __attribute__((noinline)) bool scope_attach(void)
{
	if (__atomic_load_n(&ring_gate_page()->gate[SCOPE_MAJOR], __ATOMIC_RELAXED) == 0)
		return false;
	attach_thread(0);
	return ring_thread_may_write(&ring_self, SCOPE_MAJOR);
}

/* Whether the interval began in this period, on this thread. */
static inline bool scope_is_here(const swtrace_scope_ *s)
{
	return s->period == begins_period() && s->writer == ring_self.number;
}

static inline bool scope_is_on(void)
{
	return likely(ring_thread_may_write(&ring_self, SCOPE_MAJOR)) || scope_attach();
}

/* ------------------------------------------------------------------------- memory */

/* NULL also if the thread's end will not be seen: nothing would free the memory. */
static __attribute__((noinline)) struct scope_thread *scope_make_thread(void)
{
	if (ring_self.ending || !ring_self.entry || !ring_self.entry->keyed)
		return NULL;
	void *p = mmap(
		NULL, RING_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *none = NULL;

	if (p == MAP_FAILED)
		return NULL;
	/* Start at a large random number: arguments, most of them small numbers, may overwrite a
	 * serial number. */
	((struct scope_thread *)p)->serial = hash_add_u64(0, clock_read());
	/* A signal handler may have come first. */
	if (!__atomic_compare_exchange_n(
		    &ring_self.block, &none, p, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		munmap(p, RING_BLOCK_BYTES);
	return ring_self.block;
}

/* The thread's, emptied in a new period. NULL: no memory. */
static struct scope_thread *scope_find_thread(uint64_t period)
{
	struct scope_thread *t = ring_self.block;

	if (unlikely(!t))
		t = scope_make_thread();
	if (t && unlikely(t->period != period)) {
		t->depth = t->used = 0;
		t->period = period;
	}
	return t;
}

static size_t scope_align(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

/* Special values of `kept`: out of room; begin hook only. */
#define SCOPE_LOST UINT32_MAX
#define SCOPE_NOTHING (UINT32_MAX - 1)

/* A flag above the bits of a kept text's length: the interval has a begin hook. */
#define SCOPE_HAS_BEGUN 0x80000000u

static void scope_keep_args(uint8_t *to, size_t room, UINT32 nargs, const SWT_ARG *args)
{
	size_t used;

	memset(to + room - 8, 0, 8);
	used = args_copy((struct args *)(void *)to, room, nargs, args);
	if (unlikely(used < room))
		memset(to + used, 0, room - used);
}

/* Keeps the label's text and the arguments until the interval ends, or as much as there is room
 * for. */
static void scope_keep(struct scope_thread *t, swtrace_scope_ *s, const char *text, uint32_t length,
	UINT32 nargs, const SWT_ARG *args)
{
	size_t room = MEMORY_BYTES - t->used, fixed = sizeof(struct kept) + scope_align(length);
	size_t bytes = fixed + args_bytes(nargs, args);
	uint8_t *p = t->memory + t->used;
	uint32_t at = t->used;

	s->kept = SCOPE_LOST;
	if (fixed + sizeof(struct args) > room)
		return;
	if (bytes > room)
		bytes = room & ~(size_t)7;
	t->used = at + (uint32_t)bytes;
	/* Compiler barrier: raise `used` before a handler can add its data. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	s->serial = ((struct kept *)(void *)p)->serial = ++t->serial;
	/* Padding is written too: every serial number below is overwritten. */
	if (length) {
		memset(p + fixed - 8, 0, 8);
		memcpy(p + sizeof(struct kept), text, length);
	}
	/* Look names up before the clock is read: the first use of a name is slow. The copies
	 * have its number. */
	for (UINT32 i = 0; i < nargs; i++)
		attach_find_label(args[i].name->text, args[i].name->length, &args[i].name->number);
	scope_keep_args(p + fixed, bytes - fixed, nargs, args);
	s->kept = at + 1;
	s->text = length;
}

/* The interval's kept data, or NULL. */
static const uint8_t *scope_kept(const swtrace_scope_ *s)
{
	const struct scope_thread *t = ring_self.block;
	const uint8_t *p;

	if (!t || !s->kept || s->kept > t->used)
		return NULL;
	p = t->memory + s->kept - 1;
	return ((const struct kept *)(const void *)p)->serial == s->serial ? p : NULL;
}

static void scope_drop_kept(struct scope_thread *t, const swtrace_scope_ *s)
{
	if (t && scope_kept(s))
		t->used = s->kept - 1;
}

/* ------------------------------------------------------------------------ writing */

/* Returns `base`, the writer's cost kinds, with those of the scope's begin hook and kept data. */
static unsigned scope_cost_kind_of(const swtrace_scope_ *s, unsigned base)
{
	const bool begun = s->kept && s->text & SCOPE_HAS_BEGUN;

	return base | (s->kept && s->kept != SCOPE_NOTHING ? SCOPE_COST_KEPT : 0) |
	       (begun ? SCOPE_COST_BEGINS : 0);
}

/* The thread's activity in an interval, as far as it is known. */
struct scope_time {
	uint32_t known;
	uint32_t cpu; /* where it began */
	struct activity_since since;
};

static inline struct scope_time scope_measure_time(const swtrace_scope_ *s)
{
	const struct activity_start *activity = (const void *)s->life;
	struct scope_time time = {.known = SCOPE_KNOWN_NO_SWITCH};

	if (likely(activity_stayed_since(activity)))
		return time;
	time.known = activity_read_since(activity, s->start, &time.since)
			     ? SCOPE_KNOWN_SWITCHES | SCOPE_KNOWN_ON_CPU
			     : 0;
	time.cpu = activity->cpu;
	if (activity->page && time.cpu != COUNTER_NO_CPU)
		time.known |= SCOPE_KNOWN_START_CPU;
	return time;
}

static uint32_t scope_time_words(const struct scope_time *time)
{
	return (time->known & SCOPE_KNOWN_SWITCHES ? 4 : 0) +
	       (time->known & SCOPE_KNOWN_START_CPU ? 1 : 0);
}

static uint8_t *scope_put_time(
	uint8_t *p, const swtrace_scope_ *s, const struct scope_time *time, uint64_t end)
{
	if (time->known & SCOPE_KNOWN_SWITCHES) {
		struct activity_since since = time->since;

		activity_extend_since((const void *)s->life, &since, end);
		put_hl64(p, since.switches);
		put_hl64(p + 8, since.on_cpu_ns);
		p += 16;
	}
	if (time->known & SCOPE_KNOWN_START_CPU) {
		put_le32(p, time->cpu);
		p += 4;
	}
	return p;
}

static inline void scope_put_head(uint8_t *p, const struct hook_writer *w, const swtrace_scope_ *s,
	uint32_t known, uint32_t label)
{
	uint64_t elapsed = w->stamp > s->start ? w->stamp - s->start : 0;

	/* A switch between the last check and the stamp, or one that a stopped page hid. */
	if (known & SCOPE_KNOWN_NO_SWITCH &&
		unlikely(!activity_stayed_for((const void *)s->life, elapsed)))
		known &= ~SCOPE_KNOWN_NO_SWITCH;
	put_le32(p + 4 * SCOPE_WORD_KNOWN, known);
	put_le32(p + 4 * SCOPE_WORD_LABEL, label);
	put_hl64(p + 4 * SCOPE_WORD_ELAPSED, elapsed);
}

/* Each scope_write function returns the hook's stamp; 0: there is none. */

/* With arguments, or a label that has no number. */
static __attribute__((noinline)) uint64_t scope_write_kept(
	const swtrace_scope_ *s, const struct scope_time *time, unsigned base)
{
	static const struct args none, lost = {.is_cut = true};
	const struct ring_map *map = ring_self.map;
	const uint8_t *kept = s->kept ? scope_kept(s) : NULL;
	const struct args *args = s->kept && s->kept != SCOPE_NOTHING ? &lost : &none;
	const bool begun = s->text & SCOPE_HAS_BEGUN;
	const char *text = NULL;
	uint32_t known = time->known, number = s->number, length = 0, nwords;
	struct args_shape shape;
	struct hook_writer w;
	uint8_t *p;

	if (kept) {
		length = s->text & ~SCOPE_HAS_BEGUN;
		args = (const void *)(kept + sizeof(struct kept) + scope_align(length));
		text = (const char *)kept + sizeof(struct kept);
	} else if (!number && s->label && s->label->length <= SHM_LABEL_TEXT_MAX) {
		text = s->label->text;
		length = s->label->length;
	}
	known |= (length ? SCOPE_KNOWN_TEXT : 0) | (args->is_cut ? SCOPE_KNOWN_ARGS_CUT : 0) |
		 scope_cost_known(scope_cost_kind_of(s, base));
	args_find_shape(args, &shape);
	if (length) {
		shape.texts++;
		shape.string_bytes += rec_string_bytes(length);
	}
	nwords = SCOPE_ARGS_FIRST + scope_time_words(time) + INTERVAL_ARG_WORDS * args->count;
	if (hook_begin(&w, SCOPE_MAJOR,
		    rec_size(nwords, shape.string_bytes) + (begun ? begins_over_bytes() : 0),
		    begun ? 2 : 1) != HOOK_RESERVED)
		return 0;
	if (unlikely(ring_self.map != map)) {
		number = number ? INTERVAL_LABEL_UNKNOWN : 0;
		args_forget_names(args, &shape);
	}
	p = hook_record(&w, SCOPE_MAJOR, SCOPE_MINOR_ARGS, nwords, shape.texts, shape.string_bytes);
	scope_put_head(p, &w, s, known, number);
	put_le32(p + 4 * SCOPE_WORD_ARGUMENTS, args->count);
	put_le32(p + 4 * SCOPE_WORD_TEXTS, shape.texts);
	p = scope_put_time(p + 4 * SCOPE_ARGS_FIRST, s, time, w.stamp);
	p = args_write_words(p, args, &shape);
	if (length)
		p = hook_string(p, text, length);
	args_write_strings(p, args, &shape);
	if (begun)
		begins_put_over(&w, SCOPE_MAJOR, 0, s->begin);
	hook_commit(&w);
	return w.stamp;
}

/* After a switch, or with more than a label's number. */
static __attribute__((noinline)) uint64_t scope_write_all(const swtrace_scope_ *s, unsigned base)
{
	const struct scope_time time = scope_measure_time(s);
	const struct ring_map *map = ring_self.map;
	uint32_t nwords = SCOPE_PLAIN_FIRST + scope_time_words(&time);
	uint32_t number = s->number;
	struct hook_writer w;
	uint8_t *p;

	if (s->kept || (!number && s->label && s->label->length))
		return scope_write_kept(s, &time, base);
	if (hook_begin(&w, SCOPE_MAJOR, rec_size(nwords, 0), 1) != HOOK_RESERVED)
		return 0;
	/* A signal handler attached the thread to other rings. */
	if (unlikely(ring_self.map != map) && number)
		number = INTERVAL_LABEL_UNKNOWN;
	p = hook_record(&w, SCOPE_MAJOR, SCOPE_MINOR_PLAIN, nwords, 0, 0);
	scope_put_head(p, &w, s, time.known | scope_cost_known(base), number);
	scope_put_time(p + 4 * SCOPE_PLAIN_FIRST, s, &time, w.stamp);
	hook_commit(&w);
	return w.stamp;
}

/* Fast path for a hook with a label's number and no switch, in one reservation, which stores writer
 * and stamp. Returns 0 also if the hook needs more. */
static inline uint64_t scope_write_plain(const swtrace_scope_ *s, unsigned base)
{
	enum { BYTES = REC_HEADER_SIZE + 4 * SCOPE_PLAIN_FIRST };
	const struct ring_map *map = ring_self.map;
	uint32_t number = s->number;
	struct hook_writer w;

	if (unlikely(s->kept || (!number && s->label && s->label->length) ||
		     !activity_stayed_since((const void *)s->life)) ||
		!hook_begin_fast(&w, SCOPE_MAJOR, BYTES))
		return 0;
	if (unlikely(ring_self.map != map) && number)
		number = INTERVAL_LABEL_UNKNOWN;
	put_le64(w.first + REC_MAJOR, SCOPE_MAJOR | (uint64_t)SCOPE_PLAIN_FIRST << 16 |
					      (uint64_t)SCOPE_MINOR_PLAIN << 32);
	scope_put_head(
		w.first + REC_DATA, &w, s, SCOPE_KNOWN_NO_SWITCH | scope_cost_known(base), number);
	w.first_control = BYTES | REC_KIND_HOOK | REC_COMMITTED;
	hook_commit(&w);
	return w.stamp;
}

static inline uint64_t scope_write(const swtrace_scope_ *s, unsigned base)
{
	const uint64_t stamp = scope_write_plain(s, base);

	return likely(stamp) ? stamp : scope_write_all(s, base);
}

/* Asking the kernel after a switch is not the usual cost. */
static bool scope_is_usual(const swtrace_scope_ *s)
{
	const struct activity_start *activity = (const void *)s->life;

	return !activity->page || activity_stayed_since(activity);
}

/* One whose begin was measured. */
static __attribute__((noinline, cold)) void scope_write_sample(const swtrace_scope_ *s)
{
	const bool usual = scope_is_usual(s);
	const uint64_t entered = clock_read(), stamp = scope_write(s, 0);
	const uint64_t left = clock_read();

	if (usual && stamp)
		scope_cost_add(scope_cost_kind_of(s, 0), s->cost, entered, stamp, left);
}

/* ------------------------------------------------------------------------- begins */

static void scope_write_begin(swtrace_scope_ *s, const char *text, size_t length)
{
	const struct begin_hook what = {.major = SCOPE_MAJOR,
		.gate = SCOPE_MAJOR,
		.number = s->number,
		.text = text,
		.length = s->number || length > SHM_LABEL_TEXT_MAX ? 0 : (uint32_t)length};

	s->begin = begins_write(&what);
	if (!s->begin)
		return;
	s->text |= SCOPE_HAS_BEGUN;
	if (!s->kept)
		s->kept = SCOPE_NOTHING;
}

/* Out of line, with no parameter but s: its caller saves fewer registers. */
static __attribute__((noinline, cold)) void scope_write_begin_of_label(swtrace_scope_ *s)
{
	scope_write_begin(s, s->label->text, s->label->length);
}

/* It will have no hook. */
static void scope_drop_begin(const swtrace_scope_ *s)
{
	if (s->kept && s->text & SCOPE_HAS_BEGUN)
		begins_write_over(SCOPE_MAJOR, SCOPE_MAJOR, 0, s->begin);
}

/* ------------------------------------------------------------------------- scopes */

static inline uint32_t scope_find_label(swtrace_label_ *label)
{
	uint64_t known = __atomic_load_n(&label->number, __ATOMIC_RELAXED);

	/* A retired member stays mapped, with serial 0. */
	return likely(known && known >> 32 == member_of_map(ring_self.map)->labels.serial)
		       ? (uint32_t)known
		       : attach_find_label(label->text, label->length, &label->number);
}

/* Set by each begin, which may open the page. */
__thread UINT32 swtrace_awake_;

/* From the next begin on, the thread's switches need not pay for its page. */
static __attribute__((noinline)) void scope_rest(void)
{
	swtrace_awake_ = 0;
	activity_rest_page(thread_self());
}

int swtrace_rest_(void)
{
	scope_rest();
	return 1;
}

/* Everything slow comes before the clock is read. */
static inline void scope_begin(
	swtrace_scope_ *s, swtrace_label_ *label, UINT32 nargs, const SWT_ARG *args)
{
	struct scope_thread *t;

	if (!scope_is_on())
		return;
	s->cost = 0;
	s->period = begins_period();
	s->writer = ring_self.number;
	s->label = label;
	s->number = scope_find_label(label);
	s->kept = s->text = 0;
	if (unlikely(nargs)) {
		t = scope_find_thread(s->period);
		s->kept = SCOPE_LOST;
		if (t)
			scope_keep(t, s, NULL, 0, nargs, args);
	}
	if (begins_are_on())
		scope_write_begin_of_label(s);
	swtrace_awake_ = 1;
	s->start = activity_begin((struct activity_start *)(void *)s->life);
}

/* Whether a begin of that kind is still sampled. */
static inline bool scope_is_sampled(unsigned base, UINT32 nargs)
{
	return unlikely(scope_cost_is_sampled(
		base | (nargs ? SCOPE_COST_KEPT : 0) | (begins_are_on() ? SCOPE_COST_BEGINS : 0)));
}

/* Out of line: the usual paths save fewer registers. */
static __attribute__((noinline, cold)) void scope_begin_sample(
	swtrace_scope_ *s, swtrace_label_ *label, UINT32 nargs, const SWT_ARG *args)
{
	const uint64_t entered = clock_read();

	scope_begin(s, label, nargs, args);
	if (s->start)
		s->cost = scope_cost_of_begin(entered, s->start);
}

/* Fast path for a begin of a label with a number, without arguments. False: not applicable. */
static inline bool scope_begin_plain(swtrace_scope_ *s, swtrace_label_ *label)
{
	const uint64_t known = __atomic_load_n(&label->number, __ATOMIC_RELAXED);

	if (!ring_self_may_write(SCOPE_MAJOR) || scope_cost_known(0) == 0 || begins_are_on())
		return false;
	s->cost = 0;
	s->period = begins_period();
	s->writer = ring_self.number;
	/* A signal handler that attaches the thread to other rings ends the period: the label's
	 * number is compared after that was read. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (known == 0 || known >> 32 != member_of_map(ring_self.map)->labels.serial)
		return false;
	s->label = label;
	s->number = (uint32_t)known;
	s->kept = s->text = 0;
	swtrace_awake_ = 1;
	s->start = activity_begin_again((struct activity_start *)(void *)s->life);
	return s->start != 0;
}

static __attribute__((noinline)) void scope_begin_rest(
	swtrace_scope_ *s, swtrace_label_ *label, UINT32 nargs, const SWT_ARG *args)
{
	if (scope_is_sampled(0, nargs))
		scope_begin_sample(s, label, nargs, args);
	else
		scope_begin(s, label, nargs, args);
}

void swtrace_scope_begin_(
	swtrace_scope_ *s, swtrace_label_ *label, UINT32 nargs, const SWT_ARG *args)
{
	if (unlikely(nargs || !scope_begin_plain(s, label)))
		scope_begin_rest(s, label, nargs, args);
}

static __attribute__((noinline)) void scope_end_rest(const swtrace_scope_ *s)
{
	if (unlikely(!scope_is_on())) {
		scope_rest();
		return;
	}
	if (unlikely(!scope_is_here(s))) {
		/* In another thread. */
		if (s->period == begins_period())
			scope_drop_begin(s);
		return;
	}
	if (unlikely(s->cost))
		scope_write_sample(s);
	else
		scope_write(s, 0);
	if (unlikely(s->kept))
		scope_drop_kept(ring_self.block, s);
}

void swtrace_scope_end_(const swtrace_scope_ *s)
{
	/* A child of fork lacks the page that was mapped when the scope began; once it attaches, it
	 * has a period of its own. */
	const bool forked = ring_self.epoch != __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED);

	if (unlikely(s->cost || forked || !scope_is_here(s) || !scope_write_plain(s, 0)))
		scope_end_rest(s);
}

/* --------------------------------------------------------------------- begin, end */

/* NULL: it is not recorded. */
static inline swtrace_scope_ *scope_begin_text(const char *label, UINT32 nargs, const SWT_ARG *args)
{
	size_t length = label ? strlen(label) : 0;
	struct scope_thread *t;
	swtrace_scope_ *s;

	if (!scope_is_on())
		return NULL;
	t = scope_find_thread(begins_period());
	if (!t)
		return NULL;
	if (t->depth++ >= SWT_DEPTH_MAX)
		return NULL;
	s = &t->begun[t->depth - 1];
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	s->start = s->cost = 0;
	s->period = t->period;
	s->label = NULL;
	s->kept = s->text = 0;
	if (length > UINT32_MAX)
		length = UINT32_MAX;
	s->number = attach_find_label(label, (uint32_t)length, NULL);
	if (s->number)
		length = 0;
	if (length || nargs)
		scope_keep(t, s, label, (uint32_t)length, nargs, args);
	if (begins_are_on())
		scope_write_begin(s, label, length);
	swtrace_awake_ = 1;
	s->start = activity_begin((struct activity_start *)(void *)s->life);
	return s;
}

static __attribute__((noinline, cold)) void scope_begin_text_sample(
	const char *label, UINT32 nargs, const SWT_ARG *args)
{
	const uint64_t entered = clock_read();
	swtrace_scope_ *s = scope_begin_text(label, nargs, args);

	if (s)
		s->cost = scope_cost_of_begin(entered, s->start);
}

void swtrace_begin_(const char *label, UINT32 nargs, const SWT_ARG *args)
{
	if (scope_is_sampled(SCOPE_COST_BEGUN, nargs))
		scope_begin_text_sample(label, nargs, args);
	else
		scope_begin_text(label, nargs, args);
}

/* The thread's, if it has anything open by name. */
static inline struct scope_thread *scope_find_begun(void)
{
	struct scope_thread *t;

	if (!scope_is_on()) {
		scope_rest();
		return NULL;
	}
	t = scope_find_thread(begins_period());
	return t && t->depth ? t : NULL;
}

/* Returns its hook's stamp; 0: it has none. */
static inline uint64_t scope_end_begun(struct scope_thread *t)
{
	uint64_t stamp = 0;

	if (t->depth <= SWT_DEPTH_MAX) {
		const swtrace_scope_ *s = &t->begun[t->depth - 1];

		if (s->start)
			stamp = scope_write(s, SCOPE_COST_BEGUN);
		scope_drop_kept(t, s);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->depth--;
	return stamp;
}

/* SwtraceEnd of an interval whose begin was measured. The last reading of the clock waits for
 * earlier instructions: it would otherwise overtake the long dependency chains of the stack's
 * lookup. */
static __attribute__((noinline, cold)) void scope_end_begun_sample(const swtrace_scope_ *s)
{
	const unsigned kind = scope_cost_kind_of(s, SCOPE_COST_BEGUN);
	const bool usual = scope_is_usual(s);
	const uint64_t begin = s->cost, entered = clock_read();
	struct scope_thread *t = scope_find_begun();
	const uint64_t stamp = t ? scope_end_begun(t) : 0, left = clock_read_after();

	if (usual && stamp)
		scope_cost_add(kind, begin, entered, stamp, left);
}

void SwtraceEnd(void)
{
	struct scope_thread *t = scope_find_begun();

	if (!t)
		return;
	if (t->depth <= SWT_DEPTH_MAX && unlikely(t->begun[t->depth - 1].cost))
		scope_end_begun_sample(&t->begun[t->depth - 1]);
	else
		scope_end_begun(t);
}

/* Counts only open intervals that began in this period. */
UINT32 SwtraceDepth(void)
{
	const struct scope_thread *t = ring_self.block;

	return t && scope_is_on() && t->period == begins_period() ? t->depth : 0;
}

void SwtraceUnwind(UINT32 depth)
{
	struct scope_thread *t = ring_self.block;
	uint32_t now = SwtraceDepth();

	for (uint32_t i = now < SWT_DEPTH_MAX ? now : SWT_DEPTH_MAX; i > depth; i--) {
		scope_drop_begin(&t->begun[i - 1]);
		scope_drop_kept(t, &t->begun[i - 1]);
	}
	if (depth < now)
		t->depth = depth;
}
