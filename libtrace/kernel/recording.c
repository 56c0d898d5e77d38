#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "../core/clock.h"
#include "../core/clock_trust.h"
#include "../core/online.h"
#include "../session/fail.h"
#include "batch.h"
#include "names.h"

extern const unsigned char swtrace_kernel_schemas[];
extern const unsigned swtrace_kernel_schemas_size;

/* The kernel publishes a record within this time of its stamp. */
#define SETTLE_NS UINT64_C(5000000)

enum {
	/* Between rounds: records wait no longer than this. More on machines with more processors,
	 * for each is visited. */
	PERIOD_MS = 100,
	PERIOD_MS_A_CPU = 4,
	LOCK_TRIES = 500, /* 2 ms apart */
};

/* Between readings of all threads' names: each may be slow if there are many. */
#define LIST_PERIOD_NS TIME_SECOND_NS

struct recorded_cpu {
	struct kernel_records records;
	struct switch_batch batch;
	struct waking_batch wakings;
};

struct recording {
	struct session session;
	int file;     /* SHM_KERNEL_NAME */
	int requests; /* wakes it when another process closes the file; -1: it wakes by its period
			 only */
	int channel;
	bool stays;
	struct recorded_cpu *cpus;
	struct pollfd *wait; /* of the processors, then the requests and the channel */
	struct waking_format waking;
	int waking_error; /* of reading the format, or opening; 0: wake-ups are recorded */
	struct stamps stamps;
	struct kernel_names names;
	uint64_t named; /* ns: when names were written last */
	bool names_lost;
	uint64_t names_hooks;
	struct shm_kernel figures;
	struct recorded_cpu *at; /* the processor whose records are read */
	/* The hook that is being made. */
	UINT32 words[KERNEL_NAMES_WORDS + KERNEL_NAMES_MOST * KERNEL_NAME_WORDS];
	struct kernel_name listed[KERNEL_NAMES_MOST];
	uint32_t nlisted;
};

static volatile sig_atomic_t asked_to_end;

static void recording_note_signal(int signal)
{
	(void)signal;
	asked_to_end = 1;
}

/* --------------------------------------------------------------------------- names */

static void recording_write_names(struct recording *r)
{
	TRACE_STRING strings[KERNEL_NAMES_MOST];
	UINT32 *words = r->words;

	if (!r->nlisted)
		return;
	words[KERNEL_NAMES_COUNT] = words[KERNEL_NAMES_TEXTS] = r->nlisted;
	words += KERNEL_NAMES_WORDS;
	for (uint32_t i = 0; i < r->nlisted; i++, words += KERNEL_NAME_WORDS) {
		const struct kernel_name *n = &r->listed[i];
		const uint64_t from = stamps_ticks(&r->stamps, n->from),
			       to = stamps_ticks(&r->stamps, n->to);

		words[KERNEL_NAME_PID] = n->pid;
		words[KERNEL_NAME_TID] = n->tid;
		words[KERNEL_NAME_FROM] = (UINT32)(from >> 32);
		words[KERNEL_NAME_FROM + 1] = (UINT32)from;
		words[KERNEL_NAME_TO] = (UINT32)(to >> 32);
		words[KERNEL_NAME_TO + 1] = (UINT32)to;
		strings[i] = (TRACE_STRING){n->name, (UINT32)strnlen(n->name, sizeof n->name)};
	}
	if (TraceHookData(KERNEL_MAJOR, KERNEL_MINOR_NAMES,
		    KERNEL_NAMES_WORDS + r->nlisted * KERNEL_NAME_WORDS, r->words, r->nlisted,
		    strings) == PU_SUCCESS)
		r->names_hooks++;
	r->nlisted = 0;
}

static void recording_add_name(void *ctx, const struct kernel_name *name)
{
	struct recording *r = ctx;

	r->listed[r->nlisted++] = *name;
	if (r->nlisted == KERNEL_NAMES_MOST)
		recording_write_names(r);
}

/* ------------------------------------------------------------------------- records */

static void recording_add_record(void *ctx, const struct kernel_record *record)
{
	struct recording *r = ctx;
	struct switch_batch *b = &r->at->batch;

	switch (record->kind) {
	case KERNEL_RECORD_ARRIVAL:
		if (b->is_chain && b->tid == record->other_tid)
			break;
		/* fall through */
	case KERNEL_RECORD_SWITCH:
		if (!b->is_chain)
			kernel_names_want(&r->names, record->tid);
		kernel_names_want(&r->names, record->other_tid);
		switch_batch_add(b, record, stamps_ticks(&r->stamps, record->at));
		break;
	case KERNEL_RECORD_WAKING:
		/* A running thread does not wait, so its wake-up ends no wait. */
		if (record->tid == record->other_tid)
			break;
		kernel_names_want(&r->names, record->tid);
		waking_batch_add(&r->at->wakings, record, stamps_ticks(&r->stamps, record->at));
		break;
	case KERNEL_RECORD_LOST:
		r->figures.lost += record->lost;
		r->names_lost = true;
		switch_batch_lose(b, record->lost, stamps_ticks(&r->stamps, record->at));
		break;
	default:
		kernel_names_add(&r->names, record);
	}
}

static void recording_visit(const struct recording *r, uint32_t cpu)
{
	cpu_set_t *set;

	if (r->figures.cpus == 1)
		return;
	set = CPU_ALLOC(cpu + 1);
	if (!set)
		return;
	CPU_ZERO_S(CPU_ALLOC_SIZE(cpu + 1), set);
	CPU_SET_S(cpu, CPU_ALLOC_SIZE(cpu + 1), set);
	/* Without it the hooks are in another processor's ring, but as true. */
	sched_setaffinity(0, CPU_ALLOC_SIZE(cpu + 1), set);
	CPU_FREE(set);
}

/* whole: the round reads all records that are stamped before it. */
static void recording_do_round(struct recording *r, bool whole, bool ends)
{
	const struct timespec settle = {.tv_nsec = (long)SETTLE_NS};
	const uint64_t now = clock_raw_ns();

	if (whole)
		nanosleep(&settle, NULL);
	stamps_renew(&r->stamps);
	for (uint32_t i = 0; i < r->figures.cpus; i++) {
		struct recorded_cpu *c = r->at = &r->cpus[i];
		bool was_full = false;

		const bool has_records =
			c->records.page->data_tail !=
			__atomic_load_n(&c->records.page->data_head, __ATOMIC_RELAXED);

		if (has_records)
			recording_visit(r, c->records.cpu);
		if (has_records || whole) {
			was_full = kernel_records_read(&c->records, recording_add_record, r);
			/* Write wake-ups first: a wait whose end is in the trace then has its
			 * waker. */
			waking_batch_flush(&c->wakings);
			switch_batch_flush(&c->batch);
		}
		if (whole && r->figures.has_wakeups)
			waking_batch_end(&c->wakings, stamps_ticks(&r->stamps, now));
		/* The kernel reports a loss only before its next record, which may never come. */
		if (was_full) {
			r->names_lost = true;
			switch_batch_lose(&c->batch, 0, stamps_ticks(&r->stamps, clock_raw_ns()));
		} else if (whole) {
			switch_batch_end(&c->batch, stamps_ticks(&r->stamps, now));
		}
	}
	if (r->names_lost) {
		if (ends || now < r->names.listed + LIST_PERIOD_NS)
			return;
		kernel_names_list(&r->names, clock_raw_ns(), clock_raw_ns);
		r->names_lost = false;
	} else if (whole || now - r->named >= (uint64_t)PERIOD_MS * 1000000u) {
		kernel_names_settle(
			&r->names, whole ? now : now - SETTLE_NS, recording_add_name, r);
		recording_write_names(r);
		r->named = now;
	}
}

static void recording_write_figures(struct recording *r)
{
	const size_t behind = offsetof(struct shm_kernel, wakeups);

	r->figures.switches = r->figures.dropped = r->figures.wakeups = 0;
	r->figures.wakeups_missing = 0;
	r->figures.hooks = r->names_hooks;
	for (uint32_t i = 0; i < r->figures.cpus; i++) {
		r->figures.switches += r->cpus[i].batch.written;
		r->figures.wakeups += r->cpus[i].wakings.written;
		r->figures.wakeups_missing += r->cpus[i].records.missing;
		r->figures.dropped += r->cpus[i].batch.dropped + r->cpus[i].wakings.dropped;
		r->figures.hooks += r->cpus[i].batch.hooks + r->cpus[i].wakings.hooks;
	}
	/* A failure loses a figure of `info`, and the requester times out. */
	if (pwrite(r->file, (const char *)&r->figures + behind, sizeof r->figures - behind,
		    (off_t)behind) < 0 ||
		pwrite(r->file, &r->figures, offsetof(struct shm_kernel, asked), 0) < 0)
		return;
}

static bool recording_is_wanted(const struct recording *r)
{
	const struct shm_control *c = r->session.control;
	const uint32_t state = __atomic_load_n(&c->state, __ATOMIC_RELAXED);

	return (state == SHM_ON || state == SHM_SUSPENDED) &&
	       __atomic_load_n(&c->generation, __ATOMIC_RELAXED) == r->session.generation;
}

/* Serves requests. Returns whether it is to end. */
static bool recording_read_requests(const struct recording *r, uint64_t *asked)
{
	char events[1024];
	struct shm_kernel k;

	while (r->requests >= 0 && read(r->requests, events, sizeof events) > 0)
		;
	*asked = 0;
	if (pread(r->file, &k, sizeof k, 0) != sizeof k)
		return false;
	*asked = k.asked;
	return k.ends_of == r->figures.pid;
}

void recording_follow(struct recording *r)
{
	const uint32_t cpus = r->figures.cpus;
	const long ms = PERIOD_MS + (long)cpus * PERIOD_MS_A_CPU;
	const struct timespec period = {
		.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * (long)TIME_MS_NS};
	sigset_t none;
	uint64_t asked;
	bool ends;

	sigemptyset(&none);
	do {
		ppoll(r->wait, cpus + 1 + !r->stays, &period, &none);
		ends = recording_read_requests(r, &asked) || asked_to_end ||
		       (!r->stays && r->wait[cpus + 1].revents) || !recording_is_wanted(r);
		recording_do_round(r, asked > r->figures.answered || ends, ends);
		if (asked > r->figures.answered)
			r->figures.answered = asked;
		r->figures.has_ended = ends;
		recording_write_figures(r);
	} while (!ends);
}

/* ------------------------------------------------------------------------- opening */

static void recording_catch_signals(void)
{
	const struct sigaction catcher = {.sa_handler = recording_note_signal};
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	/* Deliver SIGTERM only inside the wait. */
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	sigaction(SIGTERM, &catcher, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

static void recording_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int recording_open_cpus(struct recording *r, struct session_error *error)
{
	struct cpu_set online;
	char why[256];
	int rc = 0;

	r->waking_error = waking_read_format(&r->waking);
	cpu_set_online(&online);
	r->cpus = calloc(online.end + 1, sizeof *r->cpus);
	r->wait = calloc(online.end + 3, sizeof *r->wait);
	if (!r->cpus || !r->wait)
		return session_fail(error, -ENOMEM, "not enough memory for the table of CPUs");
	for (uint32_t cpu = 0; cpu < online.end; cpu++) {
		struct recorded_cpu *c = &r->cpus[r->figures.cpus];

		if (!cpu_set_has(&online, cpu))
			continue;
		/* Before the size of any buffer: that for wake-ups may be more than a user may
		 * lock. */
		if (!r->figures.cpus && !r->waking_error)
			r->waking_error = waking_try(&r->waking, cpu);
		if (!r->figures.cpus && r->waking_error == -ENODEV)
			r->waking_error = 0;
		rc = kernel_records_open(&c->records, cpu, r->waking_error == 0);
		if (rc == 0) {
			c->batch.cpu = c->wakings.cpu = cpu;
			r->wait[r->figures.cpus++] =
				(struct pollfd){.fd = c->records.fd, .events = POLLIN};
		} else if (rc != -ENODEV) {
			break;
		}
	}
	/* All of them or none: with some missing, the threads that ran instead would be guesswork.
	 */
	if (r->figures.cpus && (rc == 0 || rc == -ENODEV))
		return 0;
	kernel_records_explain(rc, why, sizeof why);
	return session_fail(error, rc, "cannot record the kernel's context switches: %s", why);
}

/* Adds wake-ups to the records of all processors, or to none; then a line says why. */
static void recording_add_wakings(struct recording *r, struct session_error *error)
{
	char why[256];
	uint32_t added = 0;

	while (added < r->figures.cpus && !r->waking_error)
		r->waking_error = kernel_records_add_wakings(&r->cpus[added++].records, &r->waking);
	r->figures.has_wakeups = r->waking_error == 0;
	if (!r->waking_error)
		return;
	while (added)
		kernel_records_drop_wakings(&r->cpus[--added].records);
	waking_explain(r->waking_error, why, sizeof why);
	session_fail(error, r->waking_error, "who wakes the threads is not recorded: %s", why);
}

/* The stamps of records have no offset of a time namespace. */
enum { FIRST_TIME_NAMESPACE = 0xEFFFFFFA };

static int recording_check_clock(const struct recording *r, struct session_error *error)
{
	const uint64_t here = clock_time_namespace();

	if (here && here != FIRST_TIME_NAMESPACE &&
		r->session.geometry.clock == TF_CLOCK_MONOTONIC_RAW)
		return session_fail(error, -ENOTSUP,
			"cannot record the kernel's context switches: this time namespace's clock is not the kernel's (record them outside of it)");
	return 0;
}

/* Owned by the session's owner, even if root comes first. */
static int recording_check_owner(const struct recording *r, struct session_error *error)
{
	const uid_t owner = r->session.location.owner;
	struct stat st;

	if (fstat(r->file, &st) == 0 && S_ISREG(st.st_mode) &&
		(st.st_uid == owner ||
			(st.st_uid == geteuid() && fchown(r->file, owner, (gid_t)-1) == 0)))
		return 0;
	return session_fail(error, -EACCES,
		"%.300s/" SHM_KERNEL_NAME " has the wrong owner or type: not used",
		r->session.location.dir);
}

static int recording_lock_file(
	struct recording *r, uint32_t generation, struct session_error *error)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	int rc;

	r->file = openat(r->session.dir, SHM_KERNEL_NAME,
		O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (r->file < 0)
		return session_fail(error, -errno, "%.300s/" SHM_KERNEL_NAME ": cannot open it: %s",
			r->session.location.dir, strerror(errno));
	rc = recording_check_owner(r, error);
	/* A command that asks whether there is a recorder holds it for a moment, and one whose
	 * buffers were replaced does until its next round. */
	for (int i = 0; !rc && flock(r->file, LOCK_EX | LOCK_NB) != 0; i++) {
		if (i == LOCK_TRIES)
			rc = session_fail(error, -EBUSY,
				"the kernel's context switches are being recorded already; swtrace off ends that");
		nanosleep(&pause, NULL);
	}
	if (rc)
		return rc;
	/* At once: what a previous recorder left there names another process. */
	r->figures = (struct shm_kernel){
		.magic = SHM_MAGIC, .generation = generation, .pid = (uint32_t)getpid()};
	r->figures.wakeups_of = r->figures.pid;
	/* With no requests. */
	if (pwrite(r->file, &r->figures, sizeof r->figures, 0) != sizeof r->figures)
		return session_fail(error, -errno, "%.300s/" SHM_KERNEL_NAME ": cannot write: %s",
			r->session.location.dir, strerror(errno));
	return 0;
}

/* A descriptor that is closed after writing is a request, for this process does not close its own.
 */
static void recording_watch_requests(struct recording *r)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/self/fd/%d", r->file);
	r->requests = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (r->requests >= 0)
		inotify_add_watch(r->requests, path, IN_CLOSE_WRITE);
}

static int recording_register_schema(void)
{
	char *text = malloc(swtrace_kernel_schemas_size + 1);
	int rc;

	if (!text)
		return -ENOMEM;
	memcpy(text, swtrace_kernel_schemas, swtrace_kernel_schemas_size);
	text[swtrace_kernel_schemas_size] = 0;
	rc = TraceRegisterSchema(text);
	free(text);
	/* Without room for it there, readers use their own. */
	return rc == PU_ERROR_INVALID_PARAMETER ? -EINVAL : 0;
}

static int recording_open_session(struct recording *r, const struct session_location *location,
	uint32_t generation, struct session_error *error)
{
	if (setenv("SWTRACE_SESSION", location->dir, 1) != 0)
		return session_fail(error, -ENOMEM, "SWTRACE_SESSION: not enough memory");
	if (session_open(&r->session, location, SESSION_READ, error))
		return -EIO;
	if (r->session.generation != generation)
		return session_fail(error, -EIO, "%.300s got new trace buffers just now; try again",
			location->dir);
	return recording_check_clock(r, error);
}

struct recording *recording_open(const struct session_location *location, uint32_t generation,
	int channel, bool stays, int *rc, struct session_error *error)
{
	struct recording *r = calloc(1, sizeof *r);
	uint64_t since;

	*rc = -ENOMEM;
	if (!r)
		return NULL;
	recording_catch_signals();
	recording_raise_limit();
	r->channel = channel;
	r->stays = stays;
	*rc = recording_open_session(r, location, generation, error);
	if (!*rc)
		*rc = recording_lock_file(r, generation, error);
	if (!*rc)
		*rc = recording_open_cpus(r, error);
	if (!*rc)
		*rc = recording_register_schema();
	if (*rc) {
		if (r->figures.pid) {
			r->figures = (struct shm_kernel){0};
			recording_write_figures(r);
		}
		return NULL; /* the process ends, which closes everything */
	}
	recording_add_wakings(r, error);
	since = clock_raw_ns();
	stamps_begin(&r->stamps, r->session.geometry.clock, r->session.geometry.ticks_per_second);
	for (uint32_t i = 0; i < r->figures.cpus; i++) {
		r->cpus[i].batch.since = stamps_ticks(&r->stamps, since);
		r->cpus[i].wakings.since = r->cpus[i].wakings.last = r->cpus[i].batch.since;
		r->cpus[i].batch.is_begun = true;
	}
	kernel_names_list(&r->names, since, clock_raw_ns);
	recording_watch_requests(r);
	r->wait[r->figures.cpus] = (struct pollfd){.fd = r->requests, .events = POLLIN};
	r->wait[r->figures.cpus + 1] = (struct pollfd){.fd = channel, .events = POLLIN};
	recording_write_figures(r);
	return r;
}
