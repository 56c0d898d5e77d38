#include "scribble.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

uint64_t scribble_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 16;
}

uint64_t scribble_nasty(const struct shm_geometry *g, uint64_t *seed)
{
	uint64_t r = scribble_random(seed);

	switch (r % 8) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX - r / 8 % 64;
	case 2:
		return r / 8 % (4 * g->ring_size);
	case 3:
		return r / 8 % 1000 * g->section_size;
	case 4:
		return r / 8 % 1000 * g->section_size + 1;
	case 5:
		return (r / 8 % 1000 + 1) * g->ring_size - 8;
	case 6:
		return 1ull << (r / 8 % 64);
	default:
		return scribble_random(seed) << 32 ^ r;
	}
}

uint8_t *scribble_map(int fd, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

/* ------------------------------------------------------------------- one stroke */

static void random_bytes(uint8_t *at, uint64_t room, uint64_t *seed)
{
	uint64_t from = scribble_random(seed) % room, n = scribble_random(seed) % 64;

	for (; n-- && from < room; from++)
		at[from] = (uint8_t)scribble_random(seed);
}

/* Writes a control word that may resemble a record's, a pad's or a group's, and data after it. */
static void control_word(const struct shm_geometry *g, uint8_t *data, uint64_t *seed)
{
	uint64_t r = scribble_random(seed), at = r % (g->ring_size / 8) * 8;
	uint32_t size = (uint32_t)(r >> 8) & (r & 0x10 ? 0xff8 : 0x00fffff8);

	put_le32(data + at, size | (uint32_t)(r >> 40) % 4 | (r & 1 ? REC_COMMITTED : 0) |
				    (r & 0xf0 ? 0 : REC_ABANDONED));
	if (r & 2 && at + REC_HEADER_SIZE <= g->ring_size)
		put_le32(data + at + REC_MAJOR, (uint32_t)scribble_random(seed));
	if (r & 4 && at + REC_HEADER_SIZE <= g->ring_size)
		put_le64(data + at + REC_STAMP, scribble_nasty(g, seed));
}

/* Writes records end to end, as readers expect, some with false contents. */
static void forge_section(uint8_t *at, uint32_t bytes, uint64_t stamp, uint64_t *seed)
{
	while (bytes >= REC_HEADER_SIZE) {
		uint64_t r = scribble_random(seed);
		uint32_t nwords = (uint32_t)(r % 64), size = rec_size(nwords, 0);

		if (size > bytes || bytes - size < REC_HEADER_SIZE)
			size = bytes;
		put_le32(at,
			size | (r & 0x700 ? REC_COMMITTED : 0) | (r & 0x7800 ? 0 : REC_KIND_PAD));
		/* One in eight claims more words or strings than it has. */
		put_le32(at + REC_MAJOR, (r & 0x10000 ? 0xc0 : 0x77) | (r & 0xe0000 ? 0 : 5u << 8) |
						 (r & 0x700000 ? nwords : 3 * nwords) << 16);
		put_le32(at + REC_MINOR, (uint32_t)(r >> 24) << (r & 0x800000 ? 28 : 20));
		put_le32(at + REC_TID, (uint32_t)r % 5);
		put_le64(at + REC_STAMP, stamp += r % 1000);
		at += size;
		bytes -= size;
	}
}

/* Forges a complete, plausible ring: in some lap, or where the drain expects it. */
static void forge_ring(const struct session *s, uint8_t *base, uint32_t ring, uint64_t *seed)
{
	const struct shm_geometry *g = &s->geometry;
	struct shm_ring *r = ring_at(base, g, ring);
	uint64_t random = scribble_random(seed), p = random % 1000 * g->section_size;
	uint64_t last = random / 1000 % g->sections;

	if (g->mode == SHM_MODE_CONTINUOUS)
		p = ring_released(g, s->generation, s->control->ring[ring].released);
	for (uint32_t i = 0; i < g->sections; i++, p += g->section_size) {
		uint32_t index = section_index(g, p);

		forge_section((uint8_t *)r + g->data_offset + (uint64_t)index * g->section_size,
			g->section_size, p << 10, seed);
		r->section[index].entry = p + 1;
		if (i == last) {
			r->head = p + g->section_size - (random & 8);
			r->lap = r->head - r->head % g->ring_size;
		}
	}
	r->lock = 0;
}

static void on_ring(
	const struct shm_geometry *g, uint8_t *base, uint32_t ring, bool gently, uint64_t *seed)
{
	struct shm_ring *r = ring_at(base, g, ring);
	struct shm_section *s = &r->section[scribble_random(seed) % g->sections];
	uint64_t *header = (uint64_t *)(void *)r;

	switch (gently ? 7 : scribble_random(seed) % 9) {
	case 0: /* head, last stamp, lap */
		header[scribble_random(seed) % 3] = scribble_nasty(g, seed);
		break;
	case 1:
		r->lock = (uint32_t)scribble_nasty(g, seed);
		break;
	case 2:
		r->loss[scribble_random(seed) % SHM_LOSSES] = scribble_nasty(g, seed);
		break;
	case 3:
		s->entry = scribble_nasty(g, seed) + (scribble_random(seed) & 1);
		break;
	case 4:
		((uint64_t *)(void *)s->counts)[scribble_random(seed) % 6] =
			scribble_nasty(g, seed);
		break;
	case 5: /* an entry word that matches head */
		s->entry = section_start(g, r->head) + 1 -
			   scribble_random(seed) % g->sections * g->section_size;
		break;
	case 6:
		random_bytes((uint8_t *)r, g->ring_stride, seed);
		break;
	default:
		control_word(g, (uint8_t *)r + g->data_offset, seed);
	}
}

static void on_tables(struct shm_task_file *tasks, struct shm_schema_file *schemas, uint8_t *rings,
	uint32_t first_slot, uint64_t *seed)
{
	static const struct shm_geometry any = {.section_size = 4096, .ring_size = 65536};
	uint64_t r = scribble_random(seed);

	switch (r % 6) {
	case 0:
		((uint32_t *)(void *)&tasks->slot[first_slot + r / 8 % 256])[r / 4096 % 16] =
			(uint32_t)scribble_nasty(&any, seed);
		break;
	case 1:
		random_bytes((uint8_t *)&tasks->slot[first_slot],
			(SHM_TASK_FIRST_SLOTS - first_slot) * sizeof tasks->slot[0], seed);
		tasks->head.used = r % (2 * SHM_TASK_SLOTS);
		break;
	case 2:
		schemas->used = (uint32_t)scribble_nasty(&any, seed);
		break;
	case 3:
		((struct shm_text *)(void *)schemas->area)->length =
			r & 8 ? (uint32_t)(r >> 8) % 5000 : (uint32_t)scribble_nasty(&any, seed);
		break;
	case 4:
		random_bytes((uint8_t *)schemas, r & 8 ? sizeof *schemas : 4096, seed);
		break;
	default:
		random_bytes(rings, SHM_PAGE, seed);
	}
}

static void scribble(const struct session *s, uint64_t rings, uint32_t first_slot, uint64_t seed)
{
	const struct shm_geometry *g = &s->geometry;
	uint8_t *base = scribble_map(s->rings_fd, g->file_size);
	void *tasks = scribble_map(s->tasks_fd, sizeof(struct shm_task_file));
	void *schemas = scribble_map(s->schemas_fd, sizeof(struct shm_schema_file));

	for (uint32_t i = 0;; i++) {
		uint64_t r = scribble_random(&seed);
		uint32_t ring = (uint32_t)(r / 64 % (g->cpus + g->guests));
		bool gently = i % 4096 < 3072;

		/* Pause now and then, so that writers make progress. */
		if (r % 64 == 0)
			usleep(50);
		if (r % 64 < 8)
			on_tables(tasks, schemas, base, first_slot, &seed);
		else if ((rings >> ring & 1) && (i & 1023) < g->cpus + g->guests && gently)
			forge_ring(s, base, ring, &seed);
		else if (rings >> ring & 1)
			on_ring(g, base, ring, gently, &seed);
	}
}

/* ---------------------------------------------------------------- the processes */

pid_t scribble_start(const struct session *s, uint64_t rings, uint32_t first_slot, uint64_t seed)
{
	pid_t pid = fork();

	if (pid == 0)
		scribble(s, rings, first_slot, seed);
	return pid;
}

pid_t scribble_sizes(const struct session *s, uint64_t seed)
{
	const int fd[] = {s->rings_fd, s->tasks_fd, s->schemas_fd};
	const uint64_t size[] = {s->geometry.file_size, sizeof(struct shm_task_file),
		sizeof(struct shm_schema_file)};
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	for (;;) {
		uint64_t r = scribble_random(&seed), to;
		uint32_t i = (uint32_t)(r % 3);

		to = r & 0x100 ? size[i] : scribble_random(&seed) % size[i];
		if ((r & 0xe00) == 0)
			to = size[i] * 2 + (r & 0x1000 ? (uint64_t)1 << 40 : 0);
		if (ftruncate(fd[i], (off_t)to) != 0)
			_exit(1);
		usleep((unsigned)(r >> 16) % 200);
	}
}

void scribble_stop(pid_t scribbler)
{
	kill(scribbler, SIGKILL);
	waitpid(scribbler, NULL, 0);
}
