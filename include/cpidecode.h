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
 * libcpidecode(3) has an example; `import swtrace` is the same for Python.
 *
 * Errors: functions that return int return 0 (or a count, where stated) or one of the
 * negative CPIDECODE_E codes. A damaged trace is not an error: the data on either side of
 * the damage is read, and cpidecode_damage() reports the stretches that could not be.
 *
 * Units: ticks are of the file's clock (cpidecode_file_info.ticks_per_second); _ns are
 * nanoseconds of CLOCK_REALTIME. If the trace lacks a value, a double is NaN and a count
 * CPIDECODE_NOT_MEASURED: the library never invents values.
 *
 * Ownership: pointers that a function returns belong to the object they came from and are
 * valid as long as it is, unless the comment says less.
 *
 * Threads: the library has no global state, prints nothing and never exits. Different
 * traces may be used by different threads at once. Once opened, a trace may be read by
 * several threads, each with iterators of its own; close it when they are done.
 *
 * Input is untrusted: any bytes yield a result or an error, within bounded memory.
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
	CPIDECODE_EINVAL = -2,	   /* an invalid argument */
	CPIDECODE_EOPEN = -3,	   /* the file cannot be opened: errno says why */
	CPIDECODE_EREAD = -4,	   /* reading failed: errno says why */
	CPIDECODE_ESPOOL = -5,	   /* no temporary file, or no space for it: errno says why */
	CPIDECODE_ENOTTRACE = -6,  /* not a trace: the magic bytes are missing */
	CPIDECODE_EVERSION = -7,   /* a trace of another major version */
	CPIDECODE_ETRUNCATED = -8, /* cut off within the file header */
	CPIDECODE_ECLOCK = -9,	   /* the file lacks the clock's rate, and it cannot be derived */
	CPIDECODE_ESCHEMA = -10,   /* a schema breaks a rule of its language */
	CPIDECODE_ECANCELED = -11, /* a callback asked to stop */
	CPIDECODE_EEMPTY = -12,	   /* the file is empty */
	CPIDECODE_E32BIT = -13,	   /* an NRM2 file whose hooks have headers of 12 bytes */
};

/* A constant string, without a final newline; for unknown codes too. */
CPIDECODE_API const char *cpidecode_strerror(int code);

/* The version of the library, "MAJOR.MINOR.PATCH". */
CPIDECODE_API const char *cpidecode_version(void);

#define CPIDECODE_NOT_MEASURED UINT64_MAX
#define CPIDECODE_GUEST_RING 0x80000000u /* rings from this number on belong to no processor */

/*
 * One or several trace files, merged by time. A file of the original toolkit's format (NRM2)
 * is converted, before the opening function returns, to an unlinked temporary file as for a
 * pipe; offsets of its damage are those of the original file.
 */
typedef struct cpidecode_trace cpidecode_trace;

/* path "-" is standard input. On failure *t is NULL, and errno is set if the code says so. */
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
/* The bytes are borrowed: they must stay valid and unchanged until the trace is closed. */
CPIDECODE_API int cpidecode_open_memory(const void *bytes, size_t n, cpidecode_trace **t);
/* Options of opening: fill with zeros, set size, then the fields to change. */
typedef struct cpidecode_open_options {
	size_t size; /* sizeof(cpidecode_open_options): so that later versions may add to it */
	/* The caller's hook schemas (trace-file(5)), which override the traces'. */
	const char *const *schemas; /* texts */
	const size_t *schema_lengths;
	size_t nschemas;
	/* Called from time to time; total 0: unknown. Non-zero cancels: CPIDECODE_ECANCELED. */
	int (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
} cpidecode_open_options;

/* Details of a failed open. */
typedef struct cpidecode_open_error {
	size_t file;	  /* index of the path, or, for CPIDECODE_ESCHEMA, of the schema */
	unsigned line;	  /* of the schema, from 1; 0: its text as a whole */
	int system_error; /* errno, if the code says that errno has the cause; else 0 */
	char reason[160]; /* of CPIDECODE_ESCHEMA: any bytes, NUL-terminated; else empty */
} cpidecode_open_error;

/* Like cpidecode_open_files. options and error may be NULL. */
CPIDECODE_API int cpidecode_open_with(const char *const *paths, size_t n,
	const cpidecode_open_options *options, cpidecode_trace **t, cpidecode_open_error *error);
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
	int header_damaged;	   /* the header's checksum does not match */
	int cut_off;		   /* the END section is missing */
} cpidecode_file_info;

CPIDECODE_API size_t cpidecode_files(const cpidecode_trace *t);
CPIDECODE_API int cpidecode_file(const cpidecode_trace *t, size_t file, cpidecode_file_info *info);

/*
 * META line i of a file: 0, or CPIDECODE_EINVAL if there is no such line. Key and value are
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
 * Stretch i of a file: 0, or CPIDECODE_EINVAL if there is none. Opening a file of up to
 * 64 MiB finds all damage that checksums detect; in a larger file hook sections are verified when
 * they are read. Iterating may find more (a hook section of a larger file, a payload that does not
 * unpack, malformed records): see cpidecode_hooks_counts().
 */
CPIDECODE_API int cpidecode_damage(
	const cpidecode_trace *t, size_t file, size_t i, cpidecode_damage_info *info);

/* The writer's losses on a ring, from the trace's LOSS sections. */
typedef struct cpidecode_loss_info {
	uint32_t ring, reserved;
	uint64_t full, too_big, held, no_guest; /* hooks lost, by cause */
	uint64_t overwritten, torn;		/* hooks */
	uint64_t skipped;			/* sections */
} cpidecode_loss_info;

/* Ring i of those with LOSS entries: 0, or CPIDECODE_EINVAL if there is none. */
CPIDECODE_API int cpidecode_loss(
	const cpidecode_trace *t, size_t file, size_t i, cpidecode_loss_info *info);

/* The writer's losses on a ring by further causes, from the trace's CAUSES sections. */
typedef struct cpidecode_causes_info {
	uint32_t ring, reserved;
	uint64_t no_slot;      /* hooks lost: the table of tasks was full */
	uint64_t no_memory;    /* a section's memory could not be allocated */
	uint64_t unattached;   /* the program could not attach until later */
	uint64_t unwritten;    /* the drain could not write them, as on a full disk */
	uint64_t reserved1[3]; /* 0, for later causes */
} cpidecode_causes_info;

/* Ring i of those with CAUSES entries: 0, or CPIDECODE_EINVAL if there is none. */
CPIDECODE_API int cpidecode_causes(
	const cpidecode_trace *t, size_t file, size_t i, cpidecode_causes_info *info);

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
	const char *name;	/* of the hook, from its schema; NULL: no schema names it */
	const uint8_t *words;	/* nwords little-endian 32-bit words */
	const uint8_t *strings; /* for cpidecode_hook_string() */
} cpidecode_hook;

static inline uint32_t cpidecode_hook_word(const cpidecode_hook *h, unsigned i)
{
	const uint8_t *p = h->words + 4 * (size_t)i;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The first byte of string i (below nstrings), not NUL-terminated. NULL: there is none. */
CPIDECODE_API const char *cpidecode_hook_string(
	const cpidecode_hook *h, unsigned i, size_t *length);

/*
 * Hooks in order: ticks, then ring, then position; several files: CLOCK_REALTIME first. In an NRM2
 * file each hook of a group has a stamp of its own, and the order is by the group's.
 */
typedef struct cpidecode_hooks cpidecode_hooks;

CPIDECODE_API int cpidecode_hooks_open(const cpidecode_trace *t, cpidecode_hooks **it);
/*
 * 1 and a hook, 0 at the end, or an error, which persists. cpidecode_hooks_damage() reports where
 * reading a file failed (CPIDECODE_EREAD).
 */
CPIDECODE_API int cpidecode_hooks_next(cpidecode_hooks *it, const cpidecode_hook **hook);

/* The stamp of the present hook's group, which ends its interval. Another one than the hook's only
 * in an NRM2 file. 0: there is no hook. */
CPIDECODE_API uint64_t cpidecode_hooks_group_ticks(const cpidecode_hooks *it);

/*
 * Moves to the first hook not before time_ns, forwards or backwards, at any time. Sections before
 * it are not read. If CLOCK_REALTIME was stepped back, hooks from before the step may be skipped.
 * Counts continue: a hook read twice counts twice. 0 or an error, after which the iterator can
 * only be closed.
 */
CPIDECODE_API int cpidecode_hooks_seek(cpidecode_hooks *it, int64_t time_ns);

enum cpidecode_field_type {
	CPIDECODE_FIELD_U64,	/* u; also fields of 32 bits */
	CPIDECODE_FIELD_I64,	/* i */
	CPIDECODE_FIELD_FIX4,	/* u in ten-thousandths, exact */
	CPIDECODE_FIELD_F64,	/* f */
	CPIDECODE_FIELD_STRING, /* string, length */
};

/* One value of a hook, as its schema names it. */
typedef struct cpidecode_field {
	const char *name; /* lives as long as the trace */
	uint32_t type;	  /* enum cpidecode_field_type */
	uint32_t turn;	  /* of its repeat, from 0; 0 outside of one */
	int repeated;	  /* inside a repeat: there is one for each turn */
	int not_measured; /* the trace marks it so: the value is 0 */
	uint64_t u;
	int64_t i;
	double f;
	const char *string; /* any bytes, no terminator; valid until the iterator's next hook */
	size_t length;
} cpidecode_field;

enum cpidecode_fit {
	CPIDECODE_FIT_SHORT = 1, /* fewer words or strings than the schema asks for */
	CPIDECODE_FIT_LONG = 2,	 /* more */
};

/*
 * Gets the next field of the iterator's current hook. Returns 1 with a field, or 0 after the last
 * one (a hook without a schema has none); *fit, unless NULL, is then 0 or the enum cpidecode_fit
 * flags of the hook.
 */
CPIDECODE_API int cpidecode_hooks_field(cpidecode_hooks *it, cpidecode_field *field, unsigned *fit);

typedef struct cpidecode_counts {
	uint64_t hooks;	    /* returned to the caller */
	uint64_t torn;	    /* records that were never committed */
	uint64_t malformed; /* records that contradict themselves */
	uint64_t damaged;   /* sections that are wrong or do not unpack, or are cut short by a bad
			       record */
} cpidecode_counts;

/* The counts of everything read so far. */
CPIDECODE_API void cpidecode_hooks_counts(const cpidecode_hooks *it, cpidecode_counts *counts);
/*
 * Damage i that reading found inside sections so far, in order of file and offset: 0 with the file
 * and the stretch of its bytes, or CPIDECODE_EINVAL if there is none. The first 1000 are kept.
 */
CPIDECODE_API int cpidecode_hooks_damage(
	const cpidecode_hooks *it, size_t i, size_t *file, cpidecode_damage_info *info);
CPIDECODE_API void cpidecode_hooks_close(cpidecode_hooks *it);

enum cpidecode_interval_flag {
	CPIDECODE_IV_SUMMARY = 1 << 0,	/* the group holds a summary hook */
	CPIDECODE_IV_DETAILED = 1 << 1, /* it holds detailed hooks */
	CPIDECODE_IV_NO_START = 1 << 2, /* a label end without its start */
	/* A label start without its end; of an open interval: its end may have been overwritten. */
	CPIDECODE_IV_NO_END = 1 << 3,
	CPIDECODE_IV_INCONSISTENT = 1 << 4, /* its hooks contradict each other */
	CPIDECODE_IV_SCRIPTED = 1 << 5,	    /* of a trace with scripted counters */
	CPIDECODE_IV_MALFORMED = 1 << 6, /* a hook shorter than its schema, or elapsed too long */
	/* The group holds a quality hook. Without one the flags below are unknown, unless an event
	 * sets CPIDECODE_IV_MULTIPLEXED. */
	CPIDECODE_IV_QUALITY = 1 << 7,
	CPIDECODE_IV_MULTIPLEXED = 1 << 8,  /* a count ran for part of the time and was scaled up */
	CPIDECODE_IV_CPUS_CHANGED = 1 << 9, /* a processor went on- or offline in the interval */
	CPIDECODE_IV_CORE_TYPES = 1 << 10,  /* a ratio adds counts of several types of core */
	CPIDECODE_IV_USER_ONLY = 1 << 11,   /* the thread's counts are of user mode only */
	/* Intervals nested in it may have been overwritten: it began before the oldest hook that
	 * its rings still have. */
	CPIDECODE_IV_CHILDREN_LOST = 1 << 12,
	/* A light interval had no room for an argument, or for all of its text. */
	CPIDECODE_IV_ARGS_CUT = 1 << 13,
	/* The library's own cost in it is above 5 % of elapsed, without that of intervals nested in
	 * it. */
	CPIDECODE_IV_OWN_COST = 1 << 14,
};

typedef struct cpidecode_interval_cpu {
	double raw_cpi, scaled_cpi, busy_pct;
	uint64_t instructions, cycles, busy_cycles;
} cpidecode_interval_cpu;

/* A processor in an interval of CPU utilisation, in addition to its busy_pct. */
typedef struct cpidecode_interval_util {
	double idle_pct, intr_pct, actual_perf_pct;
	uint64_t elapsed, busy_time, idle_time, intr_time; /* ticks */
	uint64_t unhalted_cycles, reference_cycles;
} cpidecode_interval_util;

/*
 * One CpiGetAndTrace or CpuUtilGetAndTrace, or one light interval (a scope): everything that its
 * hooks hold, but for its named values.
 */
typedef struct cpidecode_interval {
	int64_t start_ns, end_ns;
	uint64_t start_ticks;	     /* 0 if the interval began before tick 0 */
	uint64_t end_ticks, elapsed; /* ticks */
	uint32_t ring, tid, pid;     /* pid 0: unknown */
	uint32_t file;
	uint32_t minor; /* mm, 0 to 255; 0 of a light interval */
	/* A CPI group has 1 raw, 2 busy was measured, 4 thread; CPU utilisation has 1 busy, 2 time
	 * in interrupts, 4 actual performance, 8 dispatches, 16 interrupts. */
	uint32_t types;
	uint32_t flags; /* enum cpidecode_interval_flag */
	uint32_t depth; /* 0: no interval of its thread contains it */
	int64_t parent; /* index of the innermost one that does, -1: none */
	const char *task;
	const char *label; /* label_length arbitrary bytes, no terminator; NULL: no label */
	size_t label_length;
	double raw_cpi, scaled_cpi, busy_pct, thread_cpi;
	uint64_t instructions, cycles, busy_cycles, thread_instructions, thread_cycles;
	uint32_t num_cpus; /* 0: the group does not say */
	/* The major of its hooks: 0xC0 CPI; 0xC8 CPU utilisation and 0xC2 light intervals, without
	 * CPIs. */
	uint32_t major;
	const cpidecode_interval_cpu *cpus; /* num_cpus of them, or NULL */
	/* Figures of the thread that started it, if its hooks have them. off_cpu_ns is the rest of
	 * elapsed, at least 0. */
	uint64_t on_cpu_ns, off_cpu_ns;
	uint64_t ctx_switches, migrations, faults;
	/* Only CPU utilisation has these. Actual performance is a percentage of the nominal rate.
	 */
	double idle_pct, intr_pct, actual_perf_pct;
	const cpidecode_interval_util *utils; /* parallel to cpus, or NULL */
	uint64_t method;		      /* AI_METHOD_ of perfutil.h */
} cpidecode_interval;

enum cpidecode_value_kind {
	CPIDECODE_VALUE_ARGUMENT, /* said by the program: arg.NAME in reports */
	CPIDECODE_VALUE_EVENT,	  /* an event's count; CPIDECODE_VALUE_NONE: not counted */
};

enum cpidecode_value_type {
	CPIDECODE_VALUE_NONE, /* of a type that this library does not know, or cut short */
	CPIDECODE_VALUE_U64,  /* u */
	CPIDECODE_VALUE_I64,  /* i */
	CPIDECODE_VALUE_F64,  /* f, any double */
	CPIDECODE_VALUE_TEXT, /* text, text_length */
};

/* A named value of an interval. No two of an interval have the same kind and name. */
typedef struct cpidecode_value {
	const char
		*name; /* name_length arbitrary bytes, no terminator; lives as long as the trace */
	size_t name_length;
	uint32_t kind, type; /* enum cpidecode_value_kind, cpidecode_value_type */
	uint64_t u;
	int64_t i;
	double f;
	const char *text; /* arbitrary bytes, no terminator; valid as long as the interval's */
	size_t text_length;
	uint64_t reserved; /* 0 */
} cpidecode_value;

/*
 * Intervals one at a time, sorted by start, longer first, in bounded memory: the excess is spilled
 * to an unlinked temporary file. depth and parent are those of the full trace.
 */
typedef struct cpidecode_interval_stream cpidecode_interval_stream;

/* Intervals that overlap [from_ns, to_ns]; INT64_MIN, INT64_MAX: all. Reads the trace. */
CPIDECODE_API int cpidecode_interval_stream_open(
	const cpidecode_trace *t, int64_t from_ns, int64_t to_ns, cpidecode_interval_stream **s);
/*
 * 1 and an interval, 0 at the end, or an error. Its pointers are valid until the next call;
 * parent is an index into the stream, from 0; also -1 if the parent is outside the range or comes
 * later because a clock was set back.
 */
CPIDECODE_API int cpidecode_interval_stream_next(
	cpidecode_interval_stream *s, cpidecode_interval *iv);
/* Named value i of the interval returned last, from 0: 0, or CPIDECODE_EINVAL if there is none. */
CPIDECODE_API int cpidecode_interval_stream_value(
	const cpidecode_interval_stream *s, size_t i, cpidecode_value *value);
CPIDECODE_API void cpidecode_interval_stream_close(cpidecode_interval_stream *s);

/* All intervals of a trace, as a stream returns them, in memory. */
typedef struct cpidecode_intervals cpidecode_intervals;

CPIDECODE_API int cpidecode_intervals_read(const cpidecode_trace *t, cpidecode_intervals **set);
CPIDECODE_API size_t cpidecode_intervals_count(const cpidecode_intervals *set);
/* Fills in *iv; its pointers are valid as long as the set. CPIDECODE_EINVAL: no such index. */
CPIDECODE_API int cpidecode_intervals_get(
	const cpidecode_intervals *set, size_t i, cpidecode_interval *iv);
/* Named value k of interval i: 0, or CPIDECODE_EINVAL if there is none. */
CPIDECODE_API int cpidecode_intervals_value(
	const cpidecode_intervals *set, size_t i, size_t k, cpidecode_value *value);
CPIDECODE_API void cpidecode_intervals_free(cpidecode_intervals *set);

/*
 * Columns of intervals, in the caller's memory and without an object for each: those of
 * `cpidecode --report intervals --format csv`, in the same order of rows.
 *
 *	const char *names[] = {"start_ns", "elapsed_ns", "label"};
 *	rc = cpidecode_columns_open(t, names, 3, NULL, &c, NULL);
 *	cpidecode_column_buffer to[] = {{starts}, {elapsed}, {labels}};
 *	while (rc >= 0 && (rc = cpidecode_columns_read(c, to, 1000)) > 0)
 *		... rows 0 to rc - 1 ...
 *	cpidecode_columns_close(c);
 */
typedef struct cpidecode_columns cpidecode_columns;

enum cpidecode_column_type {
	CPIDECODE_COLUMN_U64,  /* uint64_t; 0 where there is none */
	CPIDECODE_COLUMN_I64,  /* int64_t; 0 where there is none, of "parent" -1 */
	CPIDECODE_COLUMN_F64,  /* double; NaN where there is none */
	CPIDECODE_COLUMN_CODE, /* uint32_t: of cpidecode_columns_text, or CPIDECODE_NO_TEXT */
};

#define CPIDECODE_NO_TEXT UINT32_MAX

/* Which intervals: fill with zeros, set size, then the fields to change. */
typedef struct cpidecode_columns_options {
	size_t size;		/* sizeof(cpidecode_columns_options) */
	int64_t from_ns, to_ns; /* those that overlap this range; both 0: all */
	const char *where;	/* a condition as cpidecode's --where; NULL: none */
	unsigned threads;	/* 0: one for each processor that the process may use */
} cpidecode_columns_options;

/* The cause of CPIDECODE_EINVAL of cpidecode_columns_open. */
typedef struct cpidecode_columns_error {
	size_t column;	  /* index of the name; the number of names: options->where */
	size_t at;	  /* of where: the offset in its text */
	char reason[256]; /* NUL-terminated */
} cpidecode_columns_error;

typedef struct cpidecode_column_info {
	const char *name;
	uint32_t type; /* enum cpidecode_column_type */
	uint32_t reserved;
} cpidecode_column_info;

/* Where a column's values go. */
typedef struct cpidecode_column_buffer {
	void *values;	      /* NULL: nowhere */
	size_t stride;	      /* bytes from one row to the next; 0: no gaps */
	uint8_t *absent;      /* 1 where there is no value, else 0; NULL: nowhere */
	size_t absent_stride; /* 0: 1 */
} cpidecode_column_buffer;

/*
 * Reads the trace for n columns: names of the CSV's, "elapsed_ns" (by the ticks, rounded; end_ns -
 * start_ns may differ by 1), "parent" (the row of the innermost interval around it, from 0; -1:
 * none of the rows), "arg.NAME" and "event.NAME". names NULL, n 0: all of the CSV but arguments,
 * events and ids. An argument or event is an integer or a double as its values are; a code, with
 * numbers as text, if any of them is a text. options and error may be NULL. On failure *c is NULL.
 */
CPIDECODE_API int cpidecode_columns_open(const cpidecode_trace *t, const char *const *names,
	size_t n, const cpidecode_columns_options *options, cpidecode_columns **c,
	cpidecode_columns_error *error);
/* How many columns there are. */
CPIDECODE_API size_t cpidecode_columns_count(const cpidecode_columns *c);
/* Column i: 0, or CPIDECODE_EINVAL if there is none. */
CPIDECODE_API int cpidecode_columns_info(
	const cpidecode_columns *c, size_t i, cpidecode_column_info *info);
/* How many rows there are; with a condition that asks other intervals, at most. */
CPIDECODE_API uint64_t cpidecode_columns_rows(const cpidecode_columns *c);
/*
 * Fills the next rows, at most `rows` (up to INT_MAX), of as many buffers as there are columns.
 * Returns how many; 0 at the end; or an error.
 */
CPIDECODE_API int cpidecode_columns_read(
	cpidecode_columns *c, const cpidecode_column_buffer *to, size_t rows);
/*
 * The text of a code that was read, of any column: arbitrary bytes, no terminator, valid until
 * the columns are closed. NULL: no such code. Codes count from 0 in order of the first rows.
 */
CPIDECODE_API const char *cpidecode_columns_text(
	const cpidecode_columns *c, uint32_t code, size_t *length);
CPIDECODE_API void cpidecode_columns_close(cpidecode_columns *c);

/* Options of a report: fill with zeros, set size, then the fields to change. */
typedef struct cpidecode_report_options {
	size_t size; /* sizeof(cpidecode_report_options) */
	/* Names as on cpidecode's command line; NULL: its defaults. */
	/* "summary", "intervals", "hooks", "cpus", "info", "why" (of p99), "diff",
	 * "histogram", "slowest" (ten), "gaps", "heatmap" */
	const char *report;
	/* "text", "csv", "json", "folded", "svg" (also of "heatmap"), "nrm2" (of hooks); of
	 * intervals: "perfetto", "chrome", "speedscope", "callgrind", "pprof", "parquet" (also of
	 * hooks), "html"; "sqlite" and "ctf" (of hooks) take a file and a folder, which only the
	 * command has */
	const char *format;
	const char *weight;	/* of folded and svg; also the name of an event */
	const char *label;	/* pattern; NULL: any */
	int64_t from_ns, to_ns; /* both 0: all of the trace */
	int by_tid, by_pid, by_minor;
	uint32_t tid, pid, minor;
	unsigned threads; /* 0: one for each processor that the process may use */
	/* Counts stored bytes, on the calling thread; non-zero cancels: CPIDECODE_ECANCELED. May be
	 * NULL. */
	int (*progress)(void *ctx, uint64_t done, uint64_t total);
	/* A line that the command would print on stderr about the report; may be NULL. */
	void (*note)(void *ctx, const char *line);
	void *ctx;
	const cpidecode_trace *before; /* of "diff": the trace that t is compared with */
} cpidecode_report_options;

/*
 * Receives the report's next bytes, which are valid during the call; returns 0, or non-zero to
 * cancel (CPIDECODE_ECANCELED). Called on any thread, one call at a time, in order.
 */
typedef int (*cpidecode_write_fn)(void *ctx, const void *bytes, size_t n);

/*
 * Writes the report that the command would, byte for byte. options may be NULL. *counts, unless
 * NULL, receives the counts of reading t. CPIDECODE_EINVAL: an unknown name, a format that the
 * report does not have, or "diff" without a trace to compare with.
 */
CPIDECODE_API int cpidecode_report(const cpidecode_trace *t,
	const cpidecode_report_options *options, cpidecode_write_fn write, void *ctx,
	cpidecode_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
