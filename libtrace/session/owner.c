/*
 * The owner's operations: making and freeing rings, tracing on and off.
 *
 * Programs read the control page without a lock, so the stores of every change are ordered to be
 * valid at each step: the gate closes first and opens last; the generation is stored after
 * everything that belongs to it.
 */
#include "session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../../formats/base/number.h"
#include "../../formats/cpi_hooks.h"
#include "../../formats/cpuutil_hooks.h"
#include "../../formats/record.h"
#include "../../include/perfutil.h"
#include "../core/clock.h"
#include "../core/clock_trust.h"
#include "../core/online.h"
#include "../ring/layout.h"
#include "../ring/reader.h"
#include "container.h"
#include "paths.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

_Static_assert((int)ONLINE_MAX == SHM_MAX_CPUS, "a ring a processor");

enum { DEFAULT_RING_BYTES = 3 << 20, DEFAULT_SECTION_BYTES = 64 << 10, MAX_SECTION = 1 << 23 };

static int need_rings(const struct session *s, struct session_error *error)
{
	if (s->control->state != SHM_NO_RINGS)
		return 0;
	session_say(error, "%s has no trace buffers; swtrace init makes them", s->location.dir);
	return PU_ERROR_NO_BUFFER;
}

/* ------------------------------------------------------------------- plan */

/* More processors than the machine has, for tests of large machines. 0: none asked for, or a PU_
 * code. */
static int made_up_cpus(uint32_t configured, struct session_error *error)
{
	const char *text = secure_getenv("SWTRACE_TEST_CPUS");
	uint64_t n;

	if (!text || !*text)
		return 0;
	if (number_parse(text, 10, SHM_MAX_CPUS, &n) && n >= configured)
		return (int)n;
	session_say(error,
		"SWTRACE_TEST_CPUS is \"%.20s\": it must be between the %u processors of this machine and %d",
		text, configured, SHM_MAX_CPUS);
	return PU_ERROR_INVALID_PARAMETER;
}

/* Bytes of a group with this many data hooks and words in all, and a label of 4 KiB. */
static uint32_t owner_group_bytes(uint32_t hooks, uint32_t words)
{
	const uint32_t each = REC_HEADER_SIZE + 8; /* and its padding */

	return 2 * (each + 4 * 2 + 4 + 4096) + hooks * each + 4 * words;
}

/* The largest group of CPI, with events, or of CPU utilisation, with every hook. */
static uint32_t largest_group(uint32_t cpus)
{
	uint32_t cpi = owner_group_bytes(CPI_GROUP_DATA_HOOKS + 1,
		CPI_GROUP_DATA_WORDS(cpus) + INTERVAL_EVENTS_WORDS + INTERVAL_EVENTS_STRING_WORDS);
	uint32_t util = owner_group_bytes(CPUUTIL_GROUP_DATA_HOOKS, CPUUTIL_GROUP_DATA_WORDS(cpus));

	return cpi > util ? cpi : util;
}

/* Before Linux 5.14 a writer cannot populate a section's pages without risking a signal. */
static bool can_populate(void)
{
	void *p = mmap(NULL, SHM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool can = p != MAP_FAILED && madvise(p, SHM_PAGE, MADV_POPULATE_WRITE) == 0;

	if (p != MAP_FAILED)
		munmap(p, SHM_PAGE);
	return can;
}

/* Two areas let a dump keep one while writers use the other. Not with --prealloc: it would allocate
 * both. */
static uint32_t areas_of(const struct session_config *config)
{
	return config->mode == SHM_MODE_WRAP && !config->prealloc && can_populate() ? 2 : 1;
}

int session_plan(
	const struct session_config *config, struct shm_geometry *g, struct session_error *error)
{
	uint64_t bytes = config->ring_bytes ? config->ring_bytes : DEFAULT_RING_BYTES;
	uint64_t section = config->section_bytes ? config->section_bytes : DEFAULT_SECTION_BYTES;
	struct rlimit limit;
	int made_up;

	memset(g, 0, sizeof *g);
	g->cpus = cpus_possible();
	made_up = made_up_cpus(g->cpus, error);
	if (made_up < 0)
		return made_up;
	if (made_up)
		g->cpus = (uint32_t)made_up;
	/* Writers run out of guest rings only while this many are stopped, each holding one. Memory
	 * is allocated on first use. */
	g->guests = SHM_MAX_GUESTS;
	if (config->mode > SHM_MODE_CONTINUOUS) {
		session_say(error, "trace mode %u is not supported", config->mode);
		return PU_ERROR_NOT_SUPPORTED;
	}
	if (section < SHM_PAGE || section > MAX_SECTION || bytes > 1ull << 40) {
		session_say(error,
			"section size %llu is not between 4 KiB and 8 MiB, or ring size %llu above 1 TiB",
			(unsigned long long)section, (unsigned long long)bytes);
		return PU_ERROR_INVALID_PARAMETER;
	}
	/* A power of two that holds the largest group of this machine. */
	g->section_size = SHM_PAGE;
	while (g->section_size < section ||
		(!config->section_bytes && g->section_size < largest_group(g->cpus)))
		g->section_size *= 2;
	if (bytes > (uint64_t)g->section_size * (1u << 24)) {
		session_say(error, "a ring of %llu bytes needs larger sections than %u bytes",
			(unsigned long long)bytes, g->section_size);
		return PU_ERROR_INVALID_PARAMETER;
	}
	g->sections = (uint32_t)((bytes + g->section_size - 1) / g->section_size);
	if (g->sections < 2)
		g->sections = 2;
	g->mode = config->mode;
	g->clock = clock_kind();
	g->ticks_per_second = clock_ticks_per_second();
	geometry_derive(g, areas_of(config));
	/* With two areas the file may exceed the limit. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && g->file_size > limit.rlim_cur)
		geometry_derive(g, 1);
	return 0;
}

/* ------------------------------------------------------------------- room */

static uint64_t free_bytes(const struct session *s)
{
	struct statvfs v;

	return fstatvfs(s->dir, &v) == 0 ? (uint64_t)v.f_bavail * v.f_frsize : 0;
}

uint64_t session_shortage(const struct session *s, uint64_t *available)
{
	const struct shm_geometry *g = &s->geometry;
	/* Only dumps use the second areas, and can do without them. */
	uint64_t spare = (ring_data_bytes(g) - g->ring_size) * (g->cpus + g->guests);
	uint64_t needed, taken;
	struct stat st;

	*available = free_bytes(s);
	if (s->rings_fd < 0 || fstat(s->rings_fd, &st) != 0)
		return 0;
	needed = (uint64_t)st.st_size - spare;
	taken = (uint64_t)st.st_blocks * 512;
	return needed > taken + *available ? needed - taken - *available : 0;
}

static DIR *owner_open_files(const struct session *s)
{
	int copy = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);

	if (!d && copy >= 0)
		close(copy);
	return d;
}

bool session_allocated(const struct session *s, uint64_t *bytes)
{
	DIR *d = owner_open_files(s);
	struct dirent *e;
	struct stat st;

	*bytes = 0;
	if (!d)
		return false;
	while ((e = readdir(d)) != NULL)
		if (fstatat(s->dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(st.st_mode))
			*bytes += (uint64_t)st.st_blocks * 512;
	closedir(d);
	return true;
}

/* Allocates the headers of file and rings, which writers store to without populating. Returns an
 * errno value. */
static int allocate_headers(int fd, const struct shm_geometry *g)
{
	int err = session_allocate(fd, 0, SHM_PAGE);

	for (uint32_t i = 0; err == 0 && i < g->cpus + g->guests; i++)
		err = session_allocate(fd, ring_offset(g, i), g->data_offset);
	return err;
}

/* ------------------------------------------------------------------- init */

/* Whether a file's name has that format, and the generation in it. */
static bool owner_scan_name(const char *name, const char *format, uint64_t *generation)
{
	const size_t before = strcspn(format, "%");
	const char *at = name + before;

	return strncmp(name, format, before) == 0 &&
	       number_scan(&at, name + strlen(name), 10, UINT32_MAX, generation);
}

/* Removes the files of all generations but `keep`. */
static void remove_files(struct session *s, uint32_t keep)
{
	static const char *const formats[] = {SHM_RINGS_FORMAT, SHM_TASKS_FORMAT,
		SHM_SCHEMAS_FORMAT, SHM_LABELS_FORMAT, SHM_CGROUPS_FORMAT, SHM_DOCTOR_FORMAT,
		SHM_LOCKS_FORMAT};
	DIR *d = owner_open_files(s);
	struct dirent *e;
	uint64_t generation;

	if (!d)
		return;
	while ((e = readdir(d)) != NULL) {
		for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
			if (owner_scan_name(e->d_name, formats[i], &generation) &&
				(keep == 0 || generation != keep))
				unlinkat(s->dir, e->d_name, 0);
	}
	closedir(d);
}

static int no_space(struct session *s, uint64_t size, int err, struct session_error *error)
{
	if (err == EFBIG) {
		session_say(error,
			"no space for a session's files in %s: the file size limit is too small; see ulimit -f, or ask for less with init -s",
			s->location.dir);
		return PU_ERROR_INSUFFICIENT_RESOURCES;
	}
	if (err == ENOSPC || err == EDQUOT) {
		session_say(error,
			"no space for %llu KiB of trace buffers in %s (%llu KiB free); ask for less with init -s, or enlarge /dev/shm",
			(unsigned long long)(size >> 10), s->location.dir,
			(unsigned long long)(free_bytes(s) >> 10));
		return PU_ERROR_INSUFFICIENT_RESOURCES;
	}
	session_say(error, "%s: %s", s->location.dir, strerror(err));
	return PU_ERR_FILE_ERROR;
}

static int cannot_give(struct session *s, gid_t group, struct session_error *error)
{
	session_say(error, "%s: cannot give it to group %u: %s", s->location.dir, (unsigned)group,
		strerror(errno));
	return errno == EPERM ? PU_ERROR_ACCESS_DENIED : PU_ERR_FILE_ERROR;
}

/* A new file of a generation, its first bytes allocated. A descriptor or a PU_ code. */
static int make_named_file(struct session *s, const char *name, uint64_t size, uint64_t allocated,
	gid_t group, struct session_error *error)
{
	int fd, err;

	unlinkat(s->dir, name, 0);
	fd = openat(s->dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		session_say(error, "%s/%s: %s", s->location.dir, name, strerror(errno));
		return errno == ENOSPC ? PU_ERROR_INSUFFICIENT_RESOURCES : PU_ERR_FILE_ERROR;
	}
	err = session_resize(fd, size);
	if (err == 0 && allocated)
		err = session_allocate(fd, 0, allocated);
	/* Root's init in a user's session: the files are the owner's. */
	if (err == 0 && s->location.owner != geteuid() &&
		fchown(fd, s->location.owner, (gid_t)-1) != 0)
		err = errno;
	if (err == 0 && group != (gid_t)-1 && fchown(fd, (uid_t)-1, group) != 0) {
		close(fd);
		return cannot_give(s, group, error);
	}
	if (err == 0 && fchmod(fd, group != (gid_t)-1 ? 0660 : 0600) != 0)
		err = errno;
	if (err) {
		close(fd);
		return no_space(s, allocated, err, error);
	}
	return fd;
}

static int make_file(struct session *s, const char *format, uint32_t generation, uint64_t size,
	uint64_t allocated, gid_t group, struct session_error *error)
{
	char name[32];

	session_name(name, format, generation, 0);
	return make_named_file(s, name, size, allocated, group, error);
}

static int make_rings(struct session *s, uint32_t generation, const struct shm_geometry *g,
	const struct session_config *config, struct session_error *error)
{
	bool is_full = config->prealloc || !can_populate();
	int fd = make_file(s, SHM_RINGS_FORMAT, generation, g->file_size,
		is_full ? g->file_size : 0, config->group, error);
	int err = fd < 0 || is_full ? 0 : allocate_headers(fd, g);

	if (err == 0)
		return fd;
	close(fd);
	return no_space(s, SHM_PAGE + g->data_offset * (g->cpus + g->guests), err, error);
}

/* Creates the empty files of the processes' locks. 0 or a PU_ code. */
static int make_locks(
	struct session *s, uint32_t generation, gid_t group, struct session_error *error)
{
	for (uint32_t i = 0; i < SHM_LOCK_FILES; i++) {
		char name[32];
		int fd;

		session_name(name, SHM_LOCKS_FORMAT, generation, i);
		fd = make_named_file(s, name, 0, 0, group, error);
		if (fd < 0)
			return fd;
		close(fd);
	}
	return 0;
}

/* Sets the access rights of the directory and the control file. */
static int set_group(struct session *s, gid_t group, struct session_error *error)
{
	bool shared = group != (gid_t)-1;

	if ((shared && (fchown(s->dir, (uid_t)-1, group) != 0 ||
			       fchown(s->control_fd, (uid_t)-1, group) != 0)) ||
		fchmod(s->control_fd, shared ? 0640 : 0600) != 0 ||
		fchmod(s->dir, shared ? 0750 : 0700) != 0)
		return cannot_give(s, group, error);
	s->control->group = shared ? (uint32_t)group : UINT32_MAX;
	return 0;
}

static bool write_magic(int fd, uint32_t generation)
{
	static const uint64_t magic = SHM_MAGIC;

	return pwrite(fd, &magic, 8, 0) == 8 &&
	       (generation == 0 || pwrite(fd, &generation, 4, 8) == 4);
}

static void owner_count_closing(struct session *s)
{
	struct shm_control *c = s->control;
	uint64_t sync[3];

	if (c->period == c->closings) {
		session_sync_clock(s, sync);
		c->closed = sync[0];
	}
	/* Release: a reader of the new count finds the tick (session_on_until). */
	__atomic_store_n(&c->closings, c->closings + 1, __ATOMIC_RELEASE);
}

static void close_gate(struct session *s)
{
	struct shm_control *c = s->control;

	owner_count_closing(s);
	for (int i = 0; i < SHM_MAJORS; i++)
		__atomic_store_n(&c->gate[i], 0, __ATOMIC_RELAXED);
}

static void owner_open_gate(struct shm_control *c)
{
	c->period = c->closings;
	/* Release: what the gate lets in finds state and generation as they are now.
	 * tests/litmus/gate-open.litmus */
	for (int i = 0; i < SHM_MAJORS; i++)
		__atomic_store_n(&c->gate[i], c->majors[i] ? c->generation : 0, __ATOMIC_RELEASE);
}

static void owner_publish_generation(struct session *s, const struct shm_geometry *g,
	const struct session_config *config, uint32_t generation)
{
	const char *events = config->events ? config->events : "";
	struct shm_control *c = s->control;

	close_gate(s);
	/* Programs do not attach while this is 0. The new generation is stored last. */
	__atomic_store_n(&c->generation, 0, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	c->geometry = *g;
	memset(&c->drain, 0, sizeof c->drain);
	memset(c->ring, 0, sizeof c->ring);
	memset(c->majors, 1, sizeof c->majors);
	c->discards = 0;
	memset(c->events, 0, sizeof c->events);
	memcpy(c->events, events, strlen(events));
	c->begins = config->begins;
	c->made_up = made_up_cpus(cpus_possible(), NULL) > 0;
	if (getrandom(c->rings_id, sizeof c->rings_id, 0) != sizeof c->rings_id)
		memset(c->rings_id, 0, sizeof c->rings_id);
	clock_sync(c->sync);
	c->time_namespace = clock_time_namespace();
	c->pid_namespace = container_pid_namespace();
	c->proc_device = container_proc_device();
	c->cgroup_namespace = container_cgroup_namespace();
	c->state = SHM_OFF;
	c->last_generation = generation;
	__atomic_store_n(&c->generation, generation, __ATOMIC_RELEASE);
	s->geometry = *g;
	s->generation = generation;
}

int session_init(
	struct session *s, const struct session_config *config, struct session_error *error)
{
	struct shm_geometry g;
	uint32_t generation = s->control->last_generation + 1;
	int rings = -1, tasks = -1, schemas = -1, labels = -1, cgroups = -1, rc;

	if (generation > SHM_LAST_GENERATION)
		generation = 1;
	if (s->control->state == SHM_ON || s->control->state == SHM_SUSPENDED) {
		session_say(error, "tracing is on in %s; swtrace off first", s->location.dir);
		return PU_ERROR_INCORRECT_STATE;
	}
	rc = session_plan(config, &g, error);
	if (rc)
		return rc;
	if (config->events && strlen(config->events) >= SHM_EVENTS_BYTES) {
		session_say(
			error, "the list of events is longer than %d bytes", SHM_EVENTS_BYTES - 1);
		return PU_ERROR_INVALID_PARAMETER;
	}
	rings = make_rings(s, generation, &g, config, error);
	if (rings >= 0)
		tasks = make_file(s, SHM_TASKS_FORMAT, generation, SHM_TASKS_BYTES,
			SHM_TASKS_ALLOCATED, config->group, error);
	if (tasks >= 0)
		schemas =
			make_file(s, SHM_SCHEMAS_FORMAT, generation, sizeof(struct shm_schema_file),
				sizeof(struct shm_schema_file), config->group, error);
	if (schemas >= 0)
		labels = make_file(s, SHM_LABELS_FORMAT, generation, sizeof(struct shm_label_file),
			SHM_PAGE, config->group, error);
	if (labels >= 0)
		cgroups = make_file(s, SHM_CGROUPS_FORMAT, generation,
			sizeof(struct shm_cgroup_file), SHM_PAGE, config->group, error);
	rc = rings < 0	   ? rings
	     : tasks < 0   ? tasks
	     : schemas < 0 ? schemas
	     : labels < 0  ? labels
	     : cgroups < 0 ? cgroups
			   : 0;
	if (!rc)
		rc = make_locks(s, generation, config->group, error);
	if (!rc && (!write_magic(rings, generation) || !write_magic(tasks, 0) ||
			   !write_magic(schemas, 0) || !write_magic(labels, 0) ||
			   !write_magic(cgroups, 0)))
		rc = no_space(s, SHM_PAGE, errno, error);
	if (!rc)
		container_add_owner(cgroups);
	/* The last step that may fail: users of the old rings keep their access if init fails. */
	if (!rc)
		rc = set_group(s, config->group, error);
	if (rc) {
		int fds[] = {rings, tasks, schemas, labels, cgroups};

		for (int i = 0; i < 5; i++) {
			if (fds[i] >= 0)
				close(fds[i]);
		}
		/* The old rings stay as they were; the half-made new ones go. */
		remove_files(s, s->control->state == SHM_NO_RINGS ? 0 : s->generation);
		return rc;
	}
	if (s->rings_fd >= 0) {
		close(s->rings_fd);
		close(s->tasks_fd);
		close(s->schemas_fd);
	}
	if (s->labels_fd >= 0)
		close(s->labels_fd);
	s->rings_fd = rings;
	s->tasks_fd = tasks;
	s->schemas_fd = schemas;
	s->labels_fd = labels;
	if (s->cgroups_fd >= 0)
		close(s->cgroups_fd);
	s->cgroups_fd = cgroups;
	owner_publish_generation(s, &g, config, generation);
	remove_files(s, generation);
	return 0;
}

int session_free(struct session *s, struct session_error *error)
{
	int rc = need_rings(s, error);

	if (rc)
		return rc;
	close_gate(s);
	s->control->state = SHM_NO_RINGS;
	__atomic_store_n(&s->control->generation, 0, __ATOMIC_RELEASE);
	remove_files(s, 0);
	return 0;
}

/* ----------------------------------------------------------------- on, off */

int session_on(struct session *s, struct session_error *error)
{
	int rc = need_rings(s, error);

	if (rc)
		return rc;
	if (s->control->state == SHM_ON) {
		session_say(error, "tracing is on already in %s", s->location.dir);
		return PU_ERROR_INCORRECT_STATE;
	}
	session_reclaim(s);
	s->control->state = SHM_ON;
	owner_open_gate(s->control);
	return 0;
}

int session_off(struct session *s, struct session_error *error)
{
	int rc = need_rings(s, error);

	if (rc)
		return rc;
	if (s->control->state == SHM_OFF) {
		session_say(error, "tracing is not on in %s", s->location.dir);
		return PU_ERROR_INCORRECT_STATE;
	}
	close_gate(s);
	s->control->state = SHM_OFF;
	session_reclaim(s);
	return 0;
}

int session_suspend(struct session *s, bool suspend, struct session_error *error)
{
	uint32_t from = suspend ? SHM_ON : SHM_SUSPENDED;
	int rc = need_rings(s, error);

	if (rc)
		return rc;
	if (s->control->state != from) {
		session_say(error, "tracing is not %s in %s", suspend ? "on" : "suspended",
			s->location.dir);
		return PU_ERROR_INCORRECT_STATE;
	}
	if (suspend)
		close_gate(s);
	s->control->state = suspend ? SHM_SUSPENDED : SHM_ON;
	if (!suspend)
		owner_open_gate(s->control);
	return 0;
}

int session_enable(struct session *s, int major, bool enable, struct session_error *error)
{
	if (major < -1 || major >= SHM_MAJORS) {
		session_say(error, "major %d is not between 0 and 255", major);
		return PU_ERROR_INVALID_PARAMETER;
	}
	for (int i = 0; i < SHM_MAJORS; i++) {
		if (major == -1 || major == i)
			s->control->majors[i] = enable;
	}
	if (!enable)
		owner_count_closing(s);
	if (s->control->state == SHM_ON)
		owner_open_gate(s->control);
	return 0;
}

/* Each ring's head becomes its start; its counters' values become their zero. */
int session_discard(struct session *s, struct session_error *error)
{
	struct ring_reader reader;
	int rc = need_rings(s, error);

	if (rc)
		return rc;
	session_reclaim(s);
	rc = ring_reader_open(&reader, s->rings_fd, &s->geometry, s->control->ring);
	if (rc == 0)
		s->control->discards++;
	if (rc == 0)
		rc = ring_reader_discard(&reader, s->control->ring);
	if (rc)
		session_say(error, "%s: the rings cannot be read", s->location.dir);
	ring_reader_close(&reader);
	return rc;
}
