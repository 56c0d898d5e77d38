/*
 * Operations of the owner and when they are allowed: making and freeing rings, tracing on and off,
 * majors.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include "../lib/suites.h"
#include "sandbox.h"
#include "users.h"

static struct session box;
static struct session_error error;
static struct session_config config = {
	.ring_bytes = 65536, .section_bytes = 4096, .group = (gid_t)-1};

static void setup(void)
{
	sandbox_fresh();
	box_open_bare(&box);
}

#define FAILS(code, call)                                                                          \
	do {                                                                                       \
		error.text[0] = '\0';                                                              \
		ck_assert_int_eq(call, code);                                                      \
		ck_assert_str_ne(error.text, "");                                                  \
		ck_assert_ptr_null(strchr(error.text, '\n'));                                      \
	} while (0)
#define WORKS(call) ck_assert_int_eq(call, 0)

static uint32_t files(void)
{
	DIR *d = opendir(box.location.dir);
	uint32_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

START_TEST(without_rings_there_is_little_to_do)
{
	setup();
	FAILS(PU_ERROR_NO_BUFFER, session_on(&box, &error));
	FAILS(PU_ERROR_NO_BUFFER, session_off(&box, &error));
	FAILS(PU_ERROR_NO_BUFFER, session_suspend(&box, true, &error));
	FAILS(PU_ERROR_NO_BUFFER, session_suspend(&box, false, &error));
	FAILS(PU_ERROR_NO_BUFFER, session_discard(&box, &error));
	FAILS(PU_ERROR_NO_BUFFER, session_free(&box, &error));
	WORKS(session_reclaim(&box));
	WORKS(session_enable(&box, 5, false, &error));
	ck_assert_uint_eq(box.control->majors[5], 0);
	struct session_task *tasks;
	char *text;
	ck_assert_int_eq(session_tasks(&box, &tasks), PU_ERROR_NO_BUFFER);
	ck_assert_int_lt(session_schemas(&box, &text, NULL), 0);
	ck_assert_uint_eq(session_sticky(&box), 0);
	/* Works without a buffer for the message, too. */
	ck_assert_int_eq(session_on(&box, NULL), PU_ERROR_NO_BUFFER);
}
END_TEST

START_TEST(on_and_off_are_refused_out_of_order)
{
	setup();
	WORKS(session_init(&box, &config, &error));
	ck_assert_uint_eq(box.control->state, SHM_OFF);
	FAILS(PU_ERROR_INCORRECT_STATE, session_off(&box, &error));
	FAILS(PU_ERROR_INCORRECT_STATE, session_suspend(&box, true, &error));
	FAILS(PU_ERROR_INCORRECT_STATE, session_suspend(&box, false, &error));
	WORKS(session_on(&box, &error));
	FAILS(PU_ERROR_INCORRECT_STATE, session_on(&box, &error));
	FAILS(PU_ERROR_INCORRECT_STATE, session_init(&box, &config, &error));
	FAILS(PU_ERROR_INCORRECT_STATE, session_suspend(&box, false, &error));
	WORKS(session_suspend(&box, true, &error));
	FAILS(PU_ERROR_INCORRECT_STATE, session_suspend(&box, true, &error));
	FAILS(PU_ERROR_INCORRECT_STATE, session_init(&box, &config, &error));
	WORKS(session_suspend(&box, false, &error));
	WORKS(session_suspend(&box, true, &error));
	WORKS(session_off(&box, &error));
	WORKS(session_init(&box, &config, &error));
	WORKS(session_free(&box, &error));
	FAILS(PU_ERROR_NO_BUFFER, session_on(&box, &error));
	FAILS(PU_ERROR_NO_BUFFER, session_free(&box, &error));
	WORKS(session_init(&box, &config, &error));
	WORKS(session_on(&box, &error));
	WORKS(session_free(&box, &error)); /* the commands turn it off first */
	for (int i = 0; i < SHM_MAJORS; i++)
		ck_assert_uint_eq(box.control->gate[i], 0);
}
END_TEST

static void expect_gate(int closed_major, bool open)
{
	for (int i = 0; i < SHM_MAJORS; i++)
		ck_assert_int_eq(box.control->gate[i] != 0, open && i != closed_major);
}

START_TEST(the_gate_follows_state_and_majors)
{
	setup();
	WORKS(session_enable(&box, 9, false, &error));
	expect_gate(-1, false);
	WORKS(session_init(&box, &config, &error));
	expect_gate(-1, false);
	WORKS(session_on(&box, &error));
	expect_gate(-1, true); /* init enabled them all */
	WORKS(session_enable(&box, 9, false, &error));
	expect_gate(9, true);
	WORKS(session_suspend(&box, true, &error));
	expect_gate(9, false);
	WORKS(session_enable(&box, -1, false, &error));
	WORKS(session_enable(&box, -1, true, &error));
	WORKS(session_enable(&box, 255, false, &error));
	expect_gate(9, false);
	WORKS(session_suspend(&box, false, &error));
	expect_gate(255, true);
	WORKS(session_enable(&box, -1, false, &error));
	expect_gate(9, false);
	WORKS(session_enable(&box, -1, true, &error));
	expect_gate(-1, true);
	WORKS(session_off(&box, &error));
	expect_gate(-1, false);
	FAILS(PU_ERROR_INVALID_PARAMETER, session_enable(&box, 256, true, &error));
	FAILS(PU_ERROR_INVALID_PARAMETER, session_enable(&box, -2, true, &error));
}
END_TEST

START_TEST(plans_are_rounded_and_bounded)
{
	struct session_config c = {.group = (gid_t)-1};
	struct shm_geometry g;

	WORKS(session_plan(&c, &g, &error));
	ck_assert(geometry_sane(&g));
	ck_assert_uint_ge(g.section_size, 65536);
	ck_assert_uint_ge(g.ring_size, 3 << 20);
	ck_assert_uint_ge(g.guests, 2);
	c = (struct session_config){.ring_bytes = 1, .section_bytes = 5000, .group = (gid_t)-1};
	WORKS(session_plan(&c, &g, &error));
	ck_assert_uint_eq(g.section_size, 8192);
	ck_assert_uint_eq(g.sections, 2);
	c.ring_bytes = 100000;
	WORKS(session_plan(&c, &g, &error));
	ck_assert_uint_eq(g.sections, 13);
	c.section_bytes = 8 << 20;
	WORKS(session_plan(&c, &g, &error));
	ck_assert(geometry_sane(&g));
	for (uint32_t bad = 1; bad < 4096; bad *= 4) {
		c.section_bytes = bad;
		FAILS(PU_ERROR_INVALID_PARAMETER, session_plan(&c, &g, &error));
	}
	c.section_bytes = (8 << 20) + 1;
	FAILS(PU_ERROR_INVALID_PARAMETER, session_plan(&c, &g, &error));
	c.section_bytes = UINT32_MAX;
	FAILS(PU_ERROR_INVALID_PARAMETER, session_plan(&c, &g, &error));
	c.section_bytes = 4096;
	c.ring_bytes = (1ull << 40) + 1;
	FAILS(PU_ERROR_INVALID_PARAMETER, session_plan(&c, &g, &error));
	c.ring_bytes = UINT64_MAX;
	FAILS(PU_ERROR_INVALID_PARAMETER, session_plan(&c, &g, &error));
	c.ring_bytes = 1ull << 40;
	FAILS(PU_ERROR_INVALID_PARAMETER, session_plan(&c, &g, &error));
	c.section_bytes = 1 << 20;
	WORKS(session_plan(&c, &g, &error));
	ck_assert(geometry_sane(&g));
	c = (struct session_config){.mode = 3, .group = (gid_t)-1};
	FAILS(PU_ERROR_NOT_SUPPORTED, session_plan(&c, &g, &error));
}
END_TEST

static uint64_t allocated(const char *path)
{
	struct stat st;

	WORKS(stat(path, &st));
	return (uint64_t)st.st_blocks * 512;
}

/* Bytes that writers touch even without hooks. */
static uint64_t headers(const struct shm_geometry *g)
{
	return SHM_PAGE + g->data_offset * (g->cpus + g->guests);
}

START_TEST(init_makes_a_new_generation)
{
	struct shm_geometry g;
	struct stat st;
	char path[256];

	setup();
	WORKS(session_init(&box, &config, &error));
	ck_assert_uint_eq(box.generation, 1);
	ck_assert_uint_eq(files(), 7 + SHM_LOCK_FILES);
	g = box.geometry;
	config.ring_bytes = 40960;
	WORKS(session_enable(&box, 3, false, &error));
	WORKS(session_init(&box, &config, &error));
	ck_assert_uint_eq(box.generation, 2);
	ck_assert_uint_eq(box.control->generation, 2);
	ck_assert_uint_eq(files(), 7 + SHM_LOCK_FILES);
	ck_assert_uint_ne(g.sections, box.geometry.sections);
	ck_assert_uint_eq(box.control->majors[3], 1);
	snprintf(path, sizeof path, "%.200s/rings.2", box.location.dir);
	WORKS(stat(path, &st));
	ck_assert_uint_eq((uint64_t)st.st_size, box.geometry.file_size);
	ck_assert_uint_eq(allocated(path), headers(&box.geometry));
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	WORKS(session_free(&box, &error));
	ck_assert_uint_eq(files(), 2);
	ck_assert_uint_eq(box.control->generation, 0);
	/* The generation continues. */
	WORKS(session_init(&box, &config, &error));
	ck_assert_uint_eq(box.generation, 3);
}
END_TEST

START_TEST(prealloc_leaves_no_hole)
{
	struct session_config full = {
		.ring_bytes = 1 << 20, .section_bytes = 4096, .group = (gid_t)-1, .prealloc = true};
	uint64_t available;
	char path[256];

	setup();
	WORKS(session_init(&box, &full, &error));
	snprintf(path, sizeof path, "%.200s/rings.1", box.location.dir);
	ck_assert_uint_eq(allocated(path), box.geometry.file_size);
	ck_assert_uint_eq(session_shortage(&box, &available), 0);
}
END_TEST

/* Makes madvise behave as before Linux 5.14. */
static void refuse_to_populate(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 23 /* MADV_POPULATE_WRITE */, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

	WORKS(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	WORKS(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

START_TEST(an_old_kernel_allocates_all_memory_at_once)
{
	char path[256];

	refuse_to_populate();
	setup();
	WORKS(session_init(&box, &config, &error));
	snprintf(path, sizeof path, "%.200s/rings.1", box.location.dir);
	ck_assert_uint_eq(allocated(path), box.geometry.file_size);
	WORKS(session_on(&box, &error));
	WORKS(TraceHookWords(1, 1, 0, NULL));
}
END_TEST

START_TEST(more_than_fits_is_warned_of)
{
	struct session_config large = {
		.ring_bytes = 1ull << 39, .section_bytes = 8 << 20, .group = (gid_t)-1};
	uint64_t available, missing;
	struct statvfs v;

	if (statvfs("/dev/shm", &v) != 0 || v.f_blocks == 0 ||
		(uint64_t)v.f_blocks * v.f_frsize > 1ull << 39)
		return;
	setup();
	WORKS(session_init(&box, &large, &error));
	missing = session_shortage(&box, &available);
	ck_assert_uint_gt(missing, 0);
	ck_assert_uint_le(available, (uint64_t)v.f_blocks * v.f_frsize);
	/* Memory already allocated is not requested again. */
	ck_assert_uint_eq(missing + available, box.geometry.file_size - headers(&box.geometry));
}
END_TEST

START_TEST(no_space_leaves_the_old_rings)
{
	struct session_config huge = {.ring_bytes = 1ull << 39,
		.section_bytes = 1 << 20,
		.group = (gid_t)-1,
		.prealloc = true};
	struct account a;
	struct statvfs v;

	/* On an unlimited or enormous file system the call would succeed, or exhaust the
	 * machine. */
	if (statvfs("/dev/shm", &v) != 0 || v.f_blocks == 0 ||
		(uint64_t)v.f_blocks * v.f_frsize > 1ull << 39)
		return;
	setup();
	FAILS(PU_ERROR_INSUFFICIENT_RESOURCES, session_init(&box, &huge, &error));
	ck_assert_uint_eq(files(), 2);
	ck_assert_uint_eq(box.control->state, SHM_NO_RINGS);
	WORKS(session_init(&box, &config, &error));
	WORKS(session_on(&box, &error));
	WORKS(TraceHookWords(1, 1, 0, NULL));
	WORKS(session_off(&box, &error));
	FAILS(PU_ERROR_INSUFFICIENT_RESOURCES, session_init(&box, &huge, &error));
	ck_assert_ptr_nonnull(strstr(error.text, "KiB"));
	ck_assert_uint_eq(files(), 7 + SHM_LOCK_FILES);
	ck_assert_uint_eq(box.control->generation, 1);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 1);
	WORKS(session_on(&box, &error));
	WORKS(TraceHookWords(1, 1, 0, NULL));
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 2);
}
END_TEST

START_TEST(discard_starts_over)
{
	struct account a;

	setup();
	WORKS(session_init(&box, &config, &error));
	WORKS(session_discard(&box, &error));
	WORKS(session_on(&box, &error));
	for (int i = 0; i < 10; i++)
		WORKS(TraceHookWords(1, 1, 0, NULL));
	WORKS(session_discard(&box, &error));
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(account_sum(&a), 0);
	WORKS(TraceHookWords(1, 1, 0, NULL));
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(account_sum(&a), 1);
	ck_assert_uint_eq(a.hooks, 1);
}
END_TEST

START_TEST(the_functions_of_perfutil_do_the_same)
{
	sandbox_fresh();
	ck_assert_int_eq(TraceOn(), PU_ERROR_DRIVER_NOT_LOADED);
	ck_assert_int_eq(TraceOff(), PU_ERROR_DRIVER_NOT_LOADED);
	ck_assert_int_eq(IsTraceOn(), 0);
	ck_assert_int_eq(IsTraceActive(), 0);
	ck_assert_int_eq(TraceQueryMajor(1), 0);
	ck_assert_int_eq(TraceSetMode(3), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceSetSectionSize(100), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceSetSectionSize(-1), PU_ERROR_INVALID_PARAMETER);
	WORKS(TraceSetMode(TRACE_MODE_WRAP));
	WORKS(TraceSetSectionSize(4096));
	WORKS(TraceInit(65536));
	WORKS(TraceHookWords(1, 1, 0, NULL));
	WORKS(TraceOn());
	ck_assert_int_eq(IsTraceOn(), 1);
	ck_assert_int_eq(TraceOn(), PU_ERROR_INCORRECT_STATE);
	ck_assert_int_eq(TraceInit(0), PU_ERROR_INCORRECT_STATE);
	ck_assert_int_eq(TraceMajorIsOn(7), 1);
	WORKS(TraceDisable(7));
	ck_assert_int_eq(TraceQueryMajor(7), 0);
	ck_assert_int_eq(TraceMajorIsOn(7), 0);
	WORKS(TraceEnable(ALL_MAJORS));
	ck_assert_int_eq(TraceQueryMajor(7), 1);
	ck_assert_int_eq(TraceEnable(256), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceDisable(-2), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceQueryMajor(-1), PU_ERROR_INVALID_PARAMETER);
	WORKS(TraceHookWords(1, 1, 0, NULL));
	WORKS(TraceSuspend());
	ck_assert_int_eq(IsTraceOn(), 0);
	ck_assert_int_eq(IsTraceActive(), 1);
	ck_assert_int_eq(TraceSuspend(), PU_ERROR_INCORRECT_STATE);
	WORKS(TraceHookWords(1, 1, 0, NULL));
	WORKS(TraceResume());
	WORKS(TraceOff());
	box_open_bare(&box);
	struct account a;
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 1);
	ck_assert_uint_eq(box.geometry.mode, SHM_MODE_WRAP);
	ck_assert_uint_eq(box.geometry.section_size, 4096);
	session_close(&box);
	WORKS(TraceDiscard());
	WORKS(TraceTerminate());
	ck_assert_int_eq(TraceOn(), PU_ERROR_NO_BUFFER);
	ck_assert_int_eq(TraceTerminate(), PU_ERROR_NO_BUFFER);
}
END_TEST

SANDBOX_MAIN(60, "control", .timeout = 60,
	TESTS(without_rings_there_is_little_to_do, on_and_off_are_refused_out_of_order,
		the_gate_follows_state_and_majors, plans_are_rounded_and_bounded,
		init_makes_a_new_generation, prealloc_leaves_no_hole,
		an_old_kernel_allocates_all_memory_at_once, more_than_fits_is_warned_of,
		no_space_leaves_the_old_rings, discard_starts_over,
		the_functions_of_perfutil_do_the_same))
