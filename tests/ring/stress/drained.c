#include "drained.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void collect_hook(void *arg, uint32_t ring, const cpidecode_hook *hook)
{
	struct drained *s = arg;
	uint8_t record[TRACED_RECORD];
	uint32_t id, sequence;
	uint64_t bit;

	if (!traced_record(hook, record)) {
		s->follow.foreign++;
		return;
	}
	storm_follow(&s->follow, ring, hook->position, record);
	id = checked_id(record) % DRAINED_IDS;
	sequence = checked_sequence(record) % DRAINED_SEQUENCES;
	bit = (uint64_t)id * DRAINED_SEQUENCES + sequence;
	s->twice += s->bits[bit / 8] >> bit % 8 & 1;
	s->bits[bit / 8] |= (uint8_t)(1u << bit % 8);
}

void drained_open(struct drained *s, const char *name, const struct shm_geometry *g)
{
	memset(s, 0, sizeof *s);
	s->name = name;
	s->cpus = g->cpus;
	follow_open(&s->follow, g->cpus + g->guests);
	s->bits = mmap(NULL, (size_t)DRAINED_IDS * DRAINED_SEQUENCES / 8, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->bits == MAP_FAILED)
		die("no memory");
}

void drained_close(struct drained *s)
{
	follow_close(&s->follow);
	munmap(s->bits, (size_t)DRAINED_IDS * DRAINED_SEQUENCES / 8);
}

void drained_file(struct drained *s, const char *path, bool complete)
{
	struct traced t;
	int rc = traced_read(path, s->cpus, &t, collect_hook, s);
	bool bad = rc || t.damaged_bytes || t.malformed || t.damaged ||
		   (complete && (t.rest || t.cut_off));

	if (bad && s->bad_files++ == 0)
		printf("%s: %s: %s, %llu bytes damaged, %llu behind the end, %llu malformed, %llu damaged sections%s\n",
			s->name, path, rc ? cpidecode_strerror(rc) : "read",
			(unsigned long long)t.damaged_bytes, (unsigned long long)t.rest,
			(unsigned long long)t.malformed, (unsigned long long)t.damaged,
			t.cut_off ? ", no end" : "");
	s->files++;
	s->hooks += t.hooks;
	s->torn += t.torn;
	s->lost += traced_lost(&t);
	for (uint32_t i = 0; i < TRACED_RINGS; i++)
		s->torn += t.loss[i].torn + t.loss[i].overwritten;
}

static void read_complete(void *arg, const char *path)
{
	drained_file(arg, path, true);
}

void drained_all(struct drained *s, const char *path)
{
	traced_files(path, read_complete, s);
}

bool drained_fine(const struct drained *s)
{
	return !s->twice && !s->bad_files && !s->follow.not_whole && !s->follow.out_of_order &&
	       !s->follow.foreign;
}

bool drained_copy(const char *path, const char *to)
{
	static char bytes[1 << 16];
	int from_fd = open(path, O_RDONLY | O_CLOEXEC);
	int to_fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t n = 0;

	while (from_fd >= 0 && to_fd >= 0 && (n = read(from_fd, bytes, sizeof bytes)) > 0) {
		if (write(to_fd, bytes, (size_t)n) != n)
			die("copy");
	}
	if (from_fd >= 0)
		close(from_fd);
	if (to_fd >= 0)
		close(to_fd);
	return from_fd >= 0 && n == 0;
}
