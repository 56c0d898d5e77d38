/*
 * A session as its owner's commands see it: find, create, control. For the side of the
 * traced program see attach.h.
 *
 * Functions return 0 or a negative PU_ code; where `struct session_error` is passed, it then holds
 * one line: object, error, reason, advice.
 *
 * libtrace/session owns the control page, attaching, forks, permissions and the task table. It
 * includes ring and core. Errors: 0 or a negative PU_ code.
 */
#ifndef SWT_SESSION_SESSION_H
#define SWT_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../core/private_abi.h"
#include "../../formats/session.h"

struct session_error {
	char text[512];
};

/* Short, so that attaching touches few pages. */
enum { SESSION_DIR_BYTES = 1024 };

struct session_location {
	char dir[SESSION_DIR_BYTES];
	uid_t owner;	 /* required owner of the directory */
	const char *why; /* "SWTRACE_SESSION", "root's session" or "your own session" */
};

/* Finds where this process would trace: SWTRACE_SESSION, root's session or its own, in that
 * order. Its own need not exist yet. PU_ERROR_INVALID_PARAMETER: SWTRACE_SESSION is not an
 * absolute path. */
int session_find(struct session_location *location, struct session_error *error)
	PRIVATE_ABI(session_find);

/* Finds the process's own session, whatever else exists (for init and install). SWTRACE_SESSION
 * still comes first. */
int session_find_own(struct session_location *location, struct session_error *error);

/* Checks that this process may use the session at a location. Returns 0, PU_ERROR_DRIVER_NOT_LOADED
 * (there is none), PU_ERROR_ACCESS_DENIED or PU_ERR_FILE_ERROR, with the reason. */
int session_check(const struct session_location *location, struct session_error *error);

struct session {
	struct session_location location;
	int dir, control_fd, lock_fd;
	int rings_fd, tasks_fd, schemas_fd; /* -1: no rings */
	int labels_fd;			    /* -1: also rings of a version without labels */
	int cgroups_fd;			    /* the same of names of cgroups */
	bool writable;			    /* this process owns it: control is mapped read-write */
	struct shm_control *control;
	struct shm_geometry geometry; /* copied once, of this generation */
	uint32_t generation;
};

enum session_open_flags {
	SESSION_READ = 0,
	SESSION_CONTROL = 1, /* the caller must be the owner; acquires the session's lock */
	SESSION_CREATE = 2,  /* makes directory and control file if they are missing */
};

/* PU_ERROR_DRIVER_NOT_LOADED: there is none; PU_ERROR_ACCESS_DENIED: wrong owner, type or
 * mode, or not the owner; PU_ERR_FILE_ERROR; PU_ERROR_FACILITY_BUSY: another command holds
 * the lock for more than 10 s. */
int session_open(struct session *s, const struct session_location *location, int flags,
	struct session_error *error) PRIVATE_ABI(session_open);
void session_close(struct session *s) PRIVATE_ABI(session_close);

/*
 * The session's lock, for a handle opened with SESSION_CONTROL. The drain releases it while it
 * runs, and acquires it for operations that exclude each other (session_reclaim, session_off).
 * session_lock returns PU_ERROR_FACILITY_BUSY after 10 s, or at once if wait is false.
 */
int session_lock(struct session *s, bool wait, struct session_error *error);
void session_unlock(struct session *s);

/* The report of the drain of these rings; all zeros if there was none. */
const struct shm_drain *session_drain(const struct session *s);
/* By the drain. */
void session_publish_drain(struct session *s, const struct shm_drain *from);

/* Reads a clock sync: ticks of the session's clock, CLOCK_REALTIME ns, CLOCK_MONOTONIC ns. */
void session_sync_clock(const struct session *s, uint64_t sync[3]);

/* The tick up to which intervals stayed open: now, or when tracing was turned off or suspended. 0:
 * unknown. */
uint64_t session_on_until(const struct session *s);

/* Whether tracing is on, suspended or not. */
static inline bool session_is_on(const struct session *s)
{
	return s->control->state == SHM_ON || s->control->state == SHM_SUSPENDED;
}

/* Acquire: pairs with session_init's release; the geometry is that generation's.
 * tests/litmus/generation-copy.litmus */
static inline uint32_t session_load_generation(const struct shm_control *control)
{
	return __atomic_load_n(&control->generation, __ATOMIC_ACQUIRE);
}

/* Whether no init or free replaced the open rings. */
static inline bool session_is_current(const struct session *s)
{
	return session_load_generation(s->control) == s->generation;
}

/* Whether there are rings, and they are in continuous mode. */
static inline bool session_is_continuous(const struct session *s)
{
	return s->control->state != SHM_NO_RINGS && s->geometry.mode == SHM_MODE_CONTINUOUS;
}

/* Whether the drain of a session in continuous mode is alive: it holds the lock on SHM_DRAIN_NAME
 * until it ends. */
bool session_is_drained(struct session *s);

struct session_config {
	uint64_t ring_bytes;	/* per CPU; 0: 3 MiB */
	uint32_t section_bytes; /* 0: 64 KiB, or what the largest CPI group needs */
	uint32_t mode;		/* enum shm_mode */
	gid_t group;		/* (gid_t)-1: only the owner may trace */
	bool begins;		/* intervals have begin hooks */
	bool prealloc;	    /* allocate all memory now instead of when sections are first entered */
	const char *events; /* NULL: none; less than SHM_EVENTS_BYTES bytes, else
			       PU_ERROR_INVALID_PARAMETER */
};

/* Rounds and checks the options; fills geometry. */
int session_plan(const struct session_config *config, struct shm_geometry *geometry,
	struct session_error *error);

/* New rings: allocates what an idle session needs, raises the generation, unlinks the old ones.
 * Every major enabled, tracing off. PU_ERROR_INCORRECT_STATE while on;
 * PU_ERROR_INSUFFICIENT_RESOURCES: no space. */
int session_init(
	struct session *s, const struct session_config *config, struct session_error *error);
/* How many bytes are missing for the rings once all sections were entered, with the memory
 * available now; 0: they fit. */
uint64_t session_shortage(const struct session *s, uint64_t *available);
/* The memory that the session's files have now. False: its directory cannot be read. */
bool session_allocated(const struct session *s, uint64_t *bytes);
int session_on(struct session *s, struct session_error *error);
int session_off(struct session *s, struct session_error *error);
int session_suspend(struct session *s, bool suspend, struct session_error *error);
/* major 0-255 or -1: all. Works with or without rings. */
int session_enable(struct session *s, int major, bool enable, struct session_error *error);
int session_discard(struct session *s, struct session_error *error);
/* Unlinks the rings. The control file stays, so that programs find the next ones. */
int session_free(struct session *s, struct session_error *error);
/* Removes the directory and its files, at the end of a private session. */
int session_remove(struct session *s);
/* Makes a private session: a new directory under /dev/shm, *location filled, opened with
 * SESSION_CONTROL. */
int session_create_private(struct session *s, struct session_error *error);

/* Reclaims sections and guest rings held by writers that are proven dead. For the owner only; init,
 * on, off, dump and info call it. Returns how many records and locks were reclaimed. */
int session_reclaim(struct session *s);

/* Copies the task table. The caller frees *tasks. Returns the count or a PU_ code. */
struct session_task {
	uint32_t number; /* its records carry it instead of the thread id */
	/* As files name it: its own ids, if it is in the PID namespace of the session's owner; else
	 * ids of the session, because those of two namespaces are equal by nature. */
	uint32_t tid, pid;
	uint32_t own_tid, own_pid; /* in its PID namespace */
	uint32_t pid_namespace;	   /* its inode; 0: unknown */
	uint32_t cgroup;	   /* number of its name, see session_read_cgroup; 0: unknown */
	bool foreign;		   /* in another PID namespace than the owner */
	uint64_t first;
	char name[16];
	uint32_t source, source_flags;
	bool alive;  /* its process holds its lock */
	bool leader; /* the process's first thread here */
};

int session_tasks(struct session *s, struct session_task **tasks);

/*
 * The hooks that tasks lost since init, by slot. The caller frees *losses. Returns the count or a
 * PU_ code; 0 for rings of a version that does not count them. Excludes threads without a slot,
 * tasks whose slot now belongs to another task that lost hooks, and programs with an older library.
 * To get the losses of unknown tasks, read the rings' counters after this and subtract.
 */
struct session_loss {
	uint32_t number; /* the task's */
	uint64_t hooks;
};

int session_losses(const struct session *s, struct session_loss **losses);

/* Reads the slot of one number: all but alive, leader and the source of its process. False: another
 * task has it, or none. */
bool session_read_task(struct session *s, uint32_t number, struct session_task *task);

/* Copies the name of a cgroup. Returns its length; 0: no cgroup has that number. */
uint32_t session_read_cgroup(
	const struct session *s, uint32_t number, char name[SHM_CGROUP_TEXT_MAX]);

/*
 * The findings of `swtrace doctor`, as META lines (`doctor` in formats/trace-file.md). The command
 * that made the rings saves it with them, for their dumps. Returns 0 or a PU_ code.
 */
int session_save_findings(struct session *s, const char *lines, size_t length);
/* Copies complete lines. The caller frees *lines. Returns their length; 0 and NULL: there are none.
 */
size_t session_read_findings(const struct session *s, char **lines);

/*
 * The schemas that programs registered, one text (each ends with a newline); *text is the
 * caller's to free, NUL-terminated. *left_out (or NULL): how many entries are no schema and not in
 * it. Returns its length or a PU_ code.
 */
int session_schemas(struct session *s, char **text, uint32_t *left_out);

/* Sticky flags of the ring file (SHM_STICKY_). */
uint32_t session_sticky(const struct session *s);

/* Bytes of the area of labels that hold complete labels; 0: none, or no area. */
uint32_t session_labels_used(const struct session *s);
/*
 * Copies complete labels as stored in the area from offset `from` on, at most `room` bytes
 * (SHM_LABEL_TEXT_MAX + 8 at least). Returns their bytes; 0: there are no more.
 */
uint32_t session_read_labels(const struct session *s, uint32_t from, uint8_t *bytes, uint32_t room);

#endif
