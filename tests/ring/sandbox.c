#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libtrace/ring/rseq.h"
#include "../../libtrace/ring/thread.h"
#include "../../libtrace/session/attach.h"
#include "../lib/folder.h"

static char dir[64];
/* Shared by all processes of a test program. */
static struct {
	int passed, failed, skipped;
} * count;

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* ------------------------------------------------------------------- sandbox */

const char *sandbox_dir(void)
{
	return dir;
}

void sandbox_fresh(void)
{
	static unsigned n;
	char path[128];

	snprintf(path, sizeof path, "%s/%ld.%u", dir, (long)getpid(), n++);
	setenv("SWTRACE_SESSION", path, 1);
}

static pid_t worker;

static void too_long(int signal_number)
{
	static const char text[] = "took too long: killed\n";

	(void)signal_number;
	if (write(2, text, sizeof text - 1) > 0)
		kill(-worker, SIGKILL);
	kill(worker, SIGKILL);
}

/* Only ends hangs: the machine may be loaded or emulated. Scaled like Check's own timeouts. */
static unsigned scaled_limit(unsigned seconds)
{
	const char *times = getenv("CK_TIMEOUT_MULTIPLIER");

	return seconds * (times && atoi(times) > 3 ? (unsigned)atoi(times) : 3);
}

void *box_shared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("no memory");
	return p;
}

int sandbox_run(int (*body)(int argc, char **argv), int argc, char **argv, unsigned seconds)
{
	const char *given = getenv("SWTRACE_TEST_SANDBOX");
	int status = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	count = box_shared(sizeof *count);
	if (given) { /* restarted inside one (box_without_rseq) */
		snprintf(dir, sizeof dir, "%s", given);
		return body(argc, argv);
	}
	snprintf(dir, sizeof dir, "/dev/shm/swtrace-test.XXXXXX");
	if (!mkdtemp(dir))
		die("%s: %s", dir, strerror(errno));
	/* Other users must be able to traverse it. */
	if (chmod(dir, 0755) != 0)
		die("%s: %s", dir, strerror(errno));
	sandbox_fresh();
	worker = fork();
	if (worker == 0) {
		setpgid(0, 0);
		exit(body(argc, argv));
	}
	setpgid(worker, worker);
	signal(SIGALRM, too_long);
	alarm(scaled_limit(seconds));
	while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
		;
	alarm(0);
	kill(-worker, SIGKILL); /* children that a failed test left */
	folder_remove(dir);
	if (WIFSIGNALED(status))
		fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ------------------------------------------------------------------- results */

void count_result(bool ok, const char *name, const char *format, ...)
{
	va_list args;

	__atomic_fetch_add(ok ? &count->passed : &count->failed, 1, __ATOMIC_RELAXED);
	printf("%s: %s: ", ok ? "ok" : "FAILED", name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void count_skipped(const char *name, const char *why)
{
	count->skipped++;
	printf("skipped: %s: %s\n", name, why);
}

int results(void)
{
	printf("%d passed, %d failed, %d skipped\n", count->passed, count->failed, count->skipped);
	return count->failed ? 1 : 0;
}

void scenario(void (*run)(const void *arg), const void *arg)
{
	int status;
	pid_t pid;

	sandbox_fresh();
	pid = fork();
	if (pid == 0) {
		run(arg);
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		count_result(false, "scenario", "ended with status %#x", (unsigned)status);
}

/* ------------------------------------------------------------------- session */

void box_open_bare(struct session *s)
{
	struct session_error e = {""};
	struct session_location location;

	if (session_find(&location, &e) != 0 ||
		session_open(s, &location, SESSION_CONTROL | SESSION_CREATE, &e) != 0)
		die("session: %s", e.text);
}

void box_open(struct session *s, uint32_t mode, uint64_t ring_bytes, uint32_t section)
{
	struct session_config config = {.ring_bytes = ring_bytes,
		.section_bytes = section,
		.mode = mode,
		.group = (gid_t)-1};
	struct session_error e = {""};

	box_open_bare(s);
	if (session_init(s, &config, &e) != 0 || session_on(s, &e) != 0)
		die("session: %s", e.text);
}

uint32_t box_pin(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set); /* if not permitted, stay where we are */
	return (uint32_t)sched_getcpu();
}

void box_become_guest(uint32_t first)
{
	attach_discover();
	attach_ready(CHECKED_MAJOR);
	ring_self.rseq = rseq_none();
	ring_self.longest = 0;
	ring_self.guest = first;
}

bool box_has_rseq(void)
{
	return rseq_lookup() != rseq_none();
}

static void restart_with(const char *variable, const char *value, char **argv)
{
	if (getenv("SWTRACE_TEST_SANDBOX"))
		return;
	setenv("SWTRACE_TEST_SANDBOX", dir, 1);
	setenv(variable, value, 1);
	execv("/proc/self/exe", argv);
	die("restart: %s", strerror(errno));
}

void box_without_rseq(char **argv)
{
	restart_with("SWTRACE_TEST_GUEST", "1", argv);
}

bool box_guest(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "guest") != 0)
		return false;
	box_without_rseq(argv);
	return true;
}

bool box_guest_or_told(int argc, char **argv)
{
	if (box_guest(argc, argv))
		return true;
	if (!box_has_rseq())
		count_skipped("restartable sequences", "this libc or clock has none");
	return !box_has_rseq();
}

void box_with_own_rseq(char **argv)
{
	restart_with("GLIBC_TUNABLES", "glibc.pthread.rseq=0", argv);
}

static void account_records(struct account *a, uint32_t ring, const struct ring_span *span,
	const uint8_t *buf, uint64_t *stamp, record_fn *each, void *arg)
{
	uint32_t hooks = 0, torn = 0;

	for (uint32_t at = 0; at < span->bytes;) {
		uint32_t control = get_le32(buf + at), size = control & 0x00fffff8;

		if (control & 0x7f000004)
			a->damaged++;
		if (control & 0x80000000 && (control & 3) == 0) {
			hooks++;
			if (get_le64(buf + at + 16) < *stamp)
				a->backwards++;
			*stamp = get_le64(buf + at + 16);
			if (each)
				each(arg, ring, span->position + at, buf + at);
		} else if (!(control & 0x80000000)) {
			torn++;
		}
		at += size;
	}
	if (hooks != span->hooks || torn + span->damaged != span->torn)
		a->damaged++;
}

void box_account(struct session *s, struct account *a, record_fn *each, void *arg)
{
	const struct shm_geometry *g = &s->geometry;
	struct ring_part *parts = malloc(g->sections * sizeof *parts);
	uint8_t *buf = malloc(g->section_size);
	struct ring_reader r;

	memset(a, 0, sizeof *a);
	if (!parts || !buf || ring_reader_open(&r, s->rings_fd, g, s->control->ring) != 0)
		die("reader");
	for (uint32_t ring = 0; ring < ring_reader_rings(&r); ring++) {
		struct ring_ledger l;
		uint64_t stamp = 0, end = 0;
		int n = ring_reader_parts(&r, ring, parts);

		ring_reader_ledger(&r, ring, &l);
		a->overwritten += l.overwritten;
		a->gone_torn += l.torn;
		a->damaged += l.damaged;
		for (int i = 0; i < SHM_LOSSES; i++)
			a->loss[i] += l.loss[i];
		for (int k = 0; k < n; k++) {
			struct ring_span span;

			if (ring_reader_copy(&r, ring, &parts[k], buf, &span) != 0)
				die("copy");
			if (span.position < end)
				a->backwards++;
			end = span.position + span.bytes;
			a->hooks += span.hooks;
			a->torn += span.torn;
			a->damaged += span.damaged;
			a->bytes += span.bytes;
			account_records(a, ring, &span, buf, &stamp, each, arg);
		}
	}
	ring_reader_close(&r);
	free(parts);
	free(buf);
}

uint64_t account_lost(const struct account *a)
{
	uint64_t lost = 0;

	for (int i = SHM_LOST_FULL; i < SHM_SKIPPED; i++)
		lost += a->loss[i];
	return lost;
}

uint64_t account_sum(const struct account *a)
{
	return a->hooks + a->torn + a->overwritten + a->gone_torn + account_lost(a);
}

struct shm_ring box_ring(struct session *s, uint32_t ring)
{
	struct shm_ring header;

	if (pread(s->rings_fd, &header, sizeof header, (off_t)ring_offset(&s->geometry, ring)) !=
		(ssize_t)sizeof header)
		die("short read");
	return header;
}

struct shm_section box_section(struct session *s, uint32_t ring, uint32_t index)
{
	struct shm_section section;
	off_t at = (off_t)(ring_offset(&s->geometry, ring) + sizeof(struct shm_ring) +
			   index * sizeof section);

	if (pread(s->rings_fd, &section, sizeof section, at) != (ssize_t)sizeof section)
		die("short read");
	return section;
}

uint32_t box_tid(struct session *s, uint32_t number)
{
	struct shm_task t;
	off_t at =
		(off_t)(offsetof(struct shm_task_file, slot) + shm_task_index(number) * sizeof t);

	if (pread(s->tasks_fd, &t, sizeof t, at) != (ssize_t)sizeof t)
		die("short read");
	return t.state >> SHM_TASK_STATE_BITS == shm_task_sequence(number) ? t.tid : 0;
}

uint32_t box_locks_taken(struct session *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->geometry.guests; i++)
		n += box_ring(s, s->geometry.cpus + i).lock != 0;
	return n;
}

/* -------------------------------------------------------------- checked hooks */

static uint32_t mix_checksum(uint32_t sum, uint32_t word)
{
	return (sum ^ word) * 0x01000193u + 0x9e3779b9u;
}

void checked_fill(uint8_t *to, uint32_t id, uint32_t sequence, uint32_t n)
{
	uint32_t sum = mix_checksum(mix_checksum(0, id), sequence);

	put_le32(to, id);
	put_le32(to + 4, sequence);
	for (uint32_t i = 2; i + 1 < n; i++) {
		uint32_t word = mix_checksum(sequence, i);

		put_le32(to + 4 * i, word);
		sum = mix_checksum(sum, word);
	}
	put_le32(to + 4 * (n - 1), sum);
}

int checked_hook(uint32_t id, uint32_t sequence, uint32_t filler_words)
{
	uint32_t words[1024], n = (filler_words < 998 ? filler_words : 998) + 3;

	checked_fill((uint8_t *)words, id, sequence, n);
	return TraceHookWords(CHECKED_MAJOR, id, n, words);
}

bool checked_is_whole(const uint8_t *record)
{
	uint32_t n = get_le16(record + 6), sum = 0;

	if (record[4] != CHECKED_MAJOR || n < 3 || record[5] != 0 ||
		get_le32(record + 8) != checked_id(record))
		return false;
	for (uint32_t i = 0; i + 1 < n; i++)
		sum = mix_checksum(sum, get_le32(record + 24 + 4 * i));
	return sum == get_le32(record + 24 + 4 * (n - 1));
}

void follow_open(struct follow *f, uint32_t rings)
{
	f->last = malloc((size_t)rings * FOLLOW_IDS * sizeof *f->last);
	if (!f->last)
		die("memory");
	follow_reset(f, rings);
}

void follow_close(struct follow *f)
{
	free(f->last);
	f->last = NULL;
}

void follow_reset(struct follow *f, uint32_t rings)
{
	memset(f->last, 0xff, (size_t)rings * FOLLOW_IDS * sizeof *f->last);
	f->out_of_order = f->not_whole = f->foreign = 0;
}

void follow_record(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	struct follow *f = arg;
	uint32_t id = checked_id(record), sequence = checked_sequence(record);
	uint32_t *last;

	(void)position;
	if (record[4] != CHECKED_MAJOR) {
		f->foreign++;
		return;
	}
	if (!checked_is_whole(record)) {
		f->not_whole++;
		return;
	}
	last = &f->last[(size_t)ring * FOLLOW_IDS + id % FOLLOW_IDS];
	if (*last != UINT32_MAX && sequence <= *last)
		f->out_of_order++;
	*last = sequence;
}
