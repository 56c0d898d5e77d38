/* Internals of the trace, for files of model. */
#ifndef SWT_DECODER_MODEL_TRACE_TRACE_PRIVATE_H
#define SWT_DECODER_MODEL_TRACE_TRACE_PRIVATE_H

#include "clock/clock.h"
#include "containers.h"
#include "directory.h"
#include "labels.h"
#include "limits.h"
#include "task_losses.h"
#include "tasks.h"
#include "trace.h"

/*
 * Shared by the files of one trace, say those that a drain rotated: ticks, so the clock
 * (all files' syncs in one), and threads.
 */
struct machine {
	uint8_t trace_id[16];
	uint32_t clock;
	uint64_t rate;
	bool has_rings_id;
	uint8_t rings_id[16]; /* of any of its files: traces of the same rings have the same ticks
			       */
	bool known;	      /* the id identifies the trace */
	struct task_table tasks;
	struct container_table containers;
	bool has_several_containers;	/* see trace_has_several_containers */
	const char *first_container;	/* of its first task; NULL: unknown */
	const char *owner;		/* META's cgroup in one of its files, or NULL */
	struct clock_sync *syncs;	/* of several files; NULL: of the one file, in it */
	struct clock_finding *findings; /* the files' are parts of it */
};

struct arrivals;

/* Functions of arrivals.c: it includes findings, which include the trace. */
struct arriving {
	/* After sections of the file got into its directory; is_last: no more will. */
	void (*read)(struct file *f, bool is_last);
	/* Once the file has been loaded. */
	void (*settle)(struct file *f);
	void (*free)(struct arrivals *a);
};

struct file {
	struct trace_file pub;
	char *path;
	struct io_input *in;
	struct clock clock;
	struct clock_sync *syncs; /* its own; the clock may have those of its machine */
	size_t syncs_cap, own_syncs;
	bool verified; /* every section's checksum was verified on opening */
	bool unpacked; /* and every header checked against its contents */
	struct directory dir;
	struct trace_ring *rings; /* parallel to dir.rings */
	bool has_rings_id;	  /* META has the identity of the rings */
	uint8_t rings_id[16];
	struct trace_contradiction *contradictions;
	size_t contradictions_cap;
	struct io_damage *damage;
	size_t damage_cap;
	struct trace_meta *meta;
	size_t meta_cap, meta_bytes;
	char **texts; /* the storage that meta points into */
	size_t ntexts, texts_cap;
	struct schema **schemas;
	char **schema_texts; /* parallel to schemas */
	size_t nschemas, schemas_cap, schema_texts_cap, schema_bytes;
	struct schema_set *set;
	struct trace_schema_problem *problems;
	size_t problems_cap;
	struct spill tasks;		   /* struct task; until the machine owns them */
	struct container_table containers; /* until then, too */
	struct trace_texts *texts_of_trace;
	struct labels labels;
	size_t labels_bytes;
	struct task_losses task_losses;
	const struct arriving *arriving; /* NULL: sections are not read as they arrive */
	struct arrivals *arrivals;	 /* of the trace */
};

struct trace {
	struct file **files;
	size_t nfiles, files_cap;
	struct machine **machines;
	size_t nmachines, machines_cap;
	bool owners_differ;   /* see owners_name_tasks */
	struct schema **user; /* in order: the first that describes a major wins */
	size_t nuser, user_cap;
	const struct schema *builtin;
	struct trace_texts *texts;
	enum trace_verify verify;
	trace_progress_fn progress;
	void *progress_ctx;
	const struct arriving *arriving; /* NULL: none */
	struct arrivals *arrivals;
};

/* Scans f->in and fills in everything except machine, schema set and index. */
int file_load(struct file *f, enum trace_verify how, io_progress_fn progress, void *ctx);
void file_free(struct file *f); /* NULL is fine */

/* ring: index in rings. Both may be called by several threads. */
static inline size_t file_nsections(const struct file *f, size_t ring)
{
	return f->dir.rings[ring].count;
}

static inline const struct section_ref *file_section(const struct file *f, size_t ring, size_t i)
{
	return &((const struct section_ref *)f->dir.refs.p)[f->dir.rings[ring].first + i];
}

/* Leaves of sections [*begin, *end) of an ordered ring those that may hold from <= ticks <= to. */
void file_sections_narrow(
	const struct file *f, size_t ring, uint64_t from, uint64_t to, size_t *begin, size_t *end);

/*
 * The sections of a ring, [*begin, *end), that may hold hooks stamped from <= ticks <= to.
 * All of them where the headers contradict each other.
 */
void file_sections_in(
	const struct file *f, size_t ring, uint64_t from, uint64_t to, size_t *begin, size_t *end);

/* 1: the checksum of the section at that offset holds, 0: it does not, or a negative code. */
static inline int file_check_section(const struct file *f, uint64_t offset)
{
	struct io_section s = {.offset = offset};
	bool holds = true;
	int rc = f->verified ? 0 : io_check(f->in, &s, &holds);

	return rc ? rc : holds;
}

/*
 * io_load of a section of that ring, with the same results. Several threads may call it,
 * each with buffers of its own.
 */
int file_load_section(const struct file *f, size_t ring, const struct section_ref *s,
	struct io_buffer *raw, struct io_buffer *scratch, const char **why);

/* machine.c: finds or adds f's machine; adds f's threads and syncs to it. */
int machine_of(struct trace *t, struct file *f);
int machine_add(struct trace *t, struct file *f);
/* Call once all files are added. If the sessions' owners are in different cgroups, names the
 * containers of their tasks after these. */
void owners_name_tasks(struct trace *t);
void machine_free(struct machine *m);

int file_damage(struct file *f, uint64_t offset, uint64_t bytes, const char *why);
int file_contradiction(struct file *f, uint64_t offset, const char *why);

#endif
