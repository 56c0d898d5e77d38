/* Intervals read by shapes (group/shape.h) are those that the schema's cursor reads. */
#include <stdio.h>
#include <stdlib.h>

#include "../../formats/cpuutil_hooks.h"
#include "../../formats/interval_hooks.h"
#include "../../formats/scope_hooks.h"
#include "../../decoder/model/intervals/intervals.h"
#include "../../decoder/model/hooks/pass.h"
#include "compare.h"
#include "built.h"

/* CLOCK_REALTIME of the tick from which random traces begin, 1 ns a tick. */
#define FIRST_NS INT64_C(4999999100)

static const uint32_t kinds[] = {CPI_MINOR_LABEL_START, CPI_MINOR_SUMMARY, CPI_MINOR_SYSTEM,
	CPI_MINOR_PER_CPU, CPI_MINOR_THREAD, CPI_MINOR_QUALITY, CPI_MINOR_LABEL_END};

/* Words that mostly make sense where they stand in some hook, and sometimes none at all. */
static uint32_t random_word(uint64_t *seed)
{
	static const uint32_t likely[] = {0, 0, 0, 1, 2, 3, 7, 15, 50, 5000};
	uint32_t r = random31(seed);

	return r % 64 ? likely[r / 64 % 10] : random31(seed) << 1 ^ r;
}

/* Often a hook of the last one's group, of any length, with any words. */
static void put_any(struct bytes *b, uint64_t *seed, uint64_t *stamp)
{
	static const char *const labels[] = {"a", "b", "", "a longer label"};
	uint32_t words[96];
	uint32_t kind = kinds[random31(seed) % 7];
	unsigned most = random31(seed) % 4 ? 96 : 16, n = random31(seed) % most;
	const char *strings[] = {labels[random31(seed) % 4], labels[random31(seed) % 4], NULL};

	for (unsigned i = 0; i < n; i++)
		words[i] = random_word(seed);
	if (random31(seed) % 8 == 0)
		kind = random31(seed) % 2 ? 0x30000000 : 0x100;
	if (random31(seed) % 3 == 0)
		*stamp += random31(seed) % 5;
	put_hook(b, *stamp, random31(seed) % 16 ? 1 : 2,
		random31(seed) % 32 ? random31(seed) % 3 ? CPI_MAJOR : CPUUTIL_MAJOR : 0x10,
		kind | (random31(seed) % 16 == 0), n, words, strings + random31(seed) % 3);
}

/* The hook at `at` becomes none, or comes after something that is none. */
static void break_hook(struct bytes *b, size_t at, uint64_t *seed)
{
	switch (random31(seed) % 3) {
	case 0:
		b->p[at + 3] &= 0x7f; /* not committed */
		break;
	case 1:
		b->p[at + REC_NSTRINGS] = 200;
		break;
	default:
		put_pad(b, 16);
		break;
	}
}

/* The hooks of a real group, but for a word here and there. */
static void put_nearly(struct bytes *b, uint64_t *seed, uint64_t *stamp)
{
	uint32_t cpus = 1 + random31(seed) % 3, types = random31(seed) % 8, words[64] = {0};

	*stamp += 1 + random31(seed) % 50;
	for (unsigned k = 0; k < 7; k++) {
		const char *label[] = {"same", NULL};
		unsigned n = 2;

		for (unsigned i = 0; i < 64; i++)
			words[i] = random31(seed) % 3;
		uint32_t head[] = {types, cpus, 0, 100};
		switch (kinds[k]) {
		case CPI_MINOR_SUMMARY:
			n = 6 + 2 * cpus + (types & 2 ? 4 * cpus + 4 : 0) + (types & 4 ? 2 : 0);
			memcpy(words, head, sizeof head);
			break;
		case CPI_MINOR_SYSTEM:
			n = types & 2 ? 15 : 9;
			words[0] = types;
			words[1] = 0;
			words[2] = 100;
			break;
		case CPI_MINOR_PER_CPU:
			n = 4 + cpus * (types & 2 ? 12 : 6);
			memcpy(words, head, sizeof head);
			break;
		case CPI_MINOR_THREAD:
			n = 9;
			words[0] = 1;
			words[1] = 0;
			words[2] = 100;
			break;
		case CPI_MINOR_QUALITY:
			words[2] = 0;
			words[3] = 100;
			words[4] = 1 + random31(seed) % 2;
			words[1] = random31(seed) % 16;
			n = 5 + 5 * words[4] + 2 * (unsigned)__builtin_popcount(words[1]);
			break;
		default:
			words[0] = 0;
			words[1] = 100;
			break;
		}
		if (random31(seed) % 32 == 0)
			words[random31(seed) % 32] = random_word(seed);
		if (random31(seed) % 32 == 0)
			n -= n > 1;
		size_t at = b->n;
		if (random31(seed) % 8 == 0)
			continue;
		put_hook(b, *stamp, 1 + (random31(seed) % 64 == 0), CPI_MAJOR,
			kinds[k] | (random31(seed) % 64 == 0), n, words, n == 2 ? label : NULL);
		if (random31(seed) % 32 == 0)
			break_hook(b, at, seed);
	}
}

/* The same, of CPU utilisation. */
static void put_nearly_util(struct bytes *b, uint64_t *seed, uint64_t *stamp)
{
	static const uint32_t parts[] = {CPUUTIL_MINOR_LABEL_START, CPUUTIL_MINOR_SUMMARY,
		CPUUTIL_MINOR_PER_CPU, CPUUTIL_MINOR_LABEL_END};
	uint32_t cpus = 1 + random31(seed) % 3, types = random31(seed) % 32, words[96];

	if (random31(seed) % 3)
		*stamp += random31(seed) % 50;
	for (unsigned k = 0; k < 4; k++) {
		const char *label[] = {"same", NULL};
		const uint32_t head[] = {types, 1, cpus, 0, 100};
		unsigned n = 2;

		for (unsigned i = 0; i < 96; i++)
			words[i] = random31(seed) % 3;
		memcpy(words, head, sizeof head);
		if (parts[k] == CPUUTIL_MINOR_SUMMARY)
			n = 5 + (cpus + 1) * (4 * (types & 1) + (types & 2) + (types & 4) / 2);
		else if (parts[k] == CPUUTIL_MINOR_PER_CPU)
			n = 5 + cpus * (2 + 4 * (types & 1) + (types & 2) + (types & 4) +
					       (types >> 3 & 1) + (types >> 4 & 1));
		else
			memcpy(words, head + 3, 2 * sizeof *head);
		if (random31(seed) % 32 == 0)
			words[random31(seed) % 32] = random_word(seed);
		if (random31(seed) % 32 == 0)
			n -= n > 1;
		if (random31(seed) % 8)
			put_hook(b, *stamp, 1, CPUUTIL_MAJOR, parts[k], n, words,
				n == 2 ? label : NULL);
	}
}

/* The times and the events of the group before; sometimes a word off. */
static void put_nearly_companions(struct bytes *b, uint64_t *seed, uint64_t stamp)
{
	static const char *const texts[] = {"cycles", "", "page-faults"};
	uint32_t words[64] = {random31(seed) % 6, random31(seed) % 32, 0, 100};
	uint32_t nevents = random31(seed) % 4, ntexts = random31(seed) % 4;
	const char *strings[4] = {NULL};

	for (unsigned i = INTERVAL_TIME_WORD_FIRST; i < INTERVAL_TIME_WORDS; i++)
		words[i] = random31(seed) % 3;
	if (random31(seed) % 2)
		put_hook(b, stamp, 1, INTERVAL_MAJOR, INTERVAL_MINOR_TIME,
			4 + 2 * (unsigned)__builtin_popcount(words[1] & 15) + (words[1] >> 4),
			words, NULL);
	words[INTERVAL_EVENTS_WORD_COUNT] = nevents;
	words[INTERVAL_EVENTS_WORD_TEXTS] = ntexts;
	for (uint32_t i = 0; i < nevents; i++) {
		uint32_t *event = words + INTERVAL_EVENTS_WORD_FIRST + i * INTERVAL_EVENT_WORDS;

		for (unsigned k = 0; k < INTERVAL_EVENT_WORDS; k++)
			event[k] = random31(seed) % 6;
	}
	for (uint32_t i = 0; i < ntexts; i++)
		strings[i] = texts[random31(seed) % 3];
	if (random31(seed) % 32 == 0)
		words[random31(seed) % 36] = random_word(seed);
	if (random31(seed) % 4)
		put_hook(b, stamp, 1, INTERVAL_MAJOR, INTERVAL_MINOR_EVENTS,
			INTERVAL_EVENTS_WORD_FIRST + nevents * INTERVAL_EVENT_WORDS, words,
			strings);
}

/* A light interval, or the arguments of the group before; sometimes a word off. */
static void put_nearly_scope(struct bytes *b, uint64_t *seed, uint64_t *stamp)
{
	static const char *const texts[] = {"a", "", "size", "key", "a longer text"};
	const bool is_scope = random31(seed) % 4, has_args = !is_scope || random31(seed) % 2;
	uint32_t known = random31(seed) % 32, words[128] = {known, random31(seed) % 8, 0, 100};
	uint32_t nargs = random31(seed) % (random31(seed) % 4 ? 4 : 20),
		 ntexts = random31(seed) % 4;
	const char *strings[5] = {NULL};
	unsigned n = 4, counts = is_scope ? 4 : 0;

	if (random31(seed) % 3)
		*stamp += random31(seed) % 50;
	if (has_args) {
		words[counts] = nargs;
		words[counts + 1] = ntexts;
		n = is_scope ? 6 : 4;
	}
	for (unsigned bit = 2; is_scope && bit <= 4; bit += bit)
		if (known & bit) {
			words[n] = 0;
			words[n + 1] = random31(seed) % 200;
			n += 2;
		}
	for (uint32_t i = 0; has_args && i < nargs; i++, n += 4) {
		words[n] = random31(seed) % 8;
		words[n + 1] = random31(seed) % 6;
		words[n + 2] = random_word(seed);
		words[n + 3] = random_word(seed);
	}
	for (uint32_t i = 0; has_args && i < ntexts; i++)
		strings[i] = texts[random31(seed) % 5];
	if (random31(seed) % 32 == 0)
		words[random31(seed) % n] = random_word(seed);
	if (random31(seed) % 16 == 0)
		n -= random31(seed) % n;
	put_hook(b, *stamp, 1, is_scope ? SCOPE_MAJOR : INTERVAL_MAJOR,
		!is_scope  ? INTERVAL_MINOR_ARGS
		: has_args ? SCOPE_MINOR_ARGS
			   : SCOPE_MINOR_PLAIN,
		n, words, strings);
}

/* Numbers 1, 3 and 5. */
static void put_labels(struct bytes *file)
{
	static const char *const texts[] = {"size", "key", "a label"};
	struct bytes entries = {0};

	for (unsigned i = 0; i < 3; i++) {
		uint8_t entry[16] = {(uint8_t)strlen(texts[i])};

		memcpy(entry + TF_LABEL_TEXT, texts[i], strlen(texts[i]));
		bytes_put(&entries, entry, sizeof entry);
	}
	put_section(file, &(struct section){.type = TF_TYPE_LABELS}, &entries);
	bytes_free(&entries);
}

/* The records from..end again, at another time, and sometimes with another word. */
static void put_again(struct bytes *b, size_t from, size_t end, uint64_t stamp, uint64_t *seed)
{
	const size_t n = end - from, changed = n ? random31(seed) % n & ~(size_t)3 : 0;
	const bool changes = random31(seed) % 4 == 0;
	uint8_t *copy = malloc(n + 1);
	uint32_t size;

	memcpy(copy, b->p + from, n);
	for (size_t at = 0; at < n; at += size) {
		uint32_t control = get_le32(copy + at);

		size = control & REC_SIZE_MASK;
		if ((control & REC_KIND_MASK) == REC_KIND_HOOK)
			put_le64(copy + at + REC_STAMP, stamp);
		/* The size stays. */
		if (changes && changed == at)
			put_le32(copy + at, control ^ REC_COMMITTED);
		else if (changes && changed > at && changed < at + size)
			put_le32(copy + changed, random_word(seed));
	}
	bytes_put(b, copy, n);
	free(copy);
}

static struct trace *random_trace(
	struct bytes *file, uint64_t seed, const char *schema, unsigned repeats)
{
	struct bytes records = {0};
	struct trace *t;
	uint64_t stamp = 100, position = 0;

	put_header(file, 1);
	if (schema)
		put_text(file, TF_TYPE_SCHEMA, schema);
	put_labels(file);
	for (unsigned i = 0; i < 200; i++) {
		unsigned which = random31(&seed) % 8,
			 times = repeats ? random31(&seed) % repeats : 0;
		const size_t from = records.n;

		if (which > 5)
			put_nearly_scope(&records, &seed, &stamp);
		else if (which < 3)
			put_any(&records, &seed, &stamp);
		else if (which == 3)
			put_nearly_util(&records, &seed, &stamp);
		else
			put_nearly(&records, &seed, &stamp);
		if (random31(&seed) % 2)
			put_nearly_companions(&records, &seed, stamp);
		for (const size_t end = records.n; times; times--) {
			stamp += random31(&seed) % 8 ? 1 + random31(&seed) % 50 : 0;
			put_again(&records, from, end, stamp, &seed);
		}
		if (random31(&seed) % 32 == 0) {
			uint64_t bytes = records.n;

			put_hooks(file, 0, position, TF_CODEC_NONE, &records);
			position += bytes;
		}
	}
	put_hooks(file, 0, position, TF_CODEC_NONE, &records);
	bytes_free(&records);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, file->p, file->n, "m"), 0);
	return t;
}

struct side {
	struct hook_iter *it;
	struct interval_builder *builder;
	bool flushing;
};

static void open_side(struct side *s, const struct trace *t, unsigned wants)
{
	*s = (struct side){0};
	ck_assert_int_eq(hook_iter_open(t, &s->it), 0);
	ck_assert_int_eq(interval_builder_new(t, wants, &s->builder), 0);
}

static bool next_interval(struct side *s, const struct interval **iv)
{
	const struct hook *h;

	while (!s->flushing) {
		int rc = hook_iter_next(s->it, &h);

		ck_assert_int_ge(rc, 0);
		s->flushing = rc == 0;
		if (rc) {
			rc = interval_feed(s->builder, h, iv);
			ck_assert_int_ge(rc, 0);
			if (rc)
				return true;
		}
	}
	return interval_flush(s->builder, iv) > 0;
}

static void close_side(struct side *s)
{
	hook_iter_close(s->it);
	interval_builder_free(s->builder);
}

static unsigned compare(const struct trace *t, unsigned wants)
{
	struct side flat, cursor;
	const struct interval *a, *b;
	unsigned n = 0;

	open_side(&flat, t, wants);
	open_side(&cursor, t, WANT_ALL | WANT_VALUES | WANT_BY_CURSOR);
	for (; next_interval(&cursor, &b); n++) {
		ck_assert(next_interval(&flat, &a));
		same(a, b, wants);
	}
	ck_assert(!next_interval(&flat, &a));
	close_side(&flat);
	close_side(&cursor);
	return n;
}

/* An unordered pass reads the fields from the ring that a fed builder gets as arguments. */
struct along {
	struct side fed;
	struct interval_builder *builder;
	unsigned wants, count;
};

static int read_along(void *ctx, struct pass_slice *s)
{
	struct along *along = ctx;
	const struct interval *a, *b;
	int rc;

	for (; (rc = interval_read(along->builder, s, &a)) > 0; along->count++) {
		ck_assert(next_interval(&along->fed, &b));
		same(a, b, along->wants);
	}
	return rc;
}

static unsigned compare_pass(const struct trace *t, unsigned wants, int64_t from_ns, int64_t to_ns)
{
	struct along along = {.wants = wants};
	struct pass pass = {.trace = t,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.threads = 1,
		.slice_bytes = 1,
		.read = read_along,
		.ctx = &along};
	struct findings found = {0};
	struct hook_counts counts;
	const struct interval *iv;

	open_side(&along.fed, t, WANT_ALL | WANT_VALUES);
	hook_iter_range(along.fed.it, from_ns, to_ns);
	ck_assert_int_eq(interval_builder_new(t, wants, &along.builder), 0);
	ck_assert_int_eq(pass_run(&pass, &found), 0);
	ck_assert(!next_interval(&along.fed, &iv));
	hook_iter_counts(along.fed.it, &counts);
	/* To the builder alone, time hooks without a group are malformed. */
	ck_assert_uint_ge(found.total.malformed, counts.malformed);
	counts.malformed = found.total.malformed;
	ck_assert_mem_eq(&counts, &found.total, sizeof counts);
	findings_free(&found);
	interval_builder_free(along.builder);
	close_side(&along.fed);
	return along.count;
}

static void compare_all(uint64_t seed, const char *schema)
{
	struct bytes file = {0};
	struct trace *t = random_trace(&file, seed, schema, 0);

	for (unsigned want = 0; want <= WANT_ALL; want = want ? want << 1 : 1)
		ck_assert_uint_gt(compare(t, want), 50);
	ck_assert_uint_gt(compare(t, WANT_ALL), 50);
	ck_assert_uint_gt(compare(t, WANT_VALUES), 50);
	ck_assert_uint_gt(compare(t, WANT_EVENTS), 50);
	ck_assert_uint_gt(compare(t, WANT_ALL | WANT_VALUES), 50);
	ck_assert_uint_gt(compare_pass(t, 0, INT64_MIN, INT64_MAX), 50);
	ck_assert_uint_gt(compare_pass(t, WANT_ALL | WANT_BY_CURSOR, INT64_MIN, INT64_MAX), 50);
	unsigned all = compare_pass(t, WANT_ALL, INT64_MIN, INT64_MAX);
	ck_assert_uint_gt(all, 50);
	ck_assert_uint_lt(compare_pass(t, WANT_ALL, FIRST_NS + 400, FIRST_NS + 1200), all);
	trace_free(t);
	bytes_free(&file);
}

/* Each unit of the trace comes several times in a row, so that most are recognized by their shape.
 */
static void compare_repeated(uint64_t seed, const char *schema)
{
	static const unsigned alone[] = {
		WANT_METHOD, WANT_VALUES, WANT_TYPES, WANT_OWN_COST, WANT_EVENTS};
	struct bytes file = {0};
	struct trace *t = random_trace(&file, seed, schema, 12);

	for (unsigned want = 0; want <= WANT_ALL; want = want ? want << 1 : 1)
		ck_assert_uint_gt(compare_pass(t, want, INT64_MIN, INT64_MAX), 200);
	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		ck_assert_uint_gt(compare_pass(t, alone[i], INT64_MIN, INT64_MAX), 200);
	ck_assert_uint_gt(compare_pass(t, WANT_ALL, INT64_MIN, INT64_MAX), 200);
	ck_assert_uint_gt(compare_pass(t, WANT_ALL & ~WANT_FLAGS, INT64_MIN, INT64_MAX), 200);
	ck_assert_uint_gt(compare_pass(t, WANT_ALL | WANT_VALUES, INT64_MIN, INT64_MAX), 200);
	compare_pass(t, WANT_ALL, FIRST_NS + 400, FIRST_NS + 1200);
	trace_free(t);
	bytes_free(&file);
}

START_TEST(groups_that_repeat)
{
	for (uint64_t seed = 1; seed <= 40; seed++)
		compare_repeated(seed, NULL);
}
END_TEST

START_TEST(built_in_schema)
{
	for (uint64_t seed = 1; seed <= 12; seed++)
		compare_all(seed, NULL);
}
END_TEST

/* Fields in other places, of other widths, conditional, repeated, doubled; strings anywhere. */
START_TEST(other_schemas)
{
	static const char *const hooks[] = {
		"hook 0x20000000/0xFFFFFF00 \"t\"\nu32 types\nif types & 1\nu32 elapsed\nend\n"
		"u64 thread_cycles na0\nfix4 thread_cpi\n",
		"hook 0x20000000/0xFFFFFF00 \"t\"\nu32 a\nu32 elapsed\nu32 elapsed\n"
		"u32 thread_cycles\nu32 thread_cycles na0\nstring s\nu64 thread_instructions\n",
		"hook 0x40000000/0xFFFFFF00 \"c\"\ni32 n\nu32 elapsed\nrepeat n\nu32 m\n"
		"if m & 1\nu32 cpu_cycles na0\nend\nend\n",
		"hook 0x40000000/0xFFFFFF00 \"c\"\nu64 elapsed\ni64 n\nrepeat 3\ni32 x\n"
		"fix4 cpu_busy\nif n & 3\nu32 cpu_cycles na0\nend\nend\nrepeat n\nf64 y\n"
		"end\nu32 num_cpus\n",
		"hook 0x40000000/0xFFFFFF00 \"c\"\nu64 elapsed\nu32 types\nrepeat 70000\n"
		"if types & 2\nu32 cpu_cycles\nend\nend\nrepeat 2\nif types & 4\nu32 y\nend\n"
		"end\nu32 num_cpus\n",
		"hook 0x00000000/0xFFFFFF00 \"l\"\nstring label\nu32 elapsed\n",
		"hook 0xF0000000/0xFFFFFF00 \"l\"\nu32 types\nu64 elapsed\nstring other\n"
		"string label\n",
		"hook 0xF0000000/0xFFFFFF00 \"l\"\nu32 types\nu64 elapsed\nif types & 1\n"
		"string label\nend\n",
	};
	static const char *const utils[] = {
		"hook 0x10000000/0xFFFFFF00 \"s\"\nu32 types\nu32 elapsed\nif types & 1\n"
		"fix4 busy\nend\nfix4 idle\nfix4 raw_cpi\nu64 cycles\n",
		"hook 0x40000000/0xFFFFFF00 \"c\"\ni32 n\nu32 elapsed\nrepeat n\nu32 m\n"
		"u32 cpu_elapsed na0\nu32 cpu_busy_time\nif m & 1\nfix4 cpu_idle\nend\nend\n",
		"hook 0x40000000/0xFFFFFF00 \"c\"\nu64 elapsed\nrepeat 3\nu32 cpu_elapsed\n"
		"u32 cpu_unhalted_cycles\nend\nrepeat 2\nu32 cpu_reference_cycles\n"
		"u32 cpu_busy_time\nend\n",
	};

	static const char *const scopes[] = {
		"hook 0x10000000/0xFFFFFF00 \"s\"\n"
		"u32 label_number\nu32 known\nu64 elapsed\nu64 ctx_switches na0\n",
		"hook 0x20000000/0xFFFFFF00 \"s\"\nu32 known\nu32 label_number\nu64 elapsed\n"
		"u32 n\nu32 t\nrepeat n\nu32 arg_name\nu32 arg_type\nu64 arg_value\nend\n",
		"hook 0x20000000/0xFFFFFF00 \"s\"\nu32 elapsed\nu32 known\nu32 n\nu32 t\n"
		"repeat n\nu64 arg_value\nu32 arg_type\nend\nu32 label_number\n"
		"repeat n\nu32 arg_name\nend\nrepeat t\nstring text\nend\n",
		"hook 0x20000000/0xFFFFFF00 \"s\"\nu32 label_number\nu64 elapsed\nu32 n\n"
		"repeat n\nu32 arg_name\nu32 arg_type\nu64 arg_value\nstring text\nend\nu32 known\n"
		"if known & 2\nu64 on_cpu_ns\nend\nstring label\n",
	};

	for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
		char text[512];

		snprintf(text, sizeof text, "major 0xC2 mine\n%s", scopes[i]);
		compare_all(4000 + i, text);
		compare_repeated(4000 + i, text);
	}
	for (size_t i = 0; i < sizeof utils / sizeof *utils; i++) {
		char text[512];

		snprintf(text, sizeof text, "major 0xC8 mine\n%s", utils[i]);
		compare_all(3000 + i, text);
		compare_repeated(3000 + i, text);
	}
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
		char text[512];

		snprintf(text, sizeof text, "major 0xC0 mine\n%s", hooks[i]);
		compare_all(1000 + i, text);
		compare_all(2000 + i, text);
		compare_repeated(2000 + i, text);
	}
}
END_TEST

/* A condition on bits above an i32 is one on its sign. */
START_TEST(slots_by_their_sign)
{
	static const char schema[] = "major 0xC0 mine\nhook 0x20000000/0xFFFFFF00 \"t\"\ni32 n\n"
				     "u64 elapsed\nif n & 0x8000000000000000\n"
				     "u64 thread_cycles\nend\n";
	struct bytes records = {0};
	struct trace *t;

	put_header(&built, 1);
	put_text(&built, TF_TYPE_SCHEMA, schema);
	for (uint32_t i = 0; i < 16; i++) {
		const uint32_t words[] = {i / 2 % 2 ? UINT32_MAX : 0, 0, 1, 0, 7};

		put_hook(&records, 10 + i, 1, CPI_MAJOR, CPI_MINOR_THREAD, 5, words, NULL);
	}
	put_hooks(&built, 0, 0, TF_CODEC_NONE, &records);
	bytes_free(&records);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "m"), 0);
	ck_assert_uint_eq(compare_pass(t, WANT_THREAD, INT64_MIN, INT64_MAX), 16);
	trace_free(t);
}
END_TEST

/* Each hook has another shape: more shapes than the table holds. */
START_TEST(hooks_that_are_never_alike)
{
	static const char *const label[] = {"same", NULL};
	struct bytes records = {0};
	struct trace *t;
	uint64_t seed = 5;

	put_header(&built, 1);
	for (uint32_t i = 0; i < 8000; i++) {
		uint32_t cpus = 1 + i / 8 % 120, words[800] = {i % 3000 << 3 | i % 8, cpus, 0, i};
		unsigned n = 6 + 2 * cpus + (i & 2 ? 4 * cpus + 4 : 0) + (i & 4 ? 2 : 0);

		for (unsigned at = 4; at < n; at++)
			words[at] = random31(&seed) % 3;
		put_hook(&records, 10 + i, 1, CPI_MAJOR, CPI_MINOR_LABEL_START, 2, words + 2,
			i % 16 ? label : NULL);
		put_hook(&records, 10 + i, 1, CPI_MAJOR, CPI_MINOR_SUMMARY, n - (i % 32 == 0),
			words, NULL);
	}
	put_hooks(&built, 0, 0, TF_CODEC_NONE, &records);
	bytes_free(&records);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "m"), 0);
	const unsigned few = WANT_SYSTEM | WANT_THREAD | WANT_QUALITY;
	ck_assert_uint_eq(compare_pass(t, few, INT64_MIN, INT64_MAX), 8000);
	ck_assert_uint_eq(compare_pass(t, WANT_ALL, INT64_MIN, INT64_MAX), 8000);
	trace_free(t);
}
END_TEST

static int sum_cycles(void *ctx, struct pass_slice *s)
{
	struct along *along = ctx;
	const struct interval *iv;
	int rc;

	for (; (rc = interval_read(along->builder, s, &iv)) > 0; along->count++) {
		ck_assert_uint_eq(iv->cycles, 2);
		ck_assert_uint_eq(iv->thread_cycles, 3);
	}
	return rc;
}

/* Shapes of one file's hooks do not apply to the next file's. */
START_TEST(every_file_has_its_own_schema)
{
	static const char *const texts[] = {
		"major 0xC0 a\nhook 0x80000000/0xFFFFFF00 \"s\"\nu64 elapsed\nu32 cycles\nu32 x\n"
		"hook 0x20000000/0xFFFFFF00 \"t\"\nu64 elapsed\nu32 x\nu32 thread_cycles\n",
		"major 0xC0 b\nhook 0x80000000/0xFFFFFF00 \"s\"\nu64 elapsed\nu32 x\nu32 cycles\n"
		"hook 0x20000000/0xFFFFFF00 \"t\"\nu64 elapsed\nu32 thread_cycles\nu32 x\n"};
	static const uint32_t words[2][2][4] = {
		{{0, 50, 2, 9}, {0, 50, 9, 3}}, {{0, 50, 9, 2}, {0, 50, 3, 9}}};
	struct bytes files[4] = {0}, records = {0};
	struct along along = {0};
	struct pass pass = {.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = 1,
		.read = sum_cycles,
		.ctx = &along};
	struct trace *t;

	ck_assert_int_eq(trace_new(&t), 0);
	for (unsigned i = 0; i < 4; i++) {
		put_header(&files[i], (uint8_t)(1 + i));
		put_text(&files[i], TF_TYPE_SCHEMA, texts[i % 2]);
		put_hook(&records, 2000, 1, CPI_MAJOR, CPI_MINOR_SYSTEM, 4, words[i % 2][0], NULL);
		put_hook(&records, 2000, 1, CPI_MAJOR, CPI_MINOR_THREAD, 4, words[i % 2][1], NULL);
		put_hooks(&files[i], 0, 0, TF_CODEC_NONE, &records);
		ck_assert_int_eq(trace_add_memory(t, files[i].p, files[i].n, "m"), 0);
	}
	bytes_free(&records);
	pass.trace = t;
	ck_assert_int_eq(interval_builder_new(t, WANT_SYSTEM | WANT_THREAD, &along.builder), 0);
	ck_assert_int_eq(pass_run(&pass, NULL), 0);
	ck_assert_uint_eq(along.count, 4);
	interval_builder_free(along.builder);
	trace_free(t);
	for (unsigned i = 0; i < 4; i++)
		bytes_free(&files[i]);
}
END_TEST

BUILT_MAIN("builder", built_in_schema, other_schemas, groups_that_repeat, slots_by_their_sign,
	hooks_that_are_never_alike, every_file_has_its_own_schema)
