#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "../../formats/shm_source.h"

struct fake_ring fake_ring[FAKE_RINGS];
struct shm_control fake_control;
struct session fake_session;
struct session_task fake_task[4];
int fake_tasks;
struct session_loss fake_loss[4];
int fake_losses;
const char *fake_schema;
const char *fake_findings;
uint32_t fake_schemas_left_out;
uint32_t fake_sticky;
uint32_t fake_writer;
static bool noise;

/* ---------------------------------------------------------------------- the test's side */

void fake_reset(uint32_t rings, uint32_t section_size)
{
	fake_free();
	memset(&fake_control, 0, sizeof fake_control);
	memset(&fake_session, 0, sizeof fake_session);
	memset(fake_task, 0, sizeof fake_task);
	fake_tasks = fake_losses = 0;
	fake_schema = "";
	fake_findings = NULL;
	fake_schemas_left_out = 0;
	fake_sticky = 0;
	fake_writer = 0x80000000u; /* unknown, and the thread id of such a one */
	noise = false;
	fake_control.generation = 5;
	strcpy(fake_session.location.dir, "/dev/shm/fake");
	fake_session.rings_fd = fake_session.tasks_fd = fake_session.schemas_fd = 0;
	fake_session.labels_fd = -1;
	fake_session.cgroups_fd = -1;
	fake_session.control = &fake_control;
	fake_session.generation = 5;
	fake_session.geometry = (struct shm_geometry){.cpus = rings - 1,
		.guests = 1,
		.section_size = section_size,
		.sections = FAKE_PARTS,
		.ring_size = (uint64_t)section_size * FAKE_PARTS,
		.mode = SHM_MODE_WRAP,
		.clock = TF_CLOCK_MONOTONIC_RAW,
		.ticks_per_second = 1000000000};
}

void fake_free(void)
{
	for (int i = 0; i < FAKE_RINGS; i++)
		for (int k = 0; k < FAKE_PARTS; k++)
			free(fake_ring[i].part[k].bytes);
	memset(fake_ring, 0, sizeof fake_ring);
}

struct fake_part *fake_add_part(uint32_t ring, uint64_t position)
{
	struct fake_ring *r = &fake_ring[ring];
	struct fake_part *p = &r->part[r->parts++];

	*p = (struct fake_part){.position = position, .copies_left = -1};
	p->bytes = calloc(1, fake_session.geometry.section_size);
	r->ledger.head = position;
	return p;
}

static uint8_t *add_record(uint32_t ring, uint32_t size)
{
	struct fake_ring *r = &fake_ring[ring];
	struct fake_part *p = &r->part[r->parts - 1];
	uint8_t *at = p->bytes + p->size;

	p->size += size;
	r->ledger.head = p->position + p->size;
	return at;
}

void fake_noise(bool on)
{
	noise = on;
}

void fake_add_hook(uint32_t ring, uint64_t stamp, uint32_t words)
{
	struct fake_part *p = &fake_ring[ring].part[fake_ring[ring].parts - 1];
	uint32_t size = rec_size(words, 0);
	uint8_t *at = add_record(ring, size);

	put_le32(at, size | REC_KIND_HOOK | REC_COMMITTED);
	put_le32(at + REC_MAJOR, 0x22 | words << 16);
	put_le32(at + REC_TID, fake_writer);
	put_le64(at + REC_STAMP, stamp);
	for (uint32_t i = 0; i < words; i++)
		put_le32(at + REC_DATA + 4 * i, noise ? (uint32_t)random() : 7);
	if (p->hooks++ == 0)
		p->first = stamp;
	p->last = stamp;
}

void fake_add_torn(uint32_t ring)
{
	uint8_t *at = add_record(ring, 32);

	put_le32(at, 32 | REC_KIND_HOOK);
	put_le32(at + REC_TID, fake_writer);
	fake_ring[ring].part[fake_ring[ring].parts - 1].torn++;
}

/* ----------------------------------------------------------------------- replaced functions */

int ring_reader_open(struct ring_reader *r, int fd, const struct shm_geometry *geometry,
	const struct shm_ring_control *control)
{
	*r = (struct ring_reader){.fd = fd, .geometry = *geometry, .control = control};
	return 0;
}

void ring_reader_close(struct ring_reader *r)
{
	(void)r;
}

/* These rings keep nothing. */
void session_keep_begin(
	struct session_keep *k, const struct session *of, bool (*go_on)(void *arg), void *arg)
{
	(void)of, (void)go_on, (void)arg;
	k->control = NULL;
	k->why = KEEP_ONE_AREA;
}

bool session_keep_is_lost(const struct session_keep *k)
{
	(void)k;
	return false;
}

void session_keep_beat(struct session_keep *k)
{
	(void)k;
}

const char *session_keep_why(enum keep_refusal why)
{
	return why == KEEP_ONE_AREA ? "these rings keep nothing" : "?";
}

void session_keep_end(struct session_keep *k)
{
	(void)k;
}

int ring_reader_keep(struct ring_reader *r, uint32_t ring, const struct ring_keep *keep)
{
	(void)r, (void)ring, (void)keep;
	return PU_ERROR_INTERNAL_ERROR;
}

int ring_reader_keep_below(struct ring_reader *r, uint32_t ring, uint64_t cut)
{
	(void)r, (void)ring, (void)cut;
	return PU_ERROR_INTERNAL_ERROR;
}

void ring_reader_let_go(struct ring_reader *r)
{
	(void)r;
}

uint32_t ring_reader_rings(const struct ring_reader *r)
{
	return r->geometry.cpus + r->geometry.guests;
}

uint32_t ring_reader_id(const struct ring_reader *r, uint32_t ring)
{
	return ring < r->geometry.cpus ? ring : TF_GUEST_RING + ring - r->geometry.cpus;
}

bool ring_read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	(void)fd;
	(void)to;
	(void)bytes;
	(void)offset;
	return false;
}

int ring_reader_ledger(struct ring_reader *r, uint32_t ring, struct ring_ledger *out)
{
	(void)r;
	*out = fake_ring[ring].ledger;
	return 0;
}

static bool is_gone(const struct fake_part *p)
{
	return p->copies_left == 0;
}

int ring_reader_parts(struct ring_reader *r, uint32_t ring, struct ring_part *parts)
{
	int n = 0;

	(void)r;
	for (uint32_t i = 0; i < fake_ring[ring].parts; i++) {
		const struct fake_part *p = &fake_ring[ring].part[i];

		if (!is_gone(p))
			parts[n++] = (struct ring_part){
				.position = p->position, .index = i, .lost_before = p->lost};
	}
	return n;
}

int ring_reader_list(
	struct ring_reader *r, uint32_t ring, struct ring_part *parts, struct ring_ledger *ledger)
{
	ring_reader_ledger(r, ring, ledger);
	return ring_reader_parts(r, ring, parts);
}

int ring_reader_header(struct ring_reader *r, uint32_t ring, struct shm_ring *header)
{
	(void)r;
	*header = (struct shm_ring){.head = fake_ring[ring].ledger.head};
	return 0;
}

int ring_reader_entered(
	struct ring_reader *r, uint32_t ring, uint64_t position, uint64_t *lost_so_far)
{
	(void)r;
	*lost_so_far = 0;
	for (uint32_t i = 0; i < fake_ring[ring].parts; i++)
		if (fake_ring[ring].part[i].position == position)
			return !is_gone(&fake_ring[ring].part[i]);
	return 0;
}

int ring_reader_gone_below(struct ring_reader *r, uint32_t ring, uint64_t position,
	const struct ring_part *parts, uint32_t n, const struct ring_ledger *listed, bool *gone,
	struct ring_ledger *out)
{
	(void)listed;
	(void)position;
	(void)parts;
	memset(gone, 0, n * sizeof *gone);
	return ring_reader_ledger(r, ring, out);
}

bool ring_control_copy(
	struct shm_ring_control *to, const struct shm_control *from, uint32_t generation)
{
	memcpy(to, from->ring, sizeof from->ring);
	return from->generation == generation;
}

int ring_reader_copy(struct ring_reader *r, uint32_t ring, const struct ring_part *part,
	uint8_t *buf, struct ring_span *span)
{
	struct fake_part *p = &fake_ring[ring].part[part->index];

	(void)r;
	*span = (struct ring_span){.position = p->position};
	if (is_gone(p)) {
		span->overwritten = true;
		return 0;
	}
	memcpy(buf, p->bytes, p->size);
	span->bytes = p->size;
	span->hooks = p->hooks;
	span->torn = p->torn;
	span->first_stamp = p->first;
	span->last_stamp = p->last;
	if (p->copies_left > 0 && --p->copies_left == 0) {
		fake_ring[ring].ledger.overwritten += p->hooks;
		fake_ring[ring].ledger.torn += p->torn;
	}
	return 0;
}

int session_tasks(struct session *s, struct session_task **tasks)
{
	(void)s;
	*tasks = calloc(4, sizeof **tasks);
	memcpy(*tasks, fake_task, sizeof fake_task);
	return fake_tasks;
}

int session_losses(const struct session *s, struct session_loss **losses)
{
	(void)s;
	*losses = NULL;
	if (fake_losses <= 0)
		return fake_losses;
	*losses = calloc(4, sizeof **losses);
	memcpy(*losses, fake_loss, sizeof fake_loss);
	return fake_losses;
}

bool session_read_task(struct session *s, uint32_t number, struct session_task *task)
{
	(void)s;
	(void)number;
	(void)task;
	return false;
}

uint32_t session_read_cgroup(
	const struct session *s, uint32_t number, char name[SHM_CGROUP_TEXT_MAX])
{
	(void)s;
	return number ? (uint32_t)snprintf(name, SHM_CGROUP_TEXT_MAX, "/box/%u", number) : 0;
}

size_t session_read_findings(const struct session *s, char **lines)
{
	(void)s;
	*lines = fake_findings ? strdup(fake_findings) : NULL;
	return *lines ? strlen(*lines) : 0;
}

uint32_t session_labels_used(const struct session *s)
{
	(void)s;
	return 0;
}

uint32_t session_read_labels(const struct session *s, uint32_t from, uint8_t *bytes, uint32_t room)
{
	(void)s;
	(void)from;
	(void)bytes;
	(void)room;
	return 0;
}

int session_schemas(struct session *s, char **text, uint32_t *left_out)
{
	(void)s;
	if (left_out)
		*left_out = fake_schemas_left_out;
	*text = strdup(fake_schema);
	return (int)strlen(fake_schema);
}

uint32_t session_sticky(const struct session *s)
{
	(void)s;
	return fake_sticky;
}

const char *shm_source_name(uint32_t source, uint32_t flags, char *text, size_t size)
{
	snprintf(text, size, "source %u (%u)", source, flags);
	return text;
}

const char *RcToString(int rc)
{
	(void)rc;
	return "a code";
}
