/*
 * The meaning of a trace: records merged in time, decoded by their schemas, gathered
 * into CPI groups and intervals. Knows no file and no output.
 *
 * Conventions of decoder/: functions return 0 or a negative errno-like code from
 * cpidecode.h; nothing prints, exits or touches a global; memory belongs to the
 * object that handed it out and lives until the next call on it unless stated.
 */
#ifndef SWT_DECODER_MODEL_TRACE_MODEL_H
#define SWT_DECODER_MODEL_TRACE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../formats/bytes.h"
#include "../../../formats/figures.h"
#include "../../../formats/interval_flags.h"
#include "../../../formats/trace_file.h"

struct schema_set;
struct schema_hook;

/* A thread: an entry of TASKS. */
struct task {
	uint32_t tid, pid;
	uint64_t first;	 /* ticks */
	char name[17];	 /* any bytes, NUL-terminated here */
	bool is_at_home; /* no entry in CONTAINERS: in the owner's container */
	uint32_t order;	 /* its order in the trace: of two entries for one tick the later one counts
			  */
	/* Name of its cgroup, any bytes. NULL: that of the session's owner (unless owners of
	 * several traces are in different ones), or unknown. */
	const char *container;
};

/* One hook. Pointers into the iterator's buffer: valid until its next step. */
struct hook {
	uint64_t ticks;
	int64_t time_ns;   /* CLOCK_REALTIME */
	uint64_t position; /* in its ring */
	uint32_t ring;	   /* CPU number, or TF_GUEST_RING and up */
	uint32_t minor;
	/* Keep away from `ring`: a combined load of both would miss store forwarding. */
	uint32_t tid;
	uint8_t major;
	uint8_t nstrings;
	uint16_t nwords;
	uint32_t size;		/* of the record in bytes */
	const uint8_t *words;	/* nwords little-endian u32 */
	const uint8_t *strings; /* nstrings times: u32 length, bytes, zeros to 4 */
	uint32_t file;		/* index of the input file */
	uint32_t machine;	/* index of the trace (by trace id): threads of two traces differ */
	const struct task *task;	  /* NULL if unknown; lives as long as the trace */
	const struct schema_hook *schema; /* NULL if no schema describes it */
};

static inline bool hook_on_cpu(const struct hook *h)
{
	return h->ring < TF_GUEST_RING;
}

static inline uint32_t hook_word(const struct hook *h, unsigned i)
{
	return get_le32(h->words + 4 * i);
}

/* One CPU's part of an interval. NAN or UINT64_MAX: not measured. */
struct interval_cpu {
	double raw_cpi, scaled_cpi, busy_pct;
	uint64_t instructions, cycles, busy_cycles;
};

/* One CPU's part of an interval of CPU utilisation, next to its busy_pct. */
struct interval_util {
	double idle_pct, intr_pct, actual_perf_pct;
	uint64_t elapsed, busy_time, idle_time, intr_time; /* ticks of the processor's clock */
	uint64_t unhalted_cycles, reference_cycles;
};

/* The kind of a named value of an interval. */
enum value_kind {
	VALUE_ARGUMENT, /* said by the program */
	VALUE_EVENT,	/* counted, of the user's list of events */
	VALUE_KINDS,
};

/* A named value of an interval. */
struct interval_value {
	uint32_t name;	 /* trace_text_at */
	uint32_t length; /* of a text */
	uint8_t kind;	 /* enum value_kind */
	uint8_t type;	 /* enum interval_arg_type; 0: it has no value */
	bool is_whole;	 /* the hook was not cut short in it */
	bool is_scaled;	 /* an event: other events shared its counter */
	union {
		uint64_t u;
		int64_t i;
		double f;
		uint64_t at; /* a text's offset in the interval's value_texts */
	};
};

/*
 * One interval: a hook group (one CpiGetAndTrace or CpuUtilGetAndTrace, or a light interval's
 * hook). Unmeasured doubles are NAN, unmeasured counts NOT_MEASURED.
 */
/* An interval's first record, which identifies it. */
struct interval_hook {
	uint32_t machine, ring;
	uint64_t position;
};

struct interval {
	int64_t start_ns, end_ns; /* CLOCK_REALTIME; end is the group's stamp */
	uint64_t start_ticks;	  /* 0 if it began before tick 0; see start_ns */
	uint64_t end_ticks;
	uint64_t elapsed; /* ticks */
	double elapsed_ns;
	uint64_t long_ns; /* in whole ns if a double is too coarse, else 0 */
	uint32_t ring, tid, file, machine;
	uint64_t position; /* of its first record; order among equals */
	uint8_t mm;
	uint8_t types; /* CPI_HOOK_*: as the hooks say (THREAD also from a thread hook) */
	bool has_label;
	uint8_t major;	   /* CPI_MAJOR, CPUUTIL_MAJOR or SCOPE_MAJOR */
	bool label_stays;  /* the label is the file's, and lives as long as the trace */
	const char *label; /* label_len bytes, any bytes; interned, lives as long as the set */
	uint32_t label_len;
	uint32_t depth;			   /* 0 is outermost */
	int64_t parent;			   /* index in the set, -1: none */
	int64_t place;			   /* of a stream: from 0 */
	uint32_t num_cpus;		   /* 0: not in the group */
	const struct interval_cpu *cpus;   /* num_cpus of them, or NULL */
	const struct interval_util *utils; /* parallel to cpus; NULL: not of CPUUTIL_MAJOR */
	double raw_cpi, scaled_cpi, busy_pct, thread_cpi; /* of the system; of the thread */
	uint64_t instructions, cycles, busy_cycles;	  /* of the system */
	uint64_t thread_instructions, thread_cycles;
	/* The thread's activity; elapsed time on its processor is the rest. */
	uint64_t on_cpu_ns, off_cpu_ns, ctx_switches, migrations, faults;
	/* Neither on it by the thread's clock nor off it by a switch; INTERVAL_TIME_ */
	uint64_t unexplained_ns, time_source;
	uint64_t start_cpu; /* where it began; TF_GUEST_RING and up: see ring */
	/* The library's own cost, in ticks: see own_cost.h. own_pair: of its start and end, in and
	 * around it. own_nested: only of an interval_stream that was asked for it. */
	uint64_t own_inside, own_pair, own_nested;
	double idle_pct, intr_pct, actual_perf_pct; /* of the system; of CPUUTIL_MAJOR only */
	uint64_t method;			    /* how these were measured, CPUUTIL_METHOD_ */
	uint64_t own_inside_ns, own_nested_ns;	    /* set where own_nested is */
	uint32_t flags;				    /* enum interval_flag */
	const struct task *task;
	/* Behind the hot members: their cache lines are a tenth of a summary's time. num_values of
	 * them, none of one kind and name; of the texts, values_bytes. NULL: none */
	const struct interval_value *values;
	const char *value_texts;
	uint32_t num_values, values_bytes;
	struct interval_hook
		parent_hook;  /* of a stream: of the innermost around; depth is above 0 */
	uint32_t parent_name; /* the same, if the stream names intervals; 0: none */
};

/* From first to last, both included; nothing if first is above last. */
struct tick_range {
	uint64_t first, last;
};

#define ALL_TICKS ((struct tick_range){0, UINT64_MAX})

#endif
