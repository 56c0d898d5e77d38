/*
 * The toolkit's own ops: hooks through perfutil.h, as any program would write them.
 */
#include "work.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "flag.h"
#include "swtrace.h"

/* MAJOR is enabled, MAJOR_OFF never. */
enum { MAJOR = 0x42, MAJOR_OFF = 0x43 };

static inline uint64_t read_clock(void)
{
	uint64_t now;

#if defined(__x86_64__)
	now = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
#else
	GetCycles(&now);
#endif
	return now;
}

static UINT32 words[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
static const TRACE_STRING string = {"sixteen letters.", 16};

/* One CPI instance per thread and mode, never freed. */
static void *cpi_instance(UINT32 mode)
{
	static _Thread_local void *instances[2 * CPI_TYPE_TRACE_QUALITY];
	void **instance = &instances[mode];

	if (!*instance && CpiInit(mode, instance) != PU_SUCCESS)
		die("CpiInit failed");
	return *instance;
}

static inline void interval(void *instance)
{
	CpiStart(instance);
	CpiGetAndTrace(instance, 1, CPI_TYPE_TRACE_SUMMARY, "bench", NULL);
}

static inline void light(void)
{
	SWTRACE_SCOPE("bench");
}

static inline void light_with_arguments(UINT64 n)
{
	SWTRACE_SCOPE("bench", SWT_U64("size", n), SWT_STR("key", "sixteen letters."));
}

static inline void begin_and_end(void)
{
	SwtraceBegin("bench");
	SwtraceEnd();
}

const char bench_events[] = "page-faults,minor-faults,major-faults,cpu-migrations";

/* The same events, without a library. */
static int bare_group(void)
{
	static const uint64_t config[] = {PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN,
		PERF_COUNT_SW_PAGE_FAULTS_MAJ, PERF_COUNT_SW_CPU_MIGRATIONS};
	static _Thread_local int leader = -1;

	for (int i = 0, first = leader; first < 0 && i < 4; i++) {
		struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
			.size = sizeof attr,
			.config = config[i],
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING};
		long fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0) {
			attr.exclude_kernel = 1;
			fd = syscall(
				SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
		}
		if (leader < 0)
			leader = (int)fd;
	}
	return leader;
}

static inline void interval_and_reads(void *instance, int group)
{
	uint64_t word[7];
	ssize_t n;

	CpiStart(instance);
	n = read(group, word, sizeof word);
	n = read(group, word, sizeof word);
	__asm__ volatile("" : : "r"(n));
	CpiGetAndTrace(instance, 1, CPI_TYPE_TRACE_SUMMARY, "bench", NULL);
}

unsigned work_items = WORK_LARGEST;

uint64_t *work_area(void)
{
	static _Thread_local uint64_t area[WORK_LARGEST] __attribute__((aligned(64)));

	for (unsigned i = 0; i < WORK_LARGEST && !area[0]; i++)
		area[WORK_LARGEST - 1 - i] = i + 1;
	return area;
}

/* clang-format off */
OP_LOOPS(none, , (void)0)
/* Lower bound for the gate's test; flag.h hides the value from the compiler. */
OP_LOOPS(empty, ,
	if (__builtin_expect(__atomic_load_n(&bench_flag[MAJOR], __ATOMIC_RELAXED) != 0, 0))
		bench_flag_is_set(i))
OP_LOOPS(rdtsc, , uint64_t now = read_clock(); __asm__ volatile("" : : "r"(now)))
OP_LOOPS(off, , TraceHookWords(MAJOR_OFF, (UINT32)i, 8, words))
OP_LOOPS(words0, , TraceHookWords(MAJOR, (UINT32)i, 0, words))
OP_LOOPS(words8, , TraceHookWords(MAJOR, (UINT32)i, 8, words))
OP_LOOPS(words20, , TraceHookWords(MAJOR, (UINT32)i, 20, words))
OP_LOOPS(string16, , TraceHookData(MAJOR, (UINT32)i, 0, NULL, 1, &string))
OP_LOOPS(variadic8, const UINT32 *w = words; __asm__ volatile("" : "+r"(w)),
	TraceHook(MAJOR, (UINT32)i, 8, 0, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]))
OP_LOOPS(group, void *instance = cpi_instance(CPI_TYPE_RAW),
	CpiGetAndTrace(instance, 1, CPI_TYPE_TRACE_SUMMARY, "bench", NULL))
OP_LOOPS(raw, void *instance = cpi_instance(CPI_TYPE_RAW), interval(instance))
OP_LOOPS(thread, void *instance = cpi_instance(CPI_TYPE_ONTHREAD), interval(instance))
OP_LOOPS(quality, void *instance = cpi_instance(CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_QUALITY),
	interval(instance))
OP_LOOPS(scaled, void *instance = cpi_instance(CPI_TYPE_SCALED), interval(instance))
OP_LOOPS(light, , light())
OP_LOOPS(light_args, , light_with_arguments(i))
OP_LOOPS(begin, , begin_and_end())
OP_LOOPS(reads, void *instance = cpi_instance(CPI_TYPE_RAW); int group = bare_group(),
	interval_and_reads(instance, group))
/* clang-format on */

#define LOOPS(name) tight_##name, work_##name

const struct op work_alone = {"none", LOOPS(none), 0, HERE, true};

const struct op our_ops[] = {
	{"empty", LOOPS(empty), 0, HERE, false},
	{"rdtsc", LOOPS(rdtsc), 0, HERE, true},
	{"off_disabled", LOOPS(off), 0, HERE, false},
	{"off_off", LOOPS(words8), 0, HERE_OFF, false},
	{"off_none", LOOPS(words8), 0, NO_SESSION, false},
	{"words0", LOOPS(words0), 1, HERE, true},
	{"words8", LOOPS(words8), 1, HERE, true},
	{"words20", LOOPS(words20), 1, HERE, true},
	{"string16", LOOPS(string16), 1, HERE, true},
	{"variadic8", LOOPS(variadic8), 1, HERE, true},
	/* Three hooks: the label, the summary, and the label again. */
	{"group", LOOPS(group), 3, HERE, true, .timed = true},
	{"guest8", LOOPS(words8), 1, GUEST, false},
};
const unsigned our_op_count = sizeof our_ops / sizeof *our_ops;

/* A summary and two labels, and for `quality` its hook. The time hook comes with the switch page,
 * or where the thread's clock is read anyway. */
const struct op interval_ops[] = {
	{"rdtsc", LOOPS(rdtsc), 0, HERE, true},
	{"off_raw", LOOPS(raw), 0, HERE_OFF, false},
	{"off_thread", LOOPS(thread), 0, HERE_OFF, false},
	{"off_quality", LOOPS(quality), 0, HERE_OFF, false},
	{"off_scaled", LOOPS(scaled), 0, HERE_OFF, false},
	{"off_light", LOOPS(light), 0, HERE_OFF, false},
	{"light", LOOPS(light), 1, HERE, true},
	{"light_args", LOOPS(light_args), 1, HERE, true},
	{"begin", LOOPS(begin), 1, HERE, true},
	{"raw", LOOPS(raw), 3, HERE, true, .timed = true},
	{"thread", LOOPS(thread), 4, HERE, true},
	{"quality", LOOPS(quality), 5, HERE, true},
	{"scaled", LOOPS(scaled), 3, HERE, true, .timed = true},
	{"reads", LOOPS(reads), 3, ALONE, false, .timed = true},
	{"events", LOOPS(raw), 4, EVENTS, false, .timed = true},
};
const unsigned interval_op_count = sizeof interval_ops / sizeof *interval_ops;

void ops_begin(void)
{
	int rc = TraceEnable(ALL_MAJORS);

	if (rc == PU_SUCCESS)
		rc = TraceDisable(MAJOR_OFF);
	if (rc != PU_SUCCESS)
		die("cannot control the session: %s", RcToString(rc));
	if (!IsTraceOn())
		die("tracing is off; SWTRACE_SESSION has to name a session that is on");
}

/* ---------------------------------------------------------------------- fwrite */

static FILE *file;
/* The size of a hook of 8 words; takes no time stamp. */
static const char record[56];

static FILE *rewound(void)
{
	rewind(file);
	return file;
}

OP_LOOPS(fwrite, FILE *f = rewound(), fwrite(record, sizeof record, 1, f))
const struct op fwrite_op = {"fwrite", LOOPS(fwrite), 0, HERE, false};

void fwrite_begin(const char *directory)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/fwrite", directory);
	file = fopen(path, "w");
	if (!file)
		die("cannot write %s", path);
}
