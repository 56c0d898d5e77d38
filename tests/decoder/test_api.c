/* libcpidecode's public face. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../include/cpidecode.h"
#include "built.h"

START_TEST(codes_have_words)
{
	for (int code = 0; code >= CPIDECODE_E32BIT; code--)
		ck_assert_str_ne(cpidecode_strerror(code), cpidecode_strerror(-1000));
	ck_assert_ptr_nonnull(cpidecode_strerror(1));
	ck_assert_uint_gt(strlen(cpidecode_version()), 0);
}
END_TEST

START_TEST(a_trace_in_memory_has_all_facts)
{
	cpidecode_trace *t;
	cpidecode_file_info info;
	cpidecode_loss_info loss;
	cpidecode_damage_info damage;
	const char *key, *value;
	size_t nk, nv;

	put_small_trace(&built, TF_CODEC_LZ4);
	ck_assert_int_eq(cpidecode_open_memory(built.p, built.n, &t), 0);
	ck_assert_uint_eq(cpidecode_files(t), 1);
	ck_assert_int_eq(cpidecode_file(t, 0, &info), 0);
	ck_assert_int_eq(cpidecode_file(t, 1, &info), CPIDECODE_EINVAL);
	ck_assert_uint_eq(info.hooks, 42);
	ck_assert_int_eq(info.first_ns, 5000000995);
	ck_assert(!info.cut_off && !info.header_damaged);
	ck_assert_int_eq(cpidecode_meta(t, 0, 1, &key, &nk, &value, &nv), 0);
	ck_assert_uint_eq(nk, 6);
	ck_assert_mem_eq(value, "6.1", 3);
	ck_assert_int_eq(cpidecode_meta(t, 0, 2, &key, &nk, &value, &nv), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_loss(t, 0, 0, &loss), 0);
	ck_assert_uint_eq(loss.ring, 1);
	ck_assert_uint_eq(loss.no_guest, 4);
	ck_assert_int_eq(cpidecode_loss(t, 0, 1, &loss), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_damage(t, 0, 0, &damage), CPIDECODE_EINVAL);
	cpidecode_close(t);
}
END_TEST

static void put_causes(struct bytes *file, uint32_t ring, uint64_t first)
{
	struct bytes b = {0};

	put_u32(&b, ring);
	put_u32(&b, 0);
	for (unsigned i = 0; i < 7; i++)
		put_u64(&b, i < 3 ? first + i : 0);
	put_section(file, &(struct section){.type = TF_TYPE_CAUSES}, &b);
	bytes_free(&b);
}

START_TEST(causes_of_losses_are_listed)
{
	static const struct {
		uint32_t ring;
		uint64_t first;
	} expected[] = {{0, 70}, {2, 50}};
	cpidecode_trace *t;
	cpidecode_causes_info info;

	put_header(&built, 1);
	put_le16(built.p + TF_H_VERSION_MINOR, TF_VERSION_MINOR_CAUSES);
	seal_header(built.p);
	put_causes(&built, 2, 50);
	put_causes(&built, 0, 60);
	put_causes(&built, 0, 70); /* a later entry replaces the ring's */
	put_end(&built);
	ck_assert_int_eq(cpidecode_open_memory(built.p, built.n, &t), 0);
	for (size_t i = 0; i < 2; i++) {
		memset(&info, 0xff, sizeof info);
		ck_assert_int_eq(cpidecode_causes(t, 0, i, &info), 0);
		ck_assert_uint_eq(info.ring, expected[i].ring);
		ck_assert_uint_eq(info.reserved, 0);
		ck_assert_uint_eq(info.no_slot, expected[i].first);
		ck_assert_uint_eq(info.no_memory, expected[i].first + 1);
		ck_assert_uint_eq(info.unattached, expected[i].first + 2);
		for (size_t k = 0; k < sizeof info.reserved1 / sizeof *info.reserved1; k++)
			ck_assert_uint_eq(info.reserved1[k], 0);
	}
	ck_assert_int_eq(cpidecode_causes(t, 0, 2, &info), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_causes(t, 1, 0, &info), CPIDECODE_EINVAL);
	cpidecode_close(t);
}
END_TEST

/* Version 1.0 counts losses in LOSS alone. */
START_TEST(files_before_causes_have_none)
{
	cpidecode_trace *t;
	cpidecode_file_info file;
	cpidecode_loss_info loss;
	cpidecode_causes_info info = {.ring = 77};

	put_small_trace(&built, TF_CODEC_NONE);
	ck_assert_int_eq(cpidecode_open_memory(built.p, built.n, &t), 0);
	ck_assert_int_eq(cpidecode_file(t, 0, &file), 0);
	ck_assert_uint_eq(file.version_minor, 0);
	ck_assert_int_eq(cpidecode_loss(t, 0, 0, &loss), 0);
	ck_assert_int_eq(cpidecode_causes(t, 0, 0, &info), CPIDECODE_EINVAL);
	ck_assert_uint_eq(info.ring, 77);
	cpidecode_close(t);
}
END_TEST

START_TEST(hooks_and_intervals)
{
	cpidecode_trace *t;
	cpidecode_hooks *it;
	const cpidecode_hook *h;
	cpidecode_counts counts;
	cpidecode_intervals *set;
	cpidecode_interval iv;
	size_t n, labels = 0;
	int rc;

	put_small_trace(&built, TF_CODEC_ZLIB);
	ck_assert_int_eq(cpidecode_open_memory(built.p, built.n, &t), 0);
	ck_assert_int_eq(cpidecode_hooks_open(t, &it), 0);
	while ((rc = cpidecode_hooks_next(it, &h)) > 0) {
		ck_assert_uint_eq(h->pid, 10);
		if (h->nstrings) {
			ck_assert_mem_eq(cpidecode_hook_string(h, 0, &n), "label", 5);
			ck_assert_uint_eq(n, 5);
			ck_assert_uint_eq(cpidecode_hook_word(h, 1), 1000);
			labels++;
		}
		ck_assert_ptr_null(cpidecode_hook_string(h, h->nstrings, &n));
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(labels, 4);
	cpidecode_hooks_counts(it, &counts);
	ck_assert_uint_eq(counts.hooks, 42);
	cpidecode_hooks_close(it);
	ck_assert_int_eq(cpidecode_intervals_read(t, &set), 0);
	ck_assert_uint_eq(cpidecode_intervals_count(set), 2);
	ck_assert_int_eq(cpidecode_intervals_get(set, 2, &iv), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_intervals_get(set, 1, &iv), 0);
	ck_assert_uint_eq(iv.end_ticks, 4000);
	ck_assert(iv.cpus[0].raw_cpi == 1.5);
	ck_assert_str_eq(iv.task, "eleven");
	cpidecode_intervals_free(set);
	cpidecode_close(t);
}
END_TEST

START_TEST(failed_opens_return_a_code_and_no_trace)
{
	cpidecode_trace *t;
	size_t failed;
	const char *paths[] = {"/nonexistent", NULL};

	ck_assert_int_eq(cpidecode_open("/nonexistent", &t), CPIDECODE_EOPEN);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_null(t);
	ck_assert_int_eq(cpidecode_open_files(paths, 0, &t, &failed), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_open_files(paths + 1, 1, &t, &failed), CPIDECODE_EINVAL);
	ck_assert_ptr_null(t);
	ck_assert_int_eq(cpidecode_open_memory("not a trace at all", 18, &t), CPIDECODE_ENOTTRACE);
	ck_assert_int_eq(cpidecode_open_memory("", 0, &t), CPIDECODE_EEMPTY);
	ck_assert_int_eq(cpidecode_open_fd(-1, &t), CPIDECODE_EOPEN);
	ck_assert_ptr_null(t);
	cpidecode_close(NULL);
	cpidecode_hooks_close(NULL);
	cpidecode_intervals_free(NULL);
}
END_TEST

START_TEST(descriptors_are_read_from_their_offset)
{
	cpidecode_trace *t;
	cpidecode_file_info info;
	char name[] = "/tmp/cpidecode-test.XXXXXX";
	int fd = mkstemp(name);

	ck_assert_int_ge(fd, 0);
	unlink(name);
	bytes_put(&built, "before", 6);
	ck_assert_int_eq(write(fd, built.p, built.n), 6);
	built.n = 0;
	put_small_trace(&built, TF_CODEC_LZ4);
	ck_assert_int_eq(write(fd, built.p, built.n), (ssize_t)built.n);
	ck_assert_int_eq(cpidecode_open_fd(fd, &t), CPIDECODE_EEMPTY);
	lseek(fd, 6, SEEK_SET);
	ck_assert_int_eq(cpidecode_open_fd(fd, &t), 0);
	ck_assert_int_eq(cpidecode_file(t, 0, &info), 0);
	ck_assert_uint_eq(info.bytes, built.n);
	cpidecode_close(t);
	close(fd);
}
END_TEST

BUILT_MAIN("api", codes_have_words, a_trace_in_memory_has_all_facts, causes_of_losses_are_listed,
	files_before_causes_have_none, hooks_and_intervals, failed_opens_return_a_code_and_no_trace,
	descriptors_are_read_from_their_offset)
