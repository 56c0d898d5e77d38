/*
 * libcpidecode: reads the traces that swtrace writes, on any machine.
 *
 *	cpidecode_trace *t;
 *	int rc = cpidecode_open("trace.bin", &t);
 *	if (rc)
 *		... cpidecode_strerror(rc) ...
 *	cpidecode_hooks *it;
 *	rc = cpidecode_hooks_open(t, &it);
 *	const cpidecode_hook *h;
 *	while (!rc && (rc = cpidecode_hooks_next(it, &h)) > 0)
 *		... h->ticks, h->minor ...
 *	cpidecode_hooks_close(it);
 *	cpidecode_close(t);
 *
 * Errors: functions that return int return 0 (or a count, where stated) or one of the
 * negative CPIDECODE_E codes. A damaged trace is not an error: what stands on either
 * side of the damage is read, and cpidecode_damage() says what could not be.
 *
 * Units: ticks are of the file's clock (cpidecode_file_info.ticks_per_second); _ns are
 * nanoseconds of CLOCK_REALTIME. A double is NaN and a count CPIDECODE_NOT_MEASURED
 * where the trace does not say: nothing is ever made up.
 *
 * Ownership: what a function hands out belongs to the object it came from and lives
 * as long as that, unless its comment says less.
 *
 * Threads: the library has no global state, prints nothing and never exits. Different
 * traces may be used by different threads at once. Once opened, a trace may be read by
 * several threads, each with iterators of its own; close it when they are done.
 *
 * Input is untrusted: any bytes give a result or an error, within bounded memory.
 */
#ifndef CPIDECODE_H
#define CPIDECODE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CPIDECODE_API __attribute__((visibility("default")))
#else
#define CPIDECODE_API
#endif

enum cpidecode_error {
	CPIDECODE_OK = 0,
	CPIDECODE_ENOMEM = -1,	   /* out of memory */
	CPIDECODE_EINVAL = -2,	   /* an argument makes no sense */
	CPIDECODE_EOPEN = -3,	   /* the file cannot be opened: errno says why */
	CPIDECODE_EREAD = -4,	   /* reading failed: errno says why */
	CPIDECODE_ESPOOL = -5,	   /* no temporary file to keep a pipe's bytes in: see errno */
	CPIDECODE_ENOTTRACE = -6,  /* not a trace: the magic bytes are missing */
	CPIDECODE_EVERSION = -7,   /* a trace of another major version */
	CPIDECODE_ETRUNCATED = -8, /* cut off within the file header */
	CPIDECODE_ECLOCK = -9,	   /* the clock's rate is not in the file and cannot be derived */
	CPIDECODE_ESCHEMA = -10,   /* a schema breaks a rule of its language */
	CPIDECODE_ECANCELED = -11, /* a callback asked to stop */
};

/* A constant string, without a final newline; for unknown codes too. */
CPIDECODE_API const char *cpidecode_strerror(int code);

/* The version of the library, "MAJOR.MINOR.PATCH". */
CPIDECODE_API const char *cpidecode_version(void);

#define CPIDECODE_NOT_MEASURED UINT64_MAX
#define CPIDECODE_GUEST_RING 0x80000000u /* rings from here on are not a processor's */

/* One or several trace files, merged by time. */
typedef struct cpidecode_trace cpidecode_trace;

/* path "-" is standard input. On failure *t is NULL and errno is set where the code says so. */
CPIDECODE_API int cpidecode_open(const char *path, cpidecode_trace **t);
/* Several files. On failure *failed, unless NULL, is the index of the file at fault. */
CPIDECODE_API int cpidecode_open_files(
	const char *const *paths, size_t n, cpidecode_trace **t, size_t *failed);
/*
 * fd is read from its current offset to its end, and is not closed. A pipe is copied to
 * an unlinked temporary file (in TMPDIR, else /var/tmp, else /tmp) before this returns;
 * a regular file is read while the trace is in use and must stay open until its close.
 */
CPIDECODE_API int cpidecode_open_fd(int fd, cpidecode_trace **t);
/* The bytes must stay there until the trace is closed. */
CPIDECODE_API int cpidecode_open_memory(const void *bytes, size_t n, cpidecode_trace **t);
/* Iterators and interval sets of the trace must be closed before it. NULL is fine. */
CPIDECODE_API void cpidecode_close(cpidecode_trace *t);

typedef struct cpidecode_file_info {
	const char *path; /* as given; "-" for a descriptor or memory */
	uint8_t trace_id[16];
	uint32_t version_minor;
	uint32_t cpus;	/* configured processors */
	uint32_t clock; /* 1 TSC, 2 CLOCK_MONOTONIC_RAW, 3 AArch64 generic timer */
	uint32_t flags; /* bit 0: some counters were scripted, not measured */
	uint64_t ticks_per_second;
	uint64_t bytes, sections;
	int64_t first_ns, last_ns; /* of the hooks, as the section headers say; 0, 0: none */
	uint64_t hooks;		   /* as the section headers say */
	uint64_t damaged_bytes;	   /* sum of all stretches of cpidecode_damage() */
	int header_damaged;	   /* the header's checksum does not hold */
	int cut_off;		   /* the END section is missing */
} cpidecode_file_info;

CPIDECODE_API size_t cpidecode_files(const cpidecode_trace *t);
CPIDECODE_API int cpidecode_file(const cpidecode_trace *t, size_t file, cpidecode_file_info *info);

/*
 * META line i of a file: 0, or CPIDECODE_EINVAL when there is none. Key and value are
 * not NUL-terminated and may hold any bytes but newlines.
 */
CPIDECODE_API int cpidecode_meta(const cpidecode_trace *t, size_t file, size_t i, const char **key,
	size_t *key_length, const char **value, size_t *value_length);

/* A stretch of a file that could not be read. */
typedef struct cpidecode_damage_info {
	uint64_t offset, bytes;
	const char *why;
} cpidecode_damage_info;

/*
 * Stretch i of a file: 0, or CPIDECODE_EINVAL when there is none. Opening finds all
 * damage that checksums can show; iterating may find more (a payload that does not
 * unpack, malformed records): ask that with cpidecode_hooks_counts().
 */
CPIDECODE_API int cpidecode_damage(
	const cpidecode_trace *t, size_t file, size_t i, cpidecode_damage_info *info);

/* What the writer lost on a ring, from the trace's LOSS sections. */
typedef struct cpidecode_loss_info {
	uint32_t ring, reserved;
	uint64_t full, too_big, held, no_guest; /* hooks lost, by cause */
	uint64_t overwritten, torn;		/* hooks */
	uint64_t skipped;			/* sections */
} cpidecode_loss_info;

/* Ring i of those with LOSS entries: 0, or CPIDECODE_EINVAL when there is none. */
CPIDECODE_API int cpidecode_loss(
	const cpidecode_trace *t, size_t file, size_t i, cpidecode_loss_info *info);

/* One hook. The pointers are valid until the iterator's next step. */
typedef struct cpidecode_hook {
	uint64_t ticks;
	int64_t time_ns;
	uint32_t ring; /* CPU number, or CPIDECODE_GUEST_RING and up */
	uint32_t tid;
	uint32_t pid; /* 0: unknown */
	uint32_t minor;
	uint8_t major;
	uint8_t nstrings;
	uint16_t nwords;
	uint32_t file;		/* index of the file */
	uint64_t position;	/* in its ring */
	const char *task;	/* NUL-terminated, any bytes; NULL: unknown */
	const char *name;	/* of the hook, from its schema; NULL: nobody describes it */
	const uint8_t *words;	/* nwords little-endian 32-bit words */
	const uint8_t *strings; /* for cpidecode_hook_string() */
} cpidecode_hook;

static inline uint32_t cpidecode_hook_word(const cpidecode_hook *h, unsigned i)
{
	const uint8_t *p = h->words + 4 * (size_t)i;
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* String i (below nstrings): its first byte; no terminator. NULL: there is none. */
CPIDECODE_API const char *cpidecode_hook_string(
	const cpidecode_hook *h, unsigned i, size_t *length);

/* Hooks in order: ticks, then ring, then position; several files: CLOCK_REALTIME first. */
typedef struct cpidecode_hooks cpidecode_hooks;

CPIDECODE_API int cpidecode_hooks_open(const cpidecode_trace *t, cpidecode_hooks **it);
/* 1 and a hook, 0 at the end, or an error. */
CPIDECODE_API int cpidecode_hooks_next(cpidecode_hooks *it, const cpidecode_hook **hook);

typedef struct cpidecode_counts {
	uint64_t hooks;	    /* handed out */
	uint64_t torn;	    /* records that were never committed */
	uint64_t malformed; /* records that contradict themselves */
	uint64_t damaged;   /* sections that do not unpack, or are cut short by a bad record */
} cpidecode_counts;

/* Of what was read so far. */
CPIDECODE_API void cpidecode_hooks_counts(const cpidecode_hooks *it, cpidecode_counts *counts);
CPIDECODE_API void cpidecode_hooks_close(cpidecode_hooks *it);

enum cpidecode_interval_flag {
	CPIDECODE_IV_SUMMARY = 1 << 0,	    /* the group holds a summary hook */
	CPIDECODE_IV_DETAILED = 1 << 1,	    /* it holds detailed hooks */
	CPIDECODE_IV_NO_START = 1 << 2,	    /* a label end without its start */
	CPIDECODE_IV_NO_END = 1 << 3,	    /* a label start without its end */
	CPIDECODE_IV_INCONSISTENT = 1 << 4, /* its hooks contradict each other */
	CPIDECODE_IV_SCRIPTED = 1 << 5,	    /* of a trace with scripted counters */
	CPIDECODE_IV_MALFORMED = 1 << 6, /* a hook shorter than its schema, or elapsed too long */
	/* The group holds a quality hook; without one nobody knows of the flags below. */
	CPIDECODE_IV_QUALITY = 1 << 7,
	CPIDECODE_IV_MULTIPLEXED = 1 << 8,  /* a count ran for part of the time and was scaled up */
	CPIDECODE_IV_CPUS_CHANGED = 1 << 9, /* a processor came or went in the interval */
	CPIDECODE_IV_CORE_TYPES = 1 << 10,  /* a ratio adds counts of several types of core */
	CPIDECODE_IV_USER_ONLY = 1 << 11,   /* the thread's counts are of user mode only */
};

typedef struct cpidecode_interval_cpu {
	double raw_cpi, scaled_cpi, busy_pct;
	uint64_t instructions, cycles, busy_cycles;
} cpidecode_interval_cpu;

/* One CpiGetAndTrace: everything that its hooks say. */
typedef struct cpidecode_interval {
	int64_t start_ns, end_ns;
	uint64_t start_ticks;	     /* 0 if the interval began before tick 0 */
	uint64_t end_ticks, elapsed; /* ticks */
	uint32_t ring, tid, pid;     /* pid 0: unknown */
	uint32_t file;
	uint32_t minor; /* mm, 0 to 255 */
	uint32_t types; /* 1 raw, 2 busy was measured, 4 thread */
	uint32_t flags; /* enum cpidecode_interval_flag */
	uint32_t depth; /* 0: no interval of its thread contains it */
	int64_t parent; /* index of the innermost that does, -1: none */
	const char *task;
	const char *label; /* label_length bytes, any, no terminator; NULL: no label */
	size_t label_length;
	double raw_cpi, scaled_cpi, busy_pct, thread_cpi;
	uint64_t instructions, cycles, busy_cycles, thread_instructions, thread_cycles;
	uint32_t num_cpus; /* 0: the group does not say */
	uint32_t reserved;
	const cpidecode_interval_cpu *cpus; /* num_cpus of them, or NULL */
	/* Of the thread that started it, from the quality hook; off its processor is what is
	 * left of elapsed, never less than 0. */
	uint64_t on_cpu_ns, off_cpu_ns;
	uint64_t ctx_switches, migrations, faults;
} cpidecode_interval;

/* All intervals of a trace, sorted by start, longer first. In memory: see _count. */
typedef struct cpidecode_intervals cpidecode_intervals;

CPIDECODE_API int cpidecode_intervals_read(const cpidecode_trace *t, cpidecode_intervals **set);
CPIDECODE_API size_t cpidecode_intervals_count(const cpidecode_intervals *set);
/* *iv is filled in; its pointers live as long as the set. CPIDECODE_EINVAL: no such index. */
CPIDECODE_API int cpidecode_intervals_get(
	const cpidecode_intervals *set, size_t i, cpidecode_interval *iv);
CPIDECODE_API void cpidecode_intervals_free(cpidecode_intervals *set);

#ifdef __cplusplus
}
#endif

#endif
