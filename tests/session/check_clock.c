/*
 * A session's clock: the rule for trusting the TSC, time namespaces, and the report on stamps that
 * were ahead of the clock.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../libtrace/core/clock_trust.h"
#include "../../libtrace/dump/drain/drain.h"
#include "../../libtrace/dump/meta.h"
#include "../../libtrace/dump/meta_lines.h"
#include "../../libtrace/session/clock_back.h"
#include "../lib/suites.h"
#include "../lib/trace_build.h"
#include "sandbox.h"

static enum clock_trust judged(bool invariant, const char *current, const char *available)
{
	struct clock_sources s;

	snprintf(s.current, sizeof s.current, "%s", current);
	snprintf(s.available, sizeof s.available, "%s", available);
	return clock_judge_tsc(invariant, &s);
}

START_TEST(a_tsc_that_the_kernel_lists_is_trusted)
{
	ck_assert_int_eq(judged(true, "tsc", "tsc hpet acpi_pm"), CLOCK_TRUST_KERNEL);
	ck_assert_int_eq(judged(true, "tsc-early", "tsc-early hpet"), CLOCK_TRUST_KERNEL);
	ck_assert_int_eq(judged(true, "kvm-clock", "kvm-clock tsc"), CLOCK_TRUST_KERNEL);
	ck_assert_int_eq(judged(true, "acpi_pm", "tsc acpi_pm"), CLOCK_TRUST_KERNEL);
	ck_assert_int_eq(judged(true, "tsc", ""), CLOCK_TRUST_KERNEL);
	ck_assert_int_eq(judged(true, "hyperv_clocksource_tsc_page", "hyperv_clocksource_tsc_page"),
		CLOCK_TRUST_KERNEL);
}
END_TEST

START_TEST(a_tsc_that_the_kernel_withdrew_is_not)
{
	ck_assert_int_eq(judged(true, "hpet", "hpet acpi_pm"), CLOCK_DISTRUST_WITHDRAWN);
	ck_assert_int_eq(judged(true, "jiffies", "jiffies"), CLOCK_DISTRUST_WITHDRAWN);
	ck_assert_int_eq(judged(true, "kvm-clock", "kvm-clock"), CLOCK_DISTRUST_WITHDRAWN);
	ck_assert_int_eq(judged(true, "xen", "xen tsc_of_another tscx"), CLOCK_DISTRUST_WITHDRAWN);
}
END_TEST

START_TEST(without_the_kernels_word_cpuid_decides)
{
	ck_assert_int_eq(judged(true, "", ""), CLOCK_TRUST_CPUID);
	ck_assert_int_eq(judged(false, "", ""), CLOCK_DISTRUST_RATE);
	ck_assert_int_eq(judged(false, "tsc", "tsc"), CLOCK_DISTRUST_RATE);
}
END_TEST

/* With SWTRACE_CLOCK=raw, which the library reads once, at load time. */
START_TEST(raw_time_of_another_namespace_does_not_fit)
{
	uint64_t own = clock_time_namespace();

	if (clock_kind() != TF_CLOCK_MONOTONIC_RAW) {
		ck_assert_int_eq(
			clock_fits_session(TF_CLOCK_MONOTONIC_RAW, own), PU_ERROR_NOT_SUPPORTED);
		return;
	}
	ck_assert_int_eq(clock_fits_session(TF_CLOCK_TSC, own), PU_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(clock_fits_session(TF_CLOCK_MONOTONIC_RAW, own), 0);
	ck_assert_int_eq(clock_fits_session(TF_CLOCK_MONOTONIC_RAW, 0), 0);
	if (own != 0)
		ck_assert_int_eq(clock_fits_session(TF_CLOCK_MONOTONIC_RAW, own + 1),
			PU_ERROR_INCOMPATIBLE_OPTIONS);
}
END_TEST

START_TEST(a_counter_is_the_same_in_all_namespaces)
{
	uint64_t other = clock_time_namespace() + 1;

	if (clock_kind() != TF_CLOCK_MONOTONIC_RAW)
		ck_assert_int_eq(clock_fits_session(clock_kind(), other), 0);
}
END_TEST

/* Like writers: at one section entry in each of two rings. */
START_TEST(a_clock_set_back_is_reported)
{
	struct clock_back back;
	struct session s;
	struct buffer meta = {0};
	char line[128];
	uint64_t figures[2] = {2, 0};

	sandbox_fresh();
	box_open(&s, SHM_MODE_NORMAL, 65536, 4096);
	ck_assert(session_clock_back(&s, &back));
	ck_assert_uint_eq(back.entries, 0);
	for (uint32_t ring = 0; ring < 2; ring++) {
		off_t at = (off_t)(ring_offset(&s.geometry, ring) +
				   offsetof(struct shm_ring, clock_back));

		figures[1] = (3 - ring) * s.geometry.ticks_per_second;
		ck_assert_int_eq(pwrite(s.rings_fd, figures, sizeof figures, at), sizeof figures);
	}
	ck_assert(session_clock_back(&s, &back));
	ck_assert_uint_eq(back.entries, 4);
	clock_back_text(&back, &s.geometry, line, sizeof line);
	ck_assert_str_eq(line, "found behind the stamps at 4 section entries, by 3 s at most");
	meta_lines(&meta, &s, NULL, 0, NULL);
	buffer_add(&meta, "", 1);
	ck_assert_ptr_nonnull(
		strstr((const char *)meta.p, "\nclock back: found behind the stamps at 4 "));
	buffer_free(&meta);
	session_remove(&s);
	session_close(&s);
}
END_TEST

/* Number of CLOCK sections in a file. */
static uint32_t clock_sections(const char *path)
{
	uint8_t h[TF_SECTION_SIZE];
	uint64_t at = TF_HEADER_SIZE;
	uint32_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && pread(fd, h, sizeof h, (off_t)at) == (ssize_t)sizeof h) {
		n += get_le16(h + TF_S_TYPE) == TF_TYPE_CLOCK;
		at += section_step(h);
	}
	if (fd >= 0)
		close(fd);
	return n;
}

/* Long before the regular sync, which is every 10 s. */
START_TEST(a_drain_writes_a_sync_when_the_clock_went_back)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	struct drain_config config = {.codec = TF_CODEC_NONE};
	struct session_error e = {""};
	struct drain *d;
	struct session s;
	uint64_t one = 1;
	uint32_t before, sequence = 0;

	sandbox_fresh();
	box_open(&s, SHM_MODE_CONTINUOUS, 65536, 4096);
	snprintf(config.path, sizeof config.path, "%s/back.bin", sandbox_dir());
	ck_assert_int_eq(drain_open(&d, &s, &config, &e), 0);
	before = clock_sections(config.path);
	ck_assert_int_eq(pwrite(s.rings_fd, &one, sizeof one,
				 (off_t)(ring_offset(&s.geometry, 0) +
					 offsetof(struct shm_ring, clock_back))),
		sizeof one);
	for (int i = 0; i < 500 && clock_sections(config.path) == before; i++) {
		for (int k = 0; k < 10; k++)
			checked_hook(1, sequence++, 100);
		ck_assert_int_ge(drain_round(d, &e), 0);
		nanosleep(&pause, NULL);
	}
	ck_assert_uint_eq(clock_sections(config.path), before + 1);
	ck_assert_int_eq(session_off(&s, &e), 0);
	ck_assert_int_eq(drain_finish(d, &e), 0);
	drain_close(d);
	session_remove(&s);
	session_close(&s);
}
END_TEST

SANDBOX_MAIN(60, "clock", .timeout = 60,
	TESTS(a_tsc_that_the_kernel_lists_is_trusted, a_tsc_that_the_kernel_withdrew_is_not,
		without_the_kernels_word_cpuid_decides, raw_time_of_another_namespace_does_not_fit,
		a_counter_is_the_same_in_all_namespaces, a_clock_set_back_is_reported,
		a_drain_writes_a_sync_when_the_clock_went_back))
