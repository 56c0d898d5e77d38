/* The trace from inside: for trace.c, load.c and hook_iter.c only. */
#ifndef SWT_DECODER_TRACE_PRIVATE_H
#define SWT_DECODER_TRACE_PRIVATE_H

#include "clock.h"
#include "tasks.h"
#include "trace.h"

enum {
	/* Rings that one file may have: a bound for memory, far above any machine's. */
	MAX_RINGS = 16384,
	/* Of one file; the rest is told as damage. */
	MAX_META_BYTES = 16 << 20,
	MAX_SCHEMA_BYTES = 4 << 20,
	MAX_SYNCS = 1 << 20,
	MAX_LOSS_ENTRIES = 4 * MAX_RINGS,
};

struct machine {
	uint8_t trace_id[16];
	bool known; /* the id can be trusted to tell traces apart */
	struct task_table tasks;
};

/* HOOKS sections of one ring: a run of file.sections. */
struct ring_sections {
	size_t first, count;
};

struct file {
	struct trace_file pub;
	char *path;
	struct io_input *in;
	struct clock clock;
	struct clock_sync *syncs;
	size_t syncs_cap;
	struct io_section *sections; /* HOOKS, by ring, then position */
	size_t nsections, sections_cap;
	struct trace_ring *rings;
	struct ring_sections *ring_sections; /* beside rings */
	struct io_damage *damage;
	size_t damage_cap;
	struct trace_meta *meta;
	size_t meta_cap, meta_bytes;
	char **texts; /* what meta points into */
	size_t ntexts, texts_cap;
	struct schema **schemas;
	size_t nschemas, schemas_cap, schema_bytes;
	struct schema_set *set;
	struct trace_schema_problem *problems;
	size_t problems_cap;
	struct task *tasks; /* until the machine takes them */
	size_t tasks_cap;
	struct trace_ring *losses; /* entries of LOSS sections as they came */
	size_t nlosses, losses_cap;
};

struct trace {
	struct file **files;
	size_t nfiles, files_cap;
	struct machine **machines;
	size_t nmachines, machines_cap;
	struct schema **user; /* in order: the first that has a major wins */
	size_t nuser, user_cap;
	struct schema *builtin;
	trace_progress_fn progress;
	void *progress_ctx;
};

/* Scans f->in and fills in everything but machine, schema set and index. */
int file_load(struct file *f, io_progress_fn progress, void *ctx);
void file_free(struct file *f); /* NULL is fine */

/* rings.c: orders the sections and works out the rings and what they say. */
int file_rings(struct file *f);

int file_damage(struct file *f, uint64_t offset, uint64_t bytes, const char *why);

#endif
