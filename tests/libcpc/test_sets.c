/* Handles, sets, requests, attributes, and the description of the machine. */
#include "suite.h"

#include <string.h>
#include <unistd.h>

START_TEST(only_the_current_version_opens)
{
	errno = 0;
	ck_assert_ptr_null(cpc_open(CPC_VER_CURRENT + 1));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_null(cpc_open(0));
	ck_assert_int_eq(errno, EINVAL);
}
END_TEST

/* By default errors are lines on stderr. */
START_TEST(errors_go_to_stderr_unless_handled)
{
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);
	cpc_set_t *set = cpc_set_create(cpc);
	char line[256] = "";
	int p[2], saved = dup(2);

	ck_assert_int_eq(pipe(p), 0);
	dup2(p[1], 2);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), -1);
	dup2(saved, 2);
	ck_assert_int_gt(read(p[0], line, sizeof line - 1), 0);
	ck_assert_str_eq(line, "libcpc: cpc_bind_curlwp: the set has no requests\n");
	close(p[0]), close(p[1]), close(saved);
	cpc_close(cpc);
}
END_TEST

START_TEST(a_handler_hears_function_and_subcode)
{
	cpc_t *cpc = open_quietly();
	cpc_set_t *set = cpc_set_create(cpc);

	ck_fails(cpc_set_add_request(cpc, set, "no-such-event", 0, CPC_COUNT_USER, 0, NULL), EINVAL,
		"no-such-event");
	ck_assert_str_eq(told.fn, "cpc_set_add_request");
	ck_assert_int_eq(told.subcode, CPC_INVALID_EVENT);
	ck_assert_int_eq(cpc_close(cpc), 0);
}
END_TEST

static cpc_t *calling;

static void calls_back(const char *fn, int subcode, const char *format, va_list ap)
{
	(void)fn, (void)subcode, (void)format, (void)ap;
	told.times++;
	ck_assert_int_eq(cpc_set_destroy(calling, cpc_set_create(calling)), 0);
}

START_TEST(a_handler_may_call_the_library)
{
	pctx_t absent = -1;
	cpc_set_t *set;

	calling = open_quietly();
	set = set_of(calling, "page-faults", 0, 0);
	cpc_seterrhndlr(calling, calls_back);
	ck_assert_int_eq(cpc_bind_pctx(calling, &absent, 0, set, 0), -1);
	ck_assert_int_eq(errno, ESRCH);
	absent = INT32_MAX;
	ck_assert_int_eq(cpc_bind_pctx(calling, &absent, 0, set, 0), -1);
	ck_assert_int_eq(errno, ESRCH);
	ck_assert_int_eq(cpc_unbind(calling, set), -1);
	ck_assert_int_eq(told.times, 3);
	ck_assert_int_eq(cpc_close(calling), 0);
}
END_TEST

START_TEST(an_unknown_handle_is_refused)
{
	cpc_t *cpc = open_quietly(), *other = open_quietly();
	cpc_set_t *set = set_of(cpc, "page-faults", 0, 0), *theirs = set_of(other, "faults", 0, 0);
	cpc_buf_t *buf = cpc_buf_create(cpc, set), *foreign = cpc_buf_create(other, theirs);
	uint64_t v;

	ck_assert_ptr_null(cpc_set_create(NULL));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_int_eq(cpc_close(NULL), -1);
	ck_assert_int_eq(cpc_seterrhndlr(NULL, NULL), -1);
	ck_fails(cpc_set_destroy(cpc, theirs), EINVAL, "another cpc handle");
	ck_fails(cpc_set_add_request(cpc, theirs, "faults", 0, CPC_COUNT_USER, 0, NULL), EINVAL,
		"another cpc handle");
	ck_fails(cpc_bind_curlwp(cpc, theirs, 0), EINVAL, "another cpc handle");
	ck_fails(cpc_bind_cpu(cpc, 0, theirs, 0), EINVAL, "another cpc handle");
	ck_fails(cpc_unbind(cpc, theirs), EINVAL, "another cpc handle");
	ck_fails(cpc_set_sample(cpc, theirs, buf), EINVAL, "another cpc handle");
	ck_fails(cpc_set_sample(cpc, set, foreign), EINVAL, "another cpc handle");
	ck_fails(cpc_set_restart(cpc, theirs), EINVAL, "another cpc handle");
	ck_fails(cpc_buf_get(cpc, foreign, 0, &v), EINVAL, "another cpc handle");
	ck_fails(cpc_buf_destroy(cpc, foreign), EINVAL, "another cpc handle");
	ck_fails(cpc_bind_curlwp(cpc, NULL, 0), EINVAL, "not a set");
	ck_fails(cpc_set_destroy(cpc, NULL), EINVAL, "not a set");
	ck_fails(cpc_bind_curlwp(cpc, (cpc_set_t *)buf, 0), EINVAL, "not a set");
	ck_fails(cpc_buf_get(cpc, NULL, 0, &v), EINVAL, "not a buffer");
	ck_fails(cpc_buf_get(cpc, (cpc_buf_t *)set, 0, &v), EINVAL, "not a buffer");
	ck_assert_ptr_null(cpc_buf_create(cpc, theirs));
	cpc_close(cpc);
	cpc_close(other);
}
END_TEST

START_TEST(requests_are_numbered_from_0)
{
	cpc_t *cpc = open_quietly();
	cpc_set_t *set = cpc_set_create(cpc);

	ck_assert_int_eq(
		cpc_set_add_request(cpc, set, "page-faults", 0, CPC_COUNT_USER, 0, NULL), 0);
	ck_assert_int_eq(cpc_set_add_request(cpc, set, "task-clock:u", 0, 0, 0, NULL), 1);
	ck_assert_int_eq(cpc_set_add_request(cpc, set, "context-switches", 0,
				 CPC_COUNT_USER | CPC_COUNT_SYSTEM, 0, NULL),
		2);
	cpc_close(cpc);
}
END_TEST

START_TEST(wrong_requests_are_refused)
{
	cpc_t *cpc = open_quietly();
	cpc_set_t *set = cpc_set_create(cpc);

	ck_fails(cpc_set_add_request(cpc, set, NULL, 0, CPC_COUNT_USER, 0, NULL), EINVAL, "event");
	ck_fails(cpc_set_add_request(cpc, set, "", 0, CPC_COUNT_USER, 0, NULL), EINVAL, "");
	ck_fails(cpc_set_add_request(cpc, set, "faults", 0, 0, 0, NULL), EINVAL, "nothing would");
	ck_assert_int_eq(told.subcode, CPC_REQ_INVALID_FLAGS);
	ck_fails(cpc_set_add_request(cpc, set, "faults", 0, CPC_COUNT_USER | 0x80, 0, NULL), EINVAL,
		"no such flag");
	ck_fails(cpc_set_add_request(cpc, set, "faults:k", 0, CPC_COUNT_USER, 0, NULL), EINVAL,
		"disagree");
	ck_fails(cpc_set_add_request(cpc, set, "faults", 0,
			 CPC_COUNT_USER | CPC_COUNT_SYSTEM | CPC_OVF_NOTIFY_EMT, 0, NULL),
		EINVAL, "user mode only");
	ck_fails(cpc_set_add_request(cpc, set, "context-switches", 0, CPC_COUNT_USER, 0, NULL),
		EINVAL, "CPC_COUNT_SYSTEM");
	ck_fails(cpc_set_add_request(cpc, set, "faults", 0, CPC_COUNT_USER, 1, NULL), EINVAL,
		"attributes");
	cpc_close(cpc);
}
END_TEST

START_TEST(a_name_that_is_too_long_is_refused)
{
	cpc_t *cpc = open_quietly();
	cpc_set_t *set = cpc_set_create(cpc);
	char name[1000];

	memset(name, 'a', sizeof name - 1);
	name[sizeof name - 1] = 0;
	ck_fails(cpc_set_add_request(cpc, set, name, 0, CPC_COUNT_USER, 0, NULL), EINVAL, "bytes");
	cpc_close(cpc);
}
END_TEST

START_TEST(a_set_has_32_requests_at_most)
{
	cpc_t *cpc = open_quietly();
	cpc_set_t *set = cpc_set_create(cpc);

	for (int i = 0; i < 32; i++)
		ck_assert_int_eq(
			cpc_set_add_request(cpc, set, "faults", 0, CPC_COUNT_USER, 0, NULL), i);
	ck_fails(cpc_set_add_request(cpc, set, "faults", 0, CPC_COUNT_USER, 0, NULL), EINVAL,
		"the maximum");
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	cpc_close(cpc);
}
END_TEST

/* Attributes are the terms of a PMU of sysfs: uprobe's are there on every kernel. */
START_TEST(attributes_are_checked)
{
	cpc_t *cpc = open_quietly();
	cpc_set_t *set = cpc_set_create(cpc);
	const cpc_attr_t one[] = {{"cmask", 1}}, pic[] = {{"picnum", 0}}, none[] = {{NULL, 0}};
	const cpc_attr_t good[] = {{"retprobe", 1}}, wide[] = {{"retprobe", 2}};
	const cpc_attr_t unknown[] = {{"nosuchterm", 1}};
	const bool uprobe =
		access("/sys/bus/event_source/devices/uprobe/format/retprobe", R_OK) == 0;

	ck_fails(cpc_set_add_request(cpc, set, "faults", 0, CPC_COUNT_USER, 1, one), EINVAL,
		"cmask");
	ck_assert_int_eq(told.subcode, CPC_INVALID_ATTRIBUTE);
	ck_fails(cpc_set_add_request(cpc, set, "faults", 0, CPC_COUNT_USER, 1, pic), EINVAL,
		"picnum");
	ck_fails(cpc_set_add_request(cpc, set, "faults", 0, CPC_COUNT_USER, 1, none), EINVAL,
		"no name");
	if (uprobe) {
		const char *e = "uprobe/ref_ctr_offset=0/";

		ck_assert_int_eq(cpc_set_add_request(cpc, set, e, 0, CPC_COUNT_USER, 1, good), 0);
		ck_fails(cpc_set_add_request(cpc, set, e, 0, CPC_COUNT_USER, 1, wide), EINVAL,
			"retprobe");
		ck_assert_int_eq(told.subcode, CPC_ATTRIBUTE_OUT_OF_RANGE);
		ck_fails(cpc_set_add_request(cpc, set, e, 0, CPC_COUNT_USER, 1, unknown), EINVAL,
			"nosuchterm");
		ck_assert_int_eq(told.subcode, CPC_INVALID_ATTRIBUTE);
	} else {
		puts("skipped: ranges of attributes: there is no uprobe PMU in sysfs");
	}
	cpc_close(cpc);
}
END_TEST

static void check_request(void *arg, int index, const char *event, uint64_t preset, uint_t flags,
	int nattrs, const cpc_attr_t *attrs)
{
	int *seen = arg;

	(void)attrs;
	ck_assert_int_eq(index, (*seen)++);
	ck_assert_str_eq(event, index ? "task-clock:u" : "page-faults");
	ck_assert_uint_eq(preset, index ? 7 : UINT64_MAX);
	ck_assert_uint_eq(flags, CPC_COUNT_USER);
	ck_assert_int_eq(nattrs, 0);
}

START_TEST(requests_are_walked_as_they_were_added)
{
	cpc_t *cpc = open_quietly();
	cpc_set_t *set = set_of(cpc, "page-faults", UINT64_MAX, 0);
	int seen = 0;

	cpc_set_add_request(cpc, set, "task-clock:u", 7, 0, 0, NULL);
	cpc_walk_requests(cpc, set, &seen, check_request);
	ck_assert_int_eq(seen, 2);
	cpc_close(cpc);
}
END_TEST

struct names {
	int all, faults, instructions;
};

static void count_name(void *arg, const char *event)
{
	struct names *n = arg;

	n->all++;
	n->faults += strcmp(event, "page-faults") == 0;
	n->instructions += strcmp(event, "instructions") == 0;
}

static void count_pic(void *arg, uint_t picno, const char *event)
{
	ck_assert_uint_eq(picno, 0);
	count_name(arg, event);
}

START_TEST(events_are_walked)
{
	cpc_t *cpc = open_quietly();
	struct names all = {0}, generic = {0}, pic = {0};

	cpc_walk_events_all(cpc, &all, count_name);
	cpc_walk_generic_events_all(cpc, &generic, count_name);
	ck_assert_int_eq(all.faults, 1);
	ck_assert_int_eq(generic.faults, 1);
	ck_assert_int_le(generic.all, all.all);
	if (cpc_npic(cpc) > 0) {
		cpc_walk_generic_events_pic(cpc, 0, &pic, count_pic);
		ck_assert_int_eq(pic.instructions, 1);
		ck_assert_int_eq(pic.faults, 0);
	}
	told.times = 0;
	cpc_walk_events_pic(cpc, cpc_npic(cpc), &pic, count_pic);
	ck_assert_int_eq(told.times, 1);
	ck_assert_int_eq(told.subcode, CPC_INVALID_PICNUM);
	cpc_close(cpc);
}
END_TEST

static void check_attr(void *arg, const char *attr)
{
	++*(int *)arg;
	ck_assert_uint_gt(strlen(attr), 0);
}

START_TEST(the_machine_is_described)
{
	cpc_t *cpc = open_quietly();
	int attrs = 0;

	ck_assert_uint_eq(
		cpc_caps(cpc) & ~(CPC_CAP_OVERFLOW_INTERRUPT | CPC_CAP_OVERFLOW_PRECISE), 0);
	ck_assert_uint_gt(strlen(cpc_cciname(cpc)), 0);
	ck_assert_uint_gt(strlen(cpc_cpuref(cpc)), 0);
	cpc_walk_attrs(cpc, &attrs, check_attr);
	if (cpc_npic(cpc) > 0)
		ck_assert_int_gt(attrs, 0);
	ck_assert_ptr_null(cpc_cciname(NULL));
	cpc_close(cpc);
}
END_TEST

Suite *sets_suite(void)
{
	return SUITE(
		"sets", TESTS(only_the_current_version_opens, errors_go_to_stderr_unless_handled,
				a_handler_hears_function_and_subcode,
				a_handler_may_call_the_library, an_unknown_handle_is_refused,
				requests_are_numbered_from_0, wrong_requests_are_refused,
				a_name_that_is_too_long_is_refused, a_set_has_32_requests_at_most,
				attributes_are_checked, requests_are_walked_as_they_were_added,
				events_are_walked, the_machine_is_described));
}
