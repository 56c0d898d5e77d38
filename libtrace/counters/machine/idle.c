#include "idle.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../core/clock.h"
#include "../../core/file.h"
#include "../../core/lock.h"
#include "../../core/online.h"

/*
 * /proc/timer_list costs 10 to 15 us a processor, and acquires each one's timer lock: on a large
 * machine its precision is not worth that.
 */
enum { TIMER_LIST_CPUS = 32, TIMER_LIST_COST_NS = 500000 };

/* Holds 1024 processors of 10 fields. The interrupt line of /proc/stat comes after them and may
 * be cut. */
enum { STAT_BYTES = 256 * 1024 };

/*
 * Smaller than one processor's text. For a larger read the kernel also formats the next processor,
 * drops it because its page is full, and formats it again for the next read.
 */
enum { PIECE_BYTES = 1024 };

/* About half of what the kernel prints of a processor after its figures. */
enum { REST_BYTES = 64 };

enum { LATELY_NS = 1000000 };

/* Guards the file, whose position the kernel keeps, and the buffer. */
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t idle_once = PTHREAD_ONCE_INIT;
static enum idle_kind kind;
static int fd = -1;
static dev_t fd_device; /* its identity when it was opened */
static ino_t fd_inode;
static char *buffer; /* of STAT_BYTES or PIECE_BYTES; lives as long as the process */
static uint64_t tick_ns, user_hz, cost_ns;
static size_t figures_end; /* bytes up to the last processor's figures, in the last reading */

static const char *const path[] = {
	[IDLE_TIMER_LIST] = "/proc/timer_list", [IDLE_PROC_STAT] = "/proc/stat"};

static bool read_timer_list(struct idle_cpu *cpu, uint32_t room, uint64_t *at)
{
	struct timer_list t;
	uint64_t took;
	off_t offset = 0;
	/* To fill a read, the kernel formats what follows, of which nothing is needed after the
	 * last figures. Let a piece end there, if as many timers are active as at the last reading.
	 */
	size_t piece = (figures_end + REST_BYTES) % PIECE_BYTES;
	int before = sched_getcpu();
	ssize_t n;

	timer_list_begin(&t, cpu, room);
	t.tick_ns = tick_ns;
	t.running_on = before < 0 ? UINT32_MAX : (uint32_t)before;
	while (!t.done && (n = file_pread(fd, buffer, piece ? piece : PIECE_BYTES, offset)) > 0) {
		timer_list_feed(&t, buffer, (size_t)n);
		offset += n;
		piece = PIECE_BYTES;
	}
	figures_end = t.bytes;
	if (!timer_list_end(&t))
		return false;
	*at = t.now;
	/* The kernel prints the processors in turn, after `now`. */
	took = time_ns_monotonic() - t.now;
	for (uint32_t i = 0; i < room; i++)
		cpu[i].slack += took;
	/* The reader migrated meanwhile: the assumption about its own processor was wrong. */
	if (sched_getcpu() != before && before >= 0 && (uint32_t)before < room)
		cpu[before].slack += tick_ns;
	return true;
}

static bool idle_read_stat(struct idle_cpu *cpu, uint32_t room, uint64_t *at)
{
	uint64_t before = time_ns_monotonic();
	ssize_t n = file_pread(fd, buffer, STAT_BYTES, 0);

	*at = before + (time_ns_monotonic() - before) / 2;
	return n > 0 && idle_parse_stat(buffer, (size_t)n, user_hz, cpu, room);
}

static bool idle_open_file(void)
{
	struct stat st;

	fd = open(path[kind], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		return false;
	fd_device = st.st_dev;
	fd_inode = st.st_ino;
	return true;
}

/* A program may have closed our descriptor and reused the number: then do not close it. */
static void close_file(void)
{
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == fd_device && st.st_ino == fd_inode)
		close(fd);
	fd = -1;
}

static bool idle_read_source(struct idle_cpu *cpu, uint32_t room, uint64_t *at)
{
	if (fd < 0 && !idle_open_file())
		return false;
	return kind == IDLE_TIMER_LIST ? read_timer_list(cpu, room, at)
				       : idle_read_stat(cpu, room, at);
}

static void idle_drop_source(void)
{
	close_file();
	free(buffer);
	buffer = NULL;
	kind = IDLE_NOTHING;
}

/* Readable, parseable, and (timer_list) quick enough: the better of two tries. */
static bool idle_is_usable(enum idle_kind which, size_t bytes, uint64_t limit)
{
	struct idle_cpu *cpu = calloc(cpus_possible(), sizeof *cpu);
	uint64_t at, best = UINT64_MAX;
	bool good = cpu != NULL;

	kind = which;
	buffer = malloc(bytes);
	good = good && buffer;
	for (int i = 0; good && i < 2; i++) {
		uint64_t before = time_ns_monotonic(), took;

		good = idle_read_source(cpu, cpus_possible(), &at);
		took = time_ns_monotonic() - before;
		if (took < best)
			best = took;
	}
	free(cpu);
	cost_ns = best;
	if (good && best <= limit)
		return true;
	idle_drop_source();
	return false;
}

static void idle_choose_source(void)
{
	struct timespec tick = {0};
	long hz = sysconf(_SC_CLK_TCK);

	user_hz = hz > 0 ? (uint64_t)hz : 100;
	/* The coarse clocks step with the timer tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_sec == 0)
		tick_ns = (uint64_t)tick.tv_nsec;
	/* With nohz_full the tick may stop while a task runs: then a stopped tick does not mean
	 * idle. */
	if (tick_ns && cpus_possible() <= TIMER_LIST_CPUS && cpu_list_is_empty("nohz_full") &&
		idle_is_usable(IDLE_TIMER_LIST, PIECE_BYTES, TIMER_LIST_COST_NS))
		return;
	idle_is_usable(IDLE_PROC_STAT, STAT_BYTES, UINT64_MAX);
}

enum idle_kind idle_kind(void)
{
	pthread_once(&idle_once, idle_choose_source);
	return kind;
}

uint64_t idle_resolution(void)
{
	switch (idle_kind()) {
	case IDLE_TIMER_LIST:
		return tick_ns;
	case IDLE_PROC_STAT:
		return TIME_SECOND_NS / user_hz;
	default:
		return 0;
	}
}

uint64_t idle_cost(void)
{
	return idle_kind() == IDLE_NOTHING ? 0 : cost_ns;
}

/* Reopens the file if it cannot be read. Call with the lock held. */
static bool idle_read_again(struct idle_cpu *cpu, uint32_t room, uint64_t *at)
{
	if (idle_read_source(cpu, room, at))
		return true;
	close_file();
	return idle_read_source(cpu, room, at);
}

bool idle_read(struct idle_cpu *cpu, uint32_t room, uint64_t *at)
{
	int cancellation;
	bool good;

	if (idle_kind() == IDLE_NOTHING)
		return false;
	cancellation = lock_hold(&idle_lock);
	good = idle_read_again(cpu, room, at);
	lock_release(&idle_lock, cancellation);
	return good;
}

/* The process's last reading; at 0: none. */
static uint64_t lately_at;
static struct idle_cpu lately[ONLINE_MAX]; /* of cpus_possible() */

/* Call with the lock held. */
static void idle_renew_reading(void)
{
	const uint32_t end = cpu_set_online_lately(clock_now(), NULL)->end;

	if (!idle_read_again(lately, end, &lately_at)) {
		lately_at = 0;
		return;
	}
	for (uint32_t cpu = 0; cpu < end; cpu++)
		lately[cpu].presence = lately[cpu].ns == IDLE_UNKNOWN ? 0 : cpu_presence(cpu);
	for (uint32_t cpu = end; cpu < cpus_possible(); cpu++)
		lately[cpu] = (struct idle_cpu){.ns = IDLE_UNKNOWN};
}

size_t idle_reading_size(void)
{
	return sizeof(struct idle_reading) + cpus_possible() * sizeof(struct idle_cpu);
}

static bool idle_is_recent(uint64_t at, uint64_t now)
{
	return at != 0 && now - at < LATELY_NS;
}

bool idle_read_lately(struct idle_reading *own)
{
	uint64_t now;

	if (idle_kind() == IDLE_NOTHING)
		return false;
	now = time_ns_monotonic();
	if (!idle_is_recent(own->at, now)) {
		const int cancellation = lock_hold(&idle_lock);

		now = time_ns_monotonic();
		if (!idle_is_recent(lately_at, now)) {
			idle_renew_reading();
			now = lately_at;
		}
		own->at = lately_at;
		memcpy(own->cpu, lately, cpus_possible() * sizeof *lately);
		lock_release(&idle_lock, cancellation);
	}
	own->age = now - own->at;
	return own->at != 0;
}

void idle_before_fork(void)
{
	pthread_mutex_lock(&idle_lock);
}

void idle_after_fork(bool child)
{
	if (child)
		close_file();
	pthread_mutex_unlock(&idle_lock);
}

void idle_forget_file(void)
{
	idle_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	fd = -1;
	lately_at = 0;
}
