/*
 * The drain's parts: main loop (drain.c), positions in the rings (ring.c), sections on their way to
 * the file (queue.c), the file's sections (file.c), its name (name.c), going on with one
 * (resume.c), state that outlives a drain (state.c), configuration and lock (config.c).
 */
#ifndef SWT_DUMP_DRAIN_PRIVATE_H
#define SWT_DUMP_DRAIN_PRIVATE_H

#include <sys/types.h>

#include "../../ring/reader.h"
#include "drain.h"
#include "../file_head.h"
#include "../output.h"
#include "../section.h"
#include "../task_losses.h"

/* A ring's terms of the ledger: of the files before this one, or of this one. */
struct drain_share {
	uint64_t hooks, torn; /* torn: those in no section too */
	uint64_t loose_torn;  /* torn in no section: nothing could be read there */
	uint64_t unwritten;   /* hooks that the file had no room for */
};

/*
 * Between two rounds `written` is `queued`. Within a round the sections between them are in the
 * queue, in order; if one has to wait or cannot be written, queued goes back.
 */
struct drain_ring {
	uint64_t queued;     /* byte-exact: all before it is queued, skipped or discarded */
	uint64_t written;    /* all before it is in the files, or counted */
	uint32_t jobs;	     /* in the queue, between them */
	bool waits;	     /* until the next round, and so do its jobs in the queue */
	uint64_t released;   /* the control page's: the section that written is in */
	uint64_t head;	     /* of the last read; never beyond the writers' reach */
	uint64_t stamp;	     /* of the first record at queued */
	bool ready;	     /* there is a section at queued */
	bool damaged;	     /* was truncated, or made no sense */
	uint64_t held_since; /* ns: it holds uncommitted records; 0: it does not */
	uint64_t clock_back; /* section entries whose clock was behind the stamps */
	uint32_t lock;	     /* of a guest ring */
	uint64_t locked_since;
	uint64_t entry_lost;	    /* the sum of losses when the section at queued was entered */
	uint64_t recorded_lost;	    /* of them are in sections' headers, or in files before */
	uint64_t loss[SHM_LOSSES];  /* the writers', of the last read, since the generation began */
	uint64_t lost0[SHM_LOSSES]; /* of them are in files before */
	uint64_t noted_loss;	    /* the sum of losses and torn in this file's last LOSS entry */
	struct drain_share before, here;
};

/* A section on its way from its ring to the file. */
struct drain_job {
	uint32_t ring;
	uint64_t from, end; /* positions: the ring's queued before and after it */
	struct ring_span span;
	uint64_t stamp, entry_lost, held_since; /* the ring's, of this section */
	uint8_t *copy;				/* a section */
	struct packer packer;			/* holds the compressed copy */
	uint32_t packed;			/* its bytes, or 0 */
	int failed;				/* a PU_ code: it could not be copied */
	bool is_done;				/* copied, and compressed unless span.held */
};

/* A HOOKS section that can be given up for the trailer's sake. */
struct drain_section {
	uint64_t offset;
	uint32_t ring, hooks, torn;
};

enum { DRAIN_TAIL = 256 };

struct drain_file {
	struct output out;
	struct section_writer writer;
	bool regular; /* can be cut back, renamed, and gone on with */
	bool scripted;
	dev_t device;
	ino_t inode;
	uint32_t max_raw;		       /* as its header promises */
	uint64_t whole;			       /* bytes: where its last complete section ends */
	uint64_t hooked;		       /* HOOKS sections in it */
	uint64_t losses;		       /* LOSS entries in it */
	uint64_t registered;		       /* bytes of the programs' schemas in it */
	uint32_t labels;		       /* bytes of the session's labels in it */
	struct drain_section tail[DRAIN_TAIL]; /* the last HOOKS sections, by hooked % DRAIN_TAIL */
};

struct drain {
	struct session *session;
	struct drain_config config;
	int lock_fd;
	uint8_t id[TRACE_ID_SIZE];
	struct ring_reader reader;
	/* A copy of the owner's, except start: the drain's position. */
	struct shm_ring_control *control;
	struct drain_ring *ring;
	uint32_t rings;
	struct drain_queue *queue;
	struct drain_file file;
	/* Sums over the files before this one. */
	uint64_t bytes_before, rotations;
	const char *note;   /* for META: why this is not the file of the session's drain before */
	struct tasks tasks; /* whose records are; told: written to this file */
	struct task_losses task_losses; /* of tasks, as they were written last */
	uint64_t claims;		/* of slots in the task table, when it was read last */
	uint32_t schema_used, labels_used;
	int failed; /* the code of what ended it, or 0 */
	struct session_error why;
	bool finished, idle;
	bool state_known; /* of this trace: what could not be written before */
	/* ns, CLOCK_MONOTONIC: the last round, path, CLOCK, LOSS, tasks; the next reclaim. */
	uint64_t polled_at, checked, clocked, noted, gathered, reclaim_at;
	uint64_t gather_ns;	/* duration of reading the tasks */
	uint64_t began;		/* ns: this file */
	uint64_t clocked_hooks; /* HOOKS sections when the last CLOCK was written */
	uint64_t clocked_back;	/* sum of the rings' clock_back then */
	double rate;		/* part of a ring that the fastest one fills in a second */
};

/* ---------------------------------------------------------- config.c */

/* Acquires the lock that the drain holds until it ends. */
int drain_lock(struct drain *d, struct session_error *error);

/* ------------------------------------------------------------ ring.c */

/* Whether the session's rings still are those of the drain: its control page, too, then. */
bool drain_owns_page(const struct drain *d);
void drain_tell_figures(struct drain *d, uint32_t ring);

/* Starts at a position, and releases the room before it to writers. */
void drain_start_at(struct drain *d, uint32_t ring, uint64_t position);

/* The largest position that writers can have reached. */
uint64_t drain_limit(const struct drain *d, uint32_t ring);

/* Notes where a ring's head and counters are. */
void drain_read_header(struct drain *d, uint32_t ring);
/* Notes the counters of losses alone, of all rings. Returns the sum of the losses. */
uint64_t drain_read_losses(struct drain *d);

/*
 * To the next section that a ring has to give, stepping over skipped ones: r->ready and
 * r->stamp. partial: one that head is in counts.
 */
void drain_seek(struct drain *d, uint32_t ring, bool partial);

/* The ring whose section comes next by time; d->rings: there is none. */
uint32_t drain_earliest(const struct drain *d);

/* Describes the section at queued in a job, and continues behind it. The room stays the section's.
 * Returns whether it is finished: only then may others be queued behind it. */
bool drain_pass(struct drain *d, uint32_t ring, struct drain_job *job);

/*
 * Whether the ring's oldest job, which was copied, is to be written now. Otherwise the ring goes
 * back before it and waits for the next round, because a writer may still commit in it. With
 * force it does not wait.
 */
bool drain_decide(struct drain *d, struct drain_job *job, bool force);

/* The ring's oldest job was written or counted: lets the writers in. */
void drain_complete_job(struct drain *d, const struct drain_job *job);

/* The ring's newest job, or its oldest if the ring waits from there on, is not written. */
void drain_requeue_job(struct drain *d, const struct drain_job *job);

/* ----------------------------------------------------------- queue.c */

int drain_queue_open(struct drain *d, struct session_error *error);
void drain_queue_close(struct drain *d);

/* d->tasks belong to the holder of this lock, while jobs are queued. */
void drain_queue_lock_tasks(struct drain *d);
void drain_queue_unlock_tasks(struct drain *d);

void drain_queue_pack(struct drain *d, struct drain_job *job);

/* The job to fill next. NULL: all are queued. */
struct drain_job *drain_queue_free_job(struct drain *d);
/* Queues it. Returns whether other threads work on it; else write it at once. */
bool drain_queue_add(struct drain *d);

/* The oldest or newest job, done; NULL: none is queued. */
struct drain_job *drain_queue_oldest(struct drain *d);
void drain_queue_remove_oldest(struct drain *d);
struct drain_job *drain_queue_newest(struct drain *d);
void drain_queue_remove_newest(struct drain *d);

/* ------------------------------------------------------------ file.c */

/* Begins a file in *f, not yet under its name. */
int drain_file_begin(struct drain *d, struct drain_file *f, struct session_error *error);
void drain_file_close(struct drain_file *f);

/* The tasks that the file lacks: a hook's task precedes it. */
int drain_file_tasks(struct drain *d, struct session_error *error);

/* A section of hooks; span.bytes 0: only torn hooks to be counted. */
int drain_file_hooks(struct drain *d, const struct drain_job *job, struct session_error *error);

/* Hooks that are in the file after all, or (negative) no more. */
void drain_file_count(struct drain *d, uint32_t ring, int64_t hooks, int64_t torn);

/* CLOCK, LOSS, TASKS and SCHEMA sections where time or news ask for one. */
int drain_file_keep_up(struct drain *d, struct session_error *error);

/* LOSS, CLOCK and END. */
int drain_file_end(struct drain *d, struct session_error *error);

/* The same after a write that failed: drops the last sections until the rest fits. */
int drain_file_end_anyhow(struct drain *d);

/* Cuts the file back to `whole`; nothing to do for a stream. */
int drain_file_cut(struct drain_file *f, uint64_t whole, struct session_error *error);

/* ------------------------------------------------------------ name.c */

/* FILE, taken up or begun. */
int drain_name_open(struct drain *d, struct session_error *error);

/* The next file, if this one has reached its size. */
int drain_name_rotate(struct drain *d, struct session_error *error);

/* Checks that the path still names the file; restores the name if not. */
int drain_name_check(struct drain *d, struct session_error *error);

/* A file without a name is lost with all that is in it: its hooks are counted so. */
void drain_name_account(struct drain *d);

/* ---------------------------------------------------------- resume.c */

/*
 * Continues the file at d->file.out.path: 1, 0: it is not this trace's, or a PU_ code. The
 * positions of its sections are noted as queued, its figures as those of this file.
 */
int drain_resume(struct drain *d, struct session_error *error);

/* Whether a file has the trace id, in a header whose checksum holds. */
bool drain_has_id(int fd, const uint8_t id[TRACE_ID_SIZE], uint8_t header[TF_HEADER_SIZE]);

/* ----------------------------------------------------------- state.c */

/* META lines: what went before the file that is begun. rotated: d->file is one of those. */
void drain_state_meta(const struct drain *d, bool rotated, struct buffer *t);
/* Reads them back; anything else is passed over. */
void drain_state_parse_meta(struct drain *d, char *text);

/* Facts known only at an orderly end, kept with the configuration. */
void drain_state_save(struct drain *d);
/* Loads the state that a drain of this generation left, if any. */
void drain_state_load(struct drain *d);

#endif
