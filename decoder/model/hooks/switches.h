/*
 * Who ran on each processor, from the kernel's records (formats/kernel_hooks.h). Trusts nothing in
 * these hooks: contradictory records are left out.
 */
#ifndef SWT_DECODER_MODEL_HOOKS_SWITCHES_H
#define SWT_DECODER_MODEL_HOOKS_SWITCHES_H

#include "../../../formats/base/hash_index.h"
#include "../../../formats/kernel_hooks.h"
#include "../trace/trace.h"

/* A thread on a processor, from one switch to the next. */
struct switch_run {
	uint32_t file, machine, cpu;
	uint32_t pid, tid;   /* tid 0: idle; KERNEL_TID_UNKNOWN: not known */
	uint64_t start, end; /* ticks; start <= end */
	bool is_left;	/* it left the processor at the end, or is only known to run until then */
	bool preempted; /* it could have gone on */
};

/* Records that the kernel lost: from start to end, the processor's threads are unknown. */
struct switch_loss {
	uint32_t file, machine, cpu;
	uint64_t start, end, records;
};

/* Whether a file of the trace, or of a machine's, says that it has such hooks. */
bool switches_are_recorded(const struct trace *t);
bool switches_are_recorded_by(const struct trace *t, uint32_t machine);

/* Whether the kernel's records have the task's own number. A thread of another PID namespace has
 * another one there. task: NULL: unknown, which counts as so. */
bool switches_number_task(const struct trace *t, uint32_t machine, const struct task *task);

/* Each processor's ring with hooks, of the machines with switches: it was traced, whether or not
 * there are switches of it. 0, or the first result of take that is not 0. */
int switches_each_ring(
	const struct trace *t, int (*visit)(void *ctx, uint32_t file, uint32_t cpu), void *ctx);

/* Whether it is a hook of the kernel's records. */
static inline bool switches_has_hook(const struct hook *h)
{
	return h->major == KERNEL_MAJOR && h->minor == KERNEL_MINOR_SWITCHES;
}

/* The runs of a switches hook, in order. 0, or the first result of take that is not 0. */
int switches_each_run(
	const struct hook *h, int (*visit)(void *ctx, const struct switch_run *run), void *ctx);

/* False: not a hook of lost records. */
bool switches_read_loss(const struct hook *h, struct switch_loss *loss);

/* A processor, while its records are read in order. Times are ticks. */
struct switch_cpu {
	uint32_t group, cpu;
	bool is_begun;
	uint64_t end;		      /* it is known up to here; 0: there was no record so far */
	uint64_t idle, busy, unknown; /* since the first record */
};

/* Starts zeroed. */
struct switch_cpus {
	struct switch_cpu *at;
	size_t count, room;
	size_t last; /* found */
};

/* group: a machine, or a file. Adds the processor. NULL: no memory. */
struct switch_cpu *switch_cpus_find(struct switch_cpus *c, uint32_t group, uint32_t cpu);

/*
 * Continues with the processor's next run. Cuts off the part that earlier runs cover, as the runs
 * of two dumps of one session overlap; false: nothing is left.
 */
bool switch_cpu_advance(struct switch_cpu *c, struct switch_run *run);
void switch_cpus_free(struct switch_cpus *c);

/* ---------------------------------------------------------------------------- names */

/* Beyond any kernel's NR_CPUS: hooks of processors from this one on are left out, which bounds the
 * search among those that a hostile trace names. */
enum { SWITCH_CPUS_MAX = 8192 };

/* Beyond these further threads have no name. */
enum { SWITCH_NAMES_MAX = 1 << 20 };

struct switch_name {
	uint32_t machine, pid, tid;
	uint64_t from, to;		  /* ticks: valid from `from` to `to`, both included */
	char name[KERNEL_NAME_BYTES + 1]; /* any bytes, NUL-terminated */
};

/* Starts zeroed. */
struct switch_names {
	struct switch_name *at;
	size_t count, room;
	struct hash_index by_thread; /* of each thread the last one */
};

/* Reads the names of a hook; other hooks are skipped. 0 or CPIDECODE_ENOMEM. */
int switch_names_add(struct switch_names *n, const struct hook *h);
/* After the last one. */
void switch_names_sort(struct switch_names *n);
/* The thread's name at that time; NULL: unknown. */
const struct switch_name *switch_names_find(
	const struct switch_names *n, uint32_t machine, uint32_t tid, uint64_t ticks);
void switch_names_free(struct switch_names *n);

/* ---------------------------------------------------------------------------- passes */

/*
 * Reads all hooks of the kernel's records, each ring in its order. take: 0, or a code that ends the
 * pass. Returns that, 0 or a CPIDECODE_E code.
 */
int switches_read(const struct trace *t, bool (*progress)(void *ctx, uint64_t done, uint64_t total),
	void *progress_ctx, int (*visit)(void *ctx, const struct hook *h), void *ctx);

#endif
