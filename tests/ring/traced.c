#include "traced.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../lib/trace_build.h"

static uint32_t ring_number(uint32_t id, uint32_t cpus)
{
	uint32_t n = id >= CPIDECODE_GUEST_RING ? cpus + (id - CPIDECODE_GUEST_RING) : id;

	return n < TRACED_RINGS ? n : TRACED_RINGS - 1;
}

static void read_losses(const cpidecode_trace *trace, struct traced *t)
{
	cpidecode_causes_info causes;
	cpidecode_loss_info loss;

	for (size_t i = 0; cpidecode_loss(trace, 0, i, &loss) == 0; i++) {
		uint32_t n = ring_number(loss.ring, t->cpus);

		t->loss[n] = loss;
		t->lost[n] += loss.full + loss.too_big + loss.held + loss.no_guest;
	}
	for (size_t i = 0; cpidecode_causes(trace, 0, i, &causes) == 0; i++)
		t->lost[ring_number(causes.ring, t->cpus)] +=
			causes.no_slot + causes.no_memory + causes.unattached + causes.unwritten;
}

static void read_damage(const cpidecode_trace *trace, struct traced *t)
{
	cpidecode_damage_info damage;

	for (size_t i = 0; cpidecode_damage(trace, 0, i, &damage) == 0; i++) {
		if (damage.offset + damage.bytes == t->bytes)
			t->rest += damage.bytes;
		else
			t->damaged_bytes += damage.bytes;
	}
}

static int read_hooks(const cpidecode_trace *trace, struct traced *t, traced_fn *each, void *arg)
{
	const cpidecode_hook *hook;
	cpidecode_counts counts;
	cpidecode_hooks *it;
	int rc = cpidecode_hooks_open(trace, &it);

	if (rc)
		return rc;
	while ((rc = cpidecode_hooks_next(it, &hook)) > 0) {
		uint32_t n = ring_number(hook->ring, t->cpus);

		t->in_ring[n]++;
		if (each)
			each(arg, n, hook);
	}
	cpidecode_hooks_counts(it, &counts);
	t->hooks = counts.hooks;
	t->torn = counts.torn;
	t->malformed = counts.malformed;
	t->damaged = counts.damaged;
	cpidecode_hooks_close(it);
	return rc;
}

/* libcpidecode does not report torn records per ring. */
static void read_torn(const char *path, struct traced *t)
{
	uint8_t h[TF_SECTION_SIZE];
	uint64_t at = TF_HEADER_SIZE;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && pread(fd, h, sizeof h, (off_t)at) == (ssize_t)sizeof h &&
		get_le32(h + TF_S_MAGIC) == TF_SECTION_MAGIC) {
		if (get_le16(h + TF_S_TYPE) == TF_TYPE_HOOKS)
			t->torn_in_ring[ring_number(get_le32(h + TF_S_RING), t->cpus)] +=
				get_le32(h + TF_S_TORN);
		at += section_step(h);
	}
	if (fd >= 0)
		close(fd);
}

int traced_read(const char *path, uint32_t cpus, struct traced *t, traced_fn *each, void *arg)
{
	cpidecode_file_info info;
	cpidecode_trace *trace;
	int rc = cpidecode_open(path, &trace);

	memset(t, 0, sizeof *t);
	t->cpus = cpus;
	if (rc)
		return rc;
	rc = cpidecode_file(trace, 0, &info);
	if (rc == 0) {
		t->bytes = info.bytes;
		read_damage(trace, t);
		t->cut_off = info.cut_off;
		read_losses(trace, t);
		rc = read_hooks(trace, t, each, arg);
	}
	read_torn(path, t);
	cpidecode_close(trace);
	return rc;
}

void traced_files(const char *path, void (*file)(void *arg, const char *name), void *arg)
{
	char name[PATH_MAX + 16];
	int n = 0;

	do
		snprintf(name, sizeof name, "%s.%d", path, ++n);
	while (access(name, F_OK) == 0);
	while (--n > 0) {
		snprintf(name, sizeof name, "%s.%d", path, n);
		file(arg, name);
	}
	file(arg, path);
}

uint64_t traced_lost(const struct traced *t)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < TRACED_RINGS; i++)
		sum += t->lost[i];
	return sum;
}

uint64_t traced_sum(const struct traced *t, uint64_t rings)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < TRACED_RINGS; i++) {
		const cpidecode_loss_info *l = &t->loss[i];

		if (rings >> i & 1)
			sum += t->in_ring[i] + t->torn_in_ring[i] + t->lost[i] + l->overwritten +
			       l->torn;
	}
	return sum;
}

bool traced_record(const cpidecode_hook *hook, uint8_t record[TRACED_RECORD])
{
	if (REC_HEADER_SIZE + 4u * hook->nwords > TRACED_RECORD)
		return false;
	put_le32(record + REC_CONTROL, 0);
	put_le32(record + REC_MAJOR,
		hook->major | (uint32_t)hook->nstrings << 8 | (uint32_t)hook->nwords << 16);
	put_le32(record + REC_MINOR, hook->minor);
	put_le32(record + REC_TID, hook->tid);
	put_le64(record + REC_STAMP, hook->ticks);
	memcpy(record + REC_DATA, hook->words, 4u * hook->nwords);
	return true;
}
