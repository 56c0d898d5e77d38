/* Streams whose hooks are read while the rest arrives, and data that invalidates that reading. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../decoder/model/hooks/pass.h"
#include "../../decoder/model/trace/arrivals.h"
#include "../../include/cpidecode.h"
#include "open.h"
#include "built.h"

enum {
	SECTION = 1 << 20,
	SECTIONS = 68, /* more than IO_AT_ONCE */
};
_Static_assert(SECTIONS *SECTION > IO_AT_ONCE, "some of it arrives later");

/* Faults of a trace. */
enum wrong {
	NOTHING,
	DAMAGED,
	DESCRIBED_LATE,
	OVERWRITTEN,
	CONTAINED,
	WRAPPED, /* as the first position of rings that wrap says */
	LOST_BEFORE,
	STEPS_BACK,
	ONE_TICK, /* in two sections, read at different times */
	CUT_OFF,
	DAMAGED_BEFORE_CUT, /* the section before the one that is cut off */
	NO_PADDING,	    /* behind the last section, whose codec is unknown */
	WRONGS
};

/* A section of a hook and a pad. records: to be used again, as new pages take long. */
static void put_large(struct bytes *b, struct bytes *records, uint32_t ring, uint64_t position,
	uint64_t stamp, uint32_t lost)
{
	struct section s = {.type = TF_TYPE_HOOKS,
		.ring = ring,
		.hooks = 1,
		.position = position,
		.first = stamp,
		.last = stamp,
		.lost = lost};

	records->n = 0;
	put_plain(records, stamp, 1, 7);
	/* put_pad writes its bytes one by one, which takes long under sanitizers. */
	const uint32_t size = SECTION - (uint32_t)records->n;
	put_u32(records, size | REC_COMMITTED | REC_KIND_PAD);
	bytes_put(records, NULL, size - 4);
	put_section(b, &s, records);
}

/* A thread in another container than the session's owner. */
static void put_contained(struct bytes *b)
{
	const struct section s = {.type = TF_TYPE_CONTAINERS};
	struct bytes entry = {0};

	bytes_put(&entry, NULL, TF_CONTAINER_NAME);
	put_le32(entry.p + TF_CONTAINER_TID, 1);
	bytes_align(&entry, 8);
	put_section(b, &s, &entry);
	bytes_free(&entry);
}

static void put_overwritten(struct bytes *b)
{
	static const uint8_t none[TF_LOSS_SIZE];
	const struct section s = {.type = TF_TYPE_LOSS};
	struct bytes loss = {0};

	bytes_put(&loss, none, sizeof none);
	put_le64(loss.p + TF_LOSS_OVERWRITTEN, 1);
	put_section(b, &s, &loss);
	bytes_free(&loss);
}

/* Without the padding behind it. */
static void put_unknown(struct bytes *b)
{
	const struct section s = {.type = TF_TYPE_META, .codec = 9, .raw = 1};
	struct bytes payload = {0};

	bytes_put(&payload, NULL, TF_SECTION_SIZE + 1);
	const size_t at = put_stored(b, &s, &payload);
	b->n = at + TF_SECTION_SIZE + payload.n;
	bytes_free(&payload);
}

static void put_trace(struct bytes *b, enum wrong wrong)
{
	struct bytes records = {0};

	b->cap = (size_t)(SECTIONS + 1) * (SECTION + TF_SECTION_SIZE);
	b->p = malloc(b->cap);
	ck_assert_ptr_nonnull(b->p);
	put_header(b, 1);
	if (wrong == WRAPPED)
		put_text(b, TF_TYPE_META, "mode: wrap\n");
	if (wrong == CONTAINED)
		put_contained(b);
	for (unsigned i = 0; i < SECTIONS; i++) {
		uint64_t position = (uint64_t)SECTION * (i / 2), stamp = 1000 + 100 * i;

		if (wrong == WRAPPED)
			position += SECTION;
		if (wrong == STEPS_BACK && i == SECTIONS / 2)
			position = 0;
		if (wrong == ONE_TICK)
			stamp = 1000;
		put_large(b, &records, i % 2, position, stamp, wrong == LOST_BEFORE && !i);
	}
	bytes_free(&records);
	if (wrong == DAMAGED)
		b->p[b->n / 2]++;
	if (wrong == DESCRIBED_LATE)
		put_text(b, TF_TYPE_SCHEMA, "major 0x10 ten \"Ten\"\n0x7 seven \"Seven\"\n");
	if (wrong == OVERWRITTEN)
		put_overwritten(b);
	const size_t end = b->n;
	put_end(b);
	if (wrong == CUT_OFF || wrong == DAMAGED_BEFORE_CUT)
		b->n -= SECTION;
	if (wrong == DAMAGED_BEFORE_CUT)
		b->p[end - SECTION - 2 * TF_SECTION_SIZE]++;
	if (wrong == NO_PADDING) {
		b->n = end;
		put_unknown(b);
	}
}

struct reader {
	unsigned calls, frees;
	uint64_t hooks;
};

static int count_slice(void *ctx, struct pass_slice *slice)
{
	struct reader *r = ctx;
	const struct hook *h;
	int rc;

	while ((rc = pass_next(slice, &h)) > 0)
		r->hooks++;
	return rc;
}

static int read_part(void *ctx, const struct trace *part, bool parallel, struct findings *found)
{
	const struct pass pass = {.trace = part,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = 1,
		.spared = HOOK_SPARE_TASK | HOOK_SPARE_TIME,
		.read = count_slice,
		.ctx = ctx};

	(void)parallel;
	((struct reader *)ctx)->calls++;
	return pass_run(&pass, found);
}

static void count_free(void *ctx)
{
	((struct reader *)ctx)->frees++;
}

static void write_all(int fd, const struct bytes *b)
{
	for (size_t done = 0; done < b->n;) {
		ssize_t wrote = write(fd, b->p + done, b->n - done);

		if (wrote <= 0)
			_exit(1);
		done += (size_t)wrote;
	}
}

/* The trace, from a pipe that another process fills. */
static struct trace *piped(const struct bytes *b, struct reader *r)
{
	const struct trace_arrivals how = {.read = read_part,
		.free = count_free,
		.ctx = r,
		.alone = 8 << 20,
		.parallel = 8 << 20,
		.of_one_container = true};
	struct trace *t;
	int ends[2], status;

	ck_assert_int_eq(pipe(ends), 0);
	pid_t writer = fork();
	ck_assert_int_ge(writer, 0);
	if (!writer) {
		close(ends[0]);
		write_all(ends[1], b);
		_exit(0);
	}
	close(ends[1]);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_set_arrivals(t, &how), 0);
	ck_assert_int_eq(trace_add_fd(t, ends[0], "pipe"), 0);
	close(ends[0]);
	ck_assert_int_eq(waitpid(writer, &status, 0), writer);
	ck_assert_int_eq(status, 0);
	return t;
}

START_TEST(arriving_bytes_are_read_once)
{
	struct reader r = {0};
	struct findings found = {0};
	struct hook_counts counts;

	put_trace(&built, NOTHING);
	struct trace *t = piped(&built, &r);
	ck_assert_uint_eq(trace_file(t, 0)->bytes, built.n);
	ck_assert(trace_file(t, 0)->has_end);
	ck_assert_uint_ge(r.calls, 4);
	ck_assert_uint_eq(r.hooks, SECTIONS);
	ck_assert_ptr_eq(trace_arrived(t), &r);
	ck_assert_int_eq(trace_tell_arrived(t, &found), 0);
	ck_assert_uint_eq(read_hooks(t, &counts), SECTIONS);
	ck_assert_mem_eq(&found.total, &counts, sizeof counts);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(findings_ring(&found, 0, i)->hooks, SECTIONS / 2);
		ck_assert_uint_eq(findings_ring(&found, 0, i)->pads, SECTIONS / 2);
	}
	findings_free(&found);
	ck_assert_uint_eq(r.frees, 0);
	trace_free(t);
	ck_assert_uint_eq(r.frees, 1);
}
END_TEST

START_TEST(a_contradiction_voids_it)
{
	struct reader r = {0};
	struct hook_counts counts, expected;

	put_trace(&built, (enum wrong)_i);
	struct trace *file = opened(&built), *t = piped(&built, &r);
	ck_assert_ptr_null(trace_arrived(t));
	ck_assert_uint_eq(r.frees, 1);
	if (_i == WRAPPED || _i == CONTAINED)
		ck_assert_uint_eq(r.calls, 0);
	/* And it is the same trace as that of a file. */
	ck_assert_uint_eq(read_hooks(t, &counts), read_hooks(file, &expected));
	ck_assert_mem_eq(&counts, &expected, sizeof counts);
	const struct trace_file *from_pipe = trace_file(t, 0), *whole = trace_file(file, 0);
	ck_assert_uint_eq(from_pipe->ndamage, whole->ndamage);
	for (size_t i = 0; i < whole->ndamage; i++) {
		ck_assert_uint_eq(from_pipe->damage[i].offset, whole->damage[i].offset);
		ck_assert_uint_eq(from_pipe->damage[i].bytes, whole->damage[i].bytes);
		ck_assert_str_eq(from_pipe->damage[i].why, whole->damage[i].why);
	}
	ck_assert_uint_eq(from_pipe->fingerprint, whole->fingerprint);
	trace_free(t);
	trace_free(file);
	ck_assert_uint_eq(r.frees, 1);
}
END_TEST

START_TEST(files_do_not_arrive)
{
	struct reader r = {0};
	const struct trace_arrivals how = {.read = read_part, .free = count_free, .ctx = &r};
	struct trace *t;

	put_small_trace(&built, TF_CODEC_NONE);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_set_arrivals(t, &how), 0);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "memory"), 0);
	ck_assert_ptr_null(trace_arrived(t));
	ck_assert_uint_eq(r.calls, 0);
	trace_free(t);
	ck_assert_uint_eq(r.frees, 1);
}
END_TEST

int main(void)
{
	return suites_run(SUITE("arrivals", .timeout = 300, .tear_down = built_free,
				  TESTS(arriving_bytes_are_read_once, files_do_not_arrive),
				  LOOPS({a_contradiction_voids_it, NOTHING + 1, WRONGS})),
		NULL);
}
