/*
 * perfutil.h - CPI measurement and tracing, source-compatible with the Performance
 * Inspector's header of the same name. Link with libswtrace. The manual page
 * perfutil(3) explains the facility; this header is the contract.
 *
 * Errors: every int function returns PU_SUCCESS (0) or a negative PU_ code; RcToString
 * names it. Nothing here sets errno on purpose, prints, or ends the process.
 *
 * Threads: any thread may call any function. One thread at a time may use an instance of CPI or of
 * CPU utilisation. The TraceHook functions are async-signal-safe, need 1536 bytes of stack, and are
 * lock-free once the thread has written its first hook. A child of fork may trace; a child of vfork
 * and a CLONE_VM task that shares its parent's TLS must not.
 *
 * Off is not an error: with no trace session, with tracing off or with the major disabled, a
 * hook costs one load and a branch and returns PU_SUCCESS.
 */
#ifndef PERFUTIL_H
#define PERFUTIL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SWTRACE_API __attribute__((visibility("default")))
#else
#define SWTRACE_API
#endif

/* The loader resolves functions for signal handlers at start: the first call of a lazily bound
 * function needs kilobytes of stack. If the compiler lacks the attribute, link the program with
 * -Wl,-z,now. */
#define SWTRACE_HANDLER_API SWTRACE_API
#if defined(__has_attribute)
#if __has_attribute(noplt)
#undef SWTRACE_HANDLER_API
#define SWTRACE_HANDLER_API SWTRACE_API __attribute__((noplt))
#endif
#endif

typedef uint32_t UINT32;
typedef int32_t INT32;
typedef uint64_t UINT64;
typedef int64_t INT64;

#define MAX_CPUS 1024

/* ------------------------------------------------------------- return codes */

/* Numbers and names of the original toolkit's interface. */
#define PU_SUCCESS 0
#define PU_FAILURE (-1)
#define PU_ERROR_INVALID_FUNCTION (-2)
#define PU_ERR_NULL_PTR (-3)
#define PU_ERR_FILE_ERROR (-4)
#define PU_ERROR_ACCESS_DENIED (-5)
#define PU_ERR_NOT_INITIALIZED (-6)
#define PU_ERROR_NOT_ENOUGH_MEMORY (-8)
#define PU_ERROR_INVALID_PARAMETER (-87)
#define PU_ERROR_INSUFFICIENT_BUFFER (-122)
#define PU_ERROR_INTERNAL_ERROR (-200)
#define PU_ERROR_INCORRECT_STATE (-201)
#define PU_ERROR_NO_BUFFER (-202)
#define PU_ERROR_THREAD_NOT_FOUND (-203)
#define PU_ERROR_NO_TARGET_CPU (-204)
#define PU_ERROR_BUFFER_FULL (-205)
#define PU_ERROR_WRONG_PROCESSOR_TYPE (-206)
#define PU_ERROR_HOOK_TOO_LONG (-208)
#define PU_ERROR_DRIVER_NOT_LOADED (-209) /* here: no trace session */
#define PU_ERROR_NOT_SUPPORTED (-210)
#define PU_ERROR_FACILITY_BUSY (-211)
#define PU_ERROR_FACILITY_NOT_OWNED (-212)
#define PU_ERROR_EVENT_NOT_SUPPORTED (-213)
#define PU_ERROR_INVALID_CPI_DATA (-216)
#define PU_ERROR_INVALID_METRIC (-219)
#define PU_ERROR_STARTING_METRIC (-221)
#define PU_ERROR_INVALID_PRIVILEGE_LEVEL (-222)
#define PU_ERROR_DUPLICATE_METRICS (-223)
#define PU_ERROR_TOO_MANY_METRICS (-224)
#define PU_ERROR_EVENT_MAXIMUM_EXCEEDED (-225)
#define PU_ERROR_ALL_COUNTERS_IN_USE (-226)
#define PU_ERROR_STARTING_EVENT (-228)
#define PU_ERROR_EVENT_NOT_COUNTING (-229)
#define PU_ERROR_INVALID_EVENT (-230)
#define PU_ERROR_EVENT_ALREADY_COUNTING (-231)
#define PU_ERROR_NOT_VALID_IN_VM (-234)
#define PU_ERROR_EVENT_ALL_ESCR_IN_USE (-238)
#define PU_ERROR_BUFFER_ALREADY_ALLOCATED (-240)
#define PU_ERROR_INSUFFICIENT_RESOURCES (-241)
#define PU_ERROR_CANNOT_MAP_BUFFER (-242)
#define PU_ERROR_BUFFER_NOT_MAPPED (-243)
#define PU_ERROR_NOT_ALL_ENABLED (-253)
#define PU_ERROR_INVALID_THREAD (-255)
#define PU_ERROR_READING_PERFORMANCE_DATA (-257)
#define PU_ERROR_ALL_EVENT_SELECTS_IN_USE (-263)
#define PU_ERROR_INCOMPATIBLE_OPTIONS (-264)

/* Returns the name of a code ("PU_ERROR_NO_BUFFER"), or "PU_UNKNOWN" for any other number.
 * The string is constant. */
SWTRACE_API const char *RcToString(int rc);

/* ----------------------------------------------------------- CPI measurement */

/* Modes of CpiInit; the trace types are also the flags of CpiGetAndTrace. */
#define CPI_TYPE_RAW 0x01		/* raw CPI, always in effect */
#define CPI_TYPE_SCALED 0x02		/* scaled CPI and percent busy */
#define CPI_TYPE_ONTHREAD 0x04		/* CPI of the calling thread */
#define CPI_TYPE_TRACE_ON_GET 0x08	/* CpiGet also writes the hooks */
#define CPI_TYPE_TRACE_ONLY_ON_GET 0x10 /* CpiGet only writes the hooks and returns no data */
#define CPI_TYPE_TRACE_SUMMARY 0x20	/* write the summary hook */
#define CPI_TYPE_TRACE_DETAILED 0x40	/* write the three detailed hooks */
#define CPI_TYPE_ALL 0x7F
/*
 * Not in CPI_TYPE_ALL, never implied, and an extension of the original: also write the quality
 * hook, which records how the group's counts were obtained, and the time on a processor, context
 * switches, migrations and page faults of the thread that called CpiStart (see trace-file(5)).
 * These must be read at the start too: if the flag is given to CpiGetAndTrace but not to CpiInit,
 * if tracing was off at the start, or if another thread does the Get, the hook marks the thread's
 * part as unknown.
 */
#define CPI_TYPE_TRACE_QUALITY 0x80
#define CPI_TYPE_TRACE_EVERYTHING (CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_DETAILED)

#define CPI_TRACE_MAJOR 0xC0
#define CPI_TRACE_DEFAULT_MINOR 0x01

/*
 * The figures of one interval, from CpiStart (or CpiInit) to the Get. A figure that
 * was not requested or could not be measured is NAN. Indexes are CPU numbers; offline
 * CPUs are NAN.
 *
 * raw_cpi: processor cycles at the nominal rate over the interval, idle or not, per
 * instruction retired on that CPU. scaled_cpi: the cycles in which the CPU was not idle,
 * per instruction. cpu_busy: the percentage of the interval in which it was not idle. The
 * sys_ figures divide sums over all CPUs. thread_cpi: the calling thread's own.
 */
typedef struct _cpi_data CPI_DATA;
typedef struct _cpi_data cpi_data_t;
struct _cpi_data {
	int num_cpus;	       /* highest online CPU number + 1 */
	UINT32 tid;	       /* the thread that called CpiInit */
	UINT64 elapsed_cycles; /* ticks of the time stamp clock (see ReadCycles) */
	double raw_cpi[MAX_CPUS];
	double raw_sys_cpi;
	double scaled_cpi[MAX_CPUS];
	double scaled_sys_cpi;
	double cpu_busy[MAX_CPUS]; /* percent, 0 to 100 */
	double sys_busy;
	double thread_cpi;
};

/*
 * Creates an instance and starts its first interval. mode: CPI_TYPE_ flags. *handle is
 * the caller's until CpiTerminate. Counters that the machine does not offer are no error:
 * their figures are NAN. Errors: PU_ERR_NULL_PTR; PU_ERROR_INVALID_PARAMETER (unknown
 * flags; SWTRACE_COUNTERS names no source, or an invalid script);
 * PU_ERR_FILE_ERROR (that script cannot be read); PU_ERROR_NOT_ENOUGH_MEMORY;
 * PU_ERROR_INSUFFICIENT_RESOURCES (descriptors).
 */
SWTRACE_API int CpiInit(UINT32 mode, void **handle);

/* Ends an instance and frees it with its CPI_DATA. PU_ERR_NOT_INITIALIZED: the handle is not
 * valid. */
SWTRACE_API int CpiTerminate(void *handle);

/*
 * Starts an interval. On-thread figures are those of the calling thread; a Get by another
 * thread returns them as NAN.
 * While tracing is off, CpiStart reads only the clock if this instance has had a Get, but none with
 * a cd. If the next one has, or tracing is turned on before it, all figures of that interval but
 * elapsed_cycles are NAN. Before the first Get, and after one with a cd, CpiStart always reads the
 * counters.
 */
SWTRACE_API int CpiStart(void *handle);

/*
 * Returns the figures since the start of the interval, which goes on: a second Get returns the
 * figures from the same start. *cd points at data of the instance, valid until the next
 * call with this handle. CPI_TYPE_TRACE_ON_GET also writes the hooks; with
 * CPI_TYPE_TRACE_ONLY_ON_GET cd is left unchanged and may be NULL.
 * Counters that cannot be read are NAN. Errors: PU_ERR_NULL_PTR, PU_ERR_NOT_INITIALIZED; with
 * a trace flag also those of CpiGetAndTrace.
 */
SWTRACE_API int CpiGet(void *handle, const CPI_DATA **cd);

/*
 * As CpiGet, and writes a hook group, all or none of it: label, data, label. minor_code:
 * 0x00 to 0xFF. flags: CPI_TYPE_TRACE_SUMMARY and _DETAILED select hooks of this call, in
 * addition to those of CpiInit; if neither selects any, the summary is written.
 * CPI_TYPE_TRACE_QUALITY, here or in CpiInit, adds the quality hook. Other CPI_TYPE_ flags are
 * ignored here. label: NULL for none; any bytes but NUL. cd may be NULL.
 * The data are returned even if the hooks were lost; then the return code says why
 * (PU_ERROR_BUFFER_FULL, PU_ERROR_HOOK_TOO_LONG, PU_ERROR_NO_BUFFER).
 */
SWTRACE_API int CpiGetAndTrace(
	void *handle, int minor_code, UINT32 flags, const char *label, const CPI_DATA **cd);

/* Sets the minor code (0x00 to 0xFF) and label of the hooks that CpiGet writes from now on.
 * The label is copied. Without this call: CPI_TRACE_DEFAULT_MINOR, no label. */
SWTRACE_API int CpiSetTraceHookId(void *handle, int minor_code, const char *label);

/* Returns the flags of CpiInit, CPI_TYPE_RAW included, or 0 if the handle is not valid. */
SWTRACE_API UINT32 CpiGetCurrentMode(void *handle);

/* ----------------------------------------------------------- CPU utilisation */

/*
 * Utilisation ("above idle"), from the processors' clock control if this machine lets it be read:
 * unhalted clock ticks in an interval over the elapsed time at the processor's actual frequency.
 * Otherwise from the kernel's idle accounting. Each process chooses the method once, by what the
 * processors offer. AiMethod and CPUUTIL_DATA report it.
 */

/* How busy time was measured. */
#define AI_METHOD_NONE 0      /* not at all */
#define AI_METHOD_REFERENCE 1 /* unhalted reference clock ticks (they count at a constant rate) */
#define AI_METHOD_MPERF 2     /* the same, as the mperf register counts them */
#define AI_METHOD_CYCLES 3    /* unhalted core clock ticks, over the actual frequency */
#define AI_METHOD_IDLE_FINE 4 /* the kernel's idle time, ns (/proc/timer_list) */
#define AI_METHOD_IDLE_TICK 5 /* the kernel's idle time, 1/USER_HZ (/proc/stat) */
#define AI_METHOD_SCRIPT 6    /* scripted, not measured */

/* In AI_COUNTERS: not measured. Test before subtracting: two of these values differ by 0. */
#define AI_NOT_MEASURED UINT64_MAX
#define AI_COUNT_NOT_MEASURED UINT32_MAX

/*
 * A processor's activity since AiInit, in ticks of the time stamp clock (see ReadCycles): IdleTime,
 * BusyTime and IntrTime divide the time by which CurTime advances. If the time in interrupts is not
 * measured, BusyTime includes it; time stolen by a hypervisor is in none. A processor that could
 * not be read keeps the counts of its last reading. All counts of an offline processor are
 * AI_NOT_MEASURED; when it comes back they continue from their last values.
 */
typedef struct _ai_counters AI_COUNTERS;
typedef struct _ai_counters ai_counters_t;
struct _ai_counters {
	UINT64 CurTime;	 /* the time stamp clock when the processor's counters were read */
	UINT64 IdleTime; /* halted, or the kernel's idle task */
	UINT64 BusyTime; /* neither idle nor in interrupts */
	UINT64 IntrTime; /* hard and soft interrupts */
	UINT32 DispCnt;	 /* context switches; wraps before AI_COUNT_NOT_MEASURED */
	UINT32 IntrCnt;	 /* interrupts taken; wraps before AI_COUNT_NOT_MEASURED */
};

/*
 * Begins counting. Calls nest: each needs its AiTerminate. Errors: those of CpiInit, and
 * PU_ERROR_NOT_SUPPORTED (no source here measures busy and idle time: AiWhy says why).
 */
SWTRACE_API int AiInit(void);
SWTRACE_API void AiTerminate(void);
/* Allocates an array of zeroed AI_COUNTERS, one per processor: GetActiveProcessorCount() as it was
 * at the first AiInit or AiAllocCounters. *size, unless NULL, becomes its size in bytes. Returns
 * NULL if out of memory. */
SWTRACE_API AI_COUNTERS *AiAllocCounters(int *size);
/* NULL is allowed. */
SWTRACE_API void AiFreeCounters(AI_COUNTERS *counters);
SWTRACE_API void AiZeroCounters(AI_COUNTERS *counters);
/* Fills an array of AiAllocCounters. Handles counter overflow: the counts never decrease
 * while the program samples at least once a minute. Errors: PU_ERR_NULL_PTR,
 * PU_ERR_NOT_INITIALIZED (no AiInit), PU_ERROR_READING_PERFORMANCE_DATA. */
SWTRACE_API int AiGetCounters(AI_COUNTERS *counters);

/* Not in the original. Return the AI_METHOD_ of this process (choosing it if necessary); a method's
 * readable name ("unhalted reference clock ticks (perf)"); and why no better one is in use, with
 * advice, or "" if it is the best. Constant strings of the library. */
SWTRACE_API int AiMethod(void);
SWTRACE_API const char *AiMethodName(int method);
SWTRACE_API const char *AiWhy(void);

/* Default period of CpuUtilSample, in milliseconds. */
#define CPUUTIL_DEFAULT_PERIOD_MS 300

#define CPUUTIL_TRACE_MAJOR_CODE 0xC8
#define CPUUTIL_TRACE_MINOR_CODE 0x01

/* Modes of CpuUtilInit, and flags of CpuUtilGetAndTrace. */
#define CPUUTIL_TRACE_NONE 0x00000000
#define CPUUTIL_TRACE_SUMMARY 0x00000001  /* percentages: the summary hook */
#define CPUUTIL_TRACE_DETAILED 0x00000002 /* counts: the per-processor hook */
#define CPUUTIL_TRACE_EVERYTHING (CPUUTIL_TRACE_SUMMARY | CPUUTIL_TRACE_DETAILED)

/* CPUUTIL_DATA.flags. The first is the original's, the others are not. */
#define CPUUTIL_DATA_FLAG_SLOWTSC 0x00000001	  /* the clock slowed or stopped in the interval */
#define CPUUTIL_DATA_FLAG_CPUS_CHANGED 0x00000002 /* a processor went on- or offline */
#define CPUUTIL_DATA_FLAG_SCALED 0x00000004	  /* a counter ran for part of the time */

/*
 * The figures of one interval. Percentages are of the elapsed time. busy, idle and intr add up to
 * 100 if all three were measured; if intr is NAN, busy and idle do (busy then includes the time in
 * interrupts). Time stolen by a hypervisor is in none of them and lowers the sum. A figure that was
 * not measured (for example in an interval too short for the kernel's accounting), or whose
 * processor was not online from end to end, is NAN, a count AI_COUNT_NOT_MEASURED. sys_ figures
 * cover all other processors together. Layout and names are the original's, except MAX_CPUS and
 * the members after flags.
 */
typedef struct _cpuutil_data CPUUTIL_DATA;
typedef struct _cpuutil_data cpuutil_data_t;
struct _cpuutil_data {
	UINT64 elapsed_cycles; /* ticks of the time stamp clock */
	double cpu_busy[MAX_CPUS];
	double cpu_idle[MAX_CPUS];
	double cpu_intr[MAX_CPUS];
	/* Actual performance while not halted, in percent of the nominal frequency: above 100 in
	 * turbo modes. Multiplied by busy: the share of the nominal speed that was used. */
	double cpu_actual_perf[MAX_CPUS];
	double sys_busy;
	double sys_idle;
	double sys_intr;
	double sys_actual_perf;
	UINT32 cpu_disp_cnt[MAX_CPUS]; /* context switches */
	UINT32 cpu_intr_cnt[MAX_CPUS]; /* interrupts taken */
	int num_cpus;		       /* highest online CPU number + 1 */
	UINT32 flags;		       /* CPUUTIL_DATA_FLAG_ */
	int method;		       /* AI_METHOD_ */
};

/* Creates an instance and starts its first interval. trace_mode: CPUUTIL_TRACE_ flags, the hooks
 * that CpuUtilGet writes. Errors: those of AiInit, and PU_ERROR_INVALID_PARAMETER. */
SWTRACE_API int CpuUtilInit(UINT32 trace_mode, void **handle);
/* Errors of every function with a handle: PU_ERR_NULL_PTR, PU_ERR_NOT_INITIALIZED (the handle is
 * not valid). */
SWTRACE_API int CpuUtilTerminate(void *handle);
/* Restarts the interval now. */
SWTRACE_API int CpuUtilStart(void *handle);
/* Returns the figures since the start, which does not move. *data stays valid until the next call
 * with this handle. */
SWTRACE_API int CpuUtilGet(void *handle, const CPUUTIL_DATA **data);
/* Like CpuUtilGet, and writes a hook group (major CPUUTIL_TRACE_MAJOR_CODE; cpuutil.hooks), all or
 * none of it: label, the hooks of trace_mode (the summary if it names none), label.
 * minor_code 0x00 to 0xFF; label NULL: none; data may be NULL. Otherwise as CpiGetAndTrace. */
SWTRACE_API int CpuUtilGetAndTrace(void *handle, int minor_code, UINT32 trace_mode,
	const char *label, const CPUUTIL_DATA **data);
SWTRACE_API int CpuUtilSetTraceHookId(void *handle, int minor_code, const char *label);

/*
 * Not in the original. Samples every period_ms (0: CPUUTIL_DEFAULT_PERIOD_MS) without drift: the
 * call samples the start, and the n-th sample is due n periods later. If a sample is more than a
 * period late, the samples already due are skipped. Writes hooks as CpuUtilGet does, and calls
 * sampled after each sample with the interval since the previous one, until sampled returns
 * non-zero; returns that value. Runs in the calling thread; a signal does not end it. The callback
 * must not end the instance.
 */
SWTRACE_API int CpuUtilSample(void *handle, UINT32 period_ms,
	int (*sampled)(const CPUUTIL_DATA *data, void *context), void *context);

/* -------------------------------------------------------------------- clocks */

/* The time stamp clock: TSC ticks on x86-64, generic timer ticks on AArch64, ns of
 * CLOCK_MONOTONIC_RAW if neither can be trusted. Cheap and monotonic per CPU. */
SWTRACE_HANDLER_API void GetCycles(UINT64 *cycles);
SWTRACE_HANDLER_API UINT64 ReadCycles(void);

/* Return the time between two stamps; negative if end is before start. */
SWTRACE_API double CyclesToSeconds(double start, double end);
SWTRACE_API double CyclesToMilliseconds(double start, double end);
SWTRACE_API double CyclesToMicroseconds(double start, double end);

/* Returns the highest online CPU number + 1, at most MAX_CPUS. */
SWTRACE_API int GetActiveProcessorCount(void);

/* ------------------------------------------------------------- trace control */

#define ALL_MAJORS (-1)

#define TRACE_MODE_NORMAL 0
#define TRACE_MODE_WRAP 1
#define TRACE_MODE_CONTINUOUS 2

/*
 * These functions control the session that this program traces in (see swtrace(1), SESSIONS). Only
 * the session's owner may call them: PU_ERROR_ACCESS_DENIED for others. Other errors:
 * PU_ERROR_INVALID_PARAMETER, PU_ERROR_INCORRECT_STATE (on while on, init while on, ...),
 * PU_ERROR_NO_BUFFER (no rings: TraceInit first), PU_ERROR_INSUFFICIENT_RESOURCES (no
 * space in /dev/shm), PU_ERR_FILE_ERROR.
 */

/*
 * Creates rings of this size per processor (0: 3 MiB; continuous mode 16 MiB, or less if /dev/shm
 * is small) and drops the old ones. Mode and section size are as set before. Afterwards every major
 * is enabled and tracing is off. Continuous mode takes the file's name from TraceSetName now; it
 * cannot be "-" (PU_ERROR_INVALID_PARAMETER). PU_ERROR_FACILITY_BUSY: a drain is still finishing
 * its file.
 */
SWTRACE_API int TraceInit(UINT32 bytes_per_cpu);
/* Turns tracing off, as TraceOff does, and frees the rings. */
SWTRACE_API int TraceTerminate(void);
/*
 * Turns tracing on. In continuous mode it first starts the drain, or another one if the drain was
 * killed: a separate process, forked from this one but not its child, which shares its memory
 * copy-on-write until tracing ends. Tracing is on once the drain has begun its file.
 * PU_ERR_FILE_ERROR: the file cannot be created; PU_FAILURE: the drain ended at once.
 */
SWTRACE_API int TraceOn(void);
/*
 * Turns tracing off. In continuous mode returns once the drain's file is complete; finishes the
 * file itself if the drain was killed. PU_ERR_FILE_ERROR: the file could not be written.
 * PU_ERROR_FACILITY_BUSY: tracing is off, and the drain has written nothing for 10 s; it goes on.
 */
SWTRACE_API int TraceOff(void);
/* TraceSuspend stops the hooks while tracing stays on. TraceResume restarts them. */
SWTRACE_API int TraceSuspend(void);
SWTRACE_API int TraceResume(void);
/* Discards the contents of the rings. */
SWTRACE_API int TraceDiscard(void);
/* major: 0 to 255 or ALL_MAJORS. */
SWTRACE_API int TraceEnable(int major);
SWTRACE_API int TraceDisable(int major);
/* Returns 1 if the major is enabled, 0 if not or without a session. */
SWTRACE_API int TraceQueryMajor(int major);
/* Take effect at the next TraceInit of this process. */
SWTRACE_API int TraceSetMode(UINT32 mode);
SWTRACE_API int TraceSetSectionSize(int bytes);
/* Sets the file of TraceWriteBufferToFile(NULL), and of continuous mode from the next TraceInit on;
 * default swtrace.bin. TraceGetName's string is valid until the next TraceSetName. */
SWTRACE_API int TraceSetName(char *file);
SWTRACE_API char *TraceGetName(void);
/* Dumps the rings (whether tracing is on or not) to a file, LZ4-compressed. A rename makes the
 * complete file appear at once. NULL: the file of TraceSetName. */
SWTRACE_API int TraceWriteBufferToFile(const char *file);
/* Returns 1 if tracing is on and not suspended, else 0. */
SWTRACE_API int IsTraceOn(void);
/* Returns 1 if tracing is on, suspended or not, else 0. */
SWTRACE_API int IsTraceActive(void);

/* --------------------------------------------------------------------- hooks */

/* One word per major, non-zero while its hooks are wanted. Internal to the inline tests
 * below: the library maps the session's control page here. */
#if defined(__aarch64__)
#define SWTRACE_GATE_SIZE 65536
#else
#define SWTRACE_GATE_SIZE 4096
#endif
SWTRACE_API extern UINT32 swtrace_gate[SWTRACE_GATE_SIZE / 4];

/* A string of a hook: any bytes. */
typedef struct {
	const void *bytes;
	UINT32 length;
} TRACE_STRING;

/*
 * Writes a hook: major 0 to 255, any minor, nints words (UINT32 or int), then nstrings
 * NUL-terminated strings (const char *). At most 65535 words and 255 strings. Errors:
 * PU_ERROR_INVALID_PARAMETER, PU_ERR_NULL_PTR (a string), PU_ERROR_HOOK_TOO_LONG (does
 * not fit in a section), PU_ERROR_BUFFER_FULL (normal mode: the ring is full),
 * PU_ERROR_NO_BUFFER (no ring could be entered: counted as held or as no guest ring); and if
 * the process cannot attach to the session: PU_ERROR_INSUFFICIENT_RESOURCES (no descriptors),
 * PU_ERROR_NOT_ENOUGH_MEMORY, PU_ERROR_CANNOT_MAP_BUFFER, PU_ERR_FILE_ERROR,
 * PU_ERROR_NOT_SUPPORTED (the session's clock), PU_ERROR_INCOMPATIBLE_OPTIONS (its time
 * namespace); attaching is retried every 100 ms.
 * Lost hooks are counted, by ring and cause. While the major is off, arguments
 * other than major are ignored.
 */
SWTRACE_HANDLER_API int TraceHook(UINT32 major, UINT32 minor, INT32 nints, INT32 nstrings, ...);

/* TraceHook from arrays: the fast form. Strings may hold NUL bytes. */
SWTRACE_HANDLER_API int TraceHookWords(
	UINT32 major, UINT32 minor, UINT32 nwords, const UINT32 *words);
SWTRACE_HANDLER_API int TraceHookData(UINT32 major, UINT32 minor, UINT32 nwords,
	const UINT32 *words, UINT32 nstrings, const TRACE_STRING *strings);

/*
 * *hooks becomes the number of hooks that this process has lost since its start because it could
 * not attach to the session. Once it attaches, the session counts them as lost too (unattached).
 * Hooks from before the session could be examined are included until it turns out that there is no
 * session. Not for signal handlers. Error: PU_ERR_NULL_PTR.
 */
SWTRACE_API int TraceGetUnattached(UINT64 *hooks);

/*
 * Registers a schema: it describes the hooks of the program's own majors, in the language of
 * hook-schema.md. Every dump of the session carries it. The text is copied, and kept for sessions
 * that begin later. Errors: PU_ERR_NULL_PTR, PU_ERROR_INVALID_PARAMETER (the text breaks a rule of
 * the language, has no major line, or is longer than 64 KiB: TraceCheckSchema says where and
 * why), PU_ERROR_NOT_ENOUGH_MEMORY, PU_ERROR_INSUFFICIENT_BUFFER (the session's 256 KiB for
 * schemas are used up). Not for signal handlers.
 */
SWTRACE_API int TraceRegisterSchema(const char *text);

/* Why a schema is refused. */
typedef struct {
	UINT32 line;	  /* from 1; 0: the whole text */
	char reason[120]; /* readable text, NUL-terminated; "" if the schema is accepted */
} TRACE_SCHEMA_ERROR;

/*
 * Not in the original. Checks whether TraceRegisterSchema accepts the text. Registers nothing and
 * needs no session. *error, unless NULL, receives the first line that is refused. Errors:
 * PU_ERR_NULL_PTR (*error is then unchanged), PU_ERROR_INVALID_PARAMETER,
 * PU_ERROR_NOT_ENOUGH_MEMORY. Any thread; not for signal handlers.
 */
SWTRACE_API int TraceCheckSchema(const char *text, TRACE_SCHEMA_ERROR *error);

#if defined(__GNUC__)
/* Returns 1 if hooks of this major are wanted now; for programs that prepare data for them. */
static inline int TraceMajorIsOn(UINT32 major)
{
	return major < 256 && __atomic_load_n(&swtrace_gate[major], __ATOMIC_RELAXED) != 0;
}

static inline int swtrace_hook_is_off(UINT32 major)
{
	return major < 256 &&
	       __builtin_expect(__atomic_load_n(&swtrace_gate[major], __ATOMIC_RELAXED) == 0, 1);
}

/* Each argument is evaluated at most once; those after major not at all while the major is off. */
#define TraceHook(major, ...)                                                                      \
	__extension__({                                                                            \
		UINT32 swtrace_major_ = (UINT32)(major);                                           \
		swtrace_hook_is_off(swtrace_major_) ? PU_SUCCESS                                   \
						    : (TraceHook)(swtrace_major_, __VA_ARGS__);    \
	})
#define TraceHookWords(major, ...)                                                                 \
	__extension__({                                                                            \
		UINT32 swtrace_major_ = (UINT32)(major);                                           \
		swtrace_hook_is_off(swtrace_major_)                                                \
			? PU_SUCCESS                                                               \
			: (TraceHookWords)(swtrace_major_, __VA_ARGS__);                           \
	})
#define TraceHookData(major, ...)                                                                  \
	__extension__({                                                                            \
		UINT32 swtrace_major_ = (UINT32)(major);                                           \
		swtrace_hook_is_off(swtrace_major_)                                                \
			? PU_SUCCESS                                                               \
			: (TraceHookData)(swtrace_major_, __VA_ARGS__);                            \
	})
#endif

#ifdef __cplusplus
}
#endif

#endif
