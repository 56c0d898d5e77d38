/*
 * The owner's view of tasks, schemas and flags that members write: read by pread into private
 * memory, and bounded here.
 */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/schema_parse.h"
#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "../ring/reader.h"
#include "proof.h"

/* ------------------------------------------------------------------- tasks */

static bool is_task(const struct shm_task *t)
{
	uint32_t kind = shm_task_kind(t->state);

	return (kind == SHM_TASK_LIVE || kind == SHM_TASK_ENDED) && t->tid != 0;
}

/* An id of the session, which no thread or process of the owner's PID namespace has. */
static uint32_t table_id_of_number(uint32_t number)
{
	return number | TF_ID_OF_SESSION;
}

static void table_describe_task(const struct session *s, uint32_t number,
	const struct shm_task *slot, struct session_task *task)
{
	uint32_t owner = s->control ? s->control->pid_namespace : 0;
	bool is_same = owner == 0 || slot->pid_namespace == owner;

	*task = (struct session_task){
		.number = number,
		.tid = is_same ? slot->tid : table_id_of_number(number),
		.pid = is_same ? slot->pid : table_id_of_number(slot->process),
		.own_tid = slot->tid,
		.own_pid = slot->pid,
		.pid_namespace = slot->pid_namespace,
		.cgroup = slot->cgroup,
		.foreign = !is_same,
		.first = slot->first,
		.source = slot->source,
		.source_flags = slot->source_flags,
	};
	memcpy(task->name, slot->name, sizeof task->name);
}

uint32_t session_read_cgroup(
	const struct session *s, uint32_t number, char name[SHM_CGROUP_TEXT_MAX])
{
	uint64_t at = 8 * (uint64_t)(number - 1);
	struct shm_text head;

	if (s->cgroups_fd < 0 || number == 0 || at > SHM_CGROUP_BYTES - sizeof head ||
		!ring_read_at(s->cgroups_fd, &head, sizeof head,
			offsetof(struct shm_cgroup_file, area) + at) ||
		head.length == 0 || head.length > SHM_CGROUP_TEXT_MAX ||
		shm_text_bytes(head.length) > SHM_CGROUP_BYTES - at ||
		!ring_read_at(s->cgroups_fd, name, head.length,
			offsetof(struct shm_cgroup_file, area) + at + sizeof head))
		return 0;
	return head.length;
}

static uint32_t table_count_tasks(const struct shm_task *slots, uint32_t used)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < used; i++)
		n += is_task(&slots[i]);
	return n;
}

/* The slot of a thread's process, even if released, unless it was reused since. */
static const struct shm_task *process_of(
	const struct shm_task *slots, uint32_t used, const struct shm_task *t)
{
	uint32_t index = shm_task_index(t->process);

	return index < used && t->process && slots[index].process == t->process &&
			       slots[index].tid == 0 &&
			       slots[index].state >> SHM_TASK_STATE_BITS ==
				       shm_task_sequence(t->process)
		       ? &slots[index]
		       : NULL;
}

bool session_read_task(struct session *s, uint32_t number, struct session_task *task)
{
	const uint32_t index = shm_task_index(number);
	struct shm_task slot;

	if (!proof_read_slot(s, index, &slot) || !is_task(&slot) ||
		shm_task_number(index, slot.state) != number)
		return false;
	table_describe_task(s, number, &slot, task);
	return true;
}

int session_tasks(struct session *s, struct session_task **tasks)
{
	struct shm_task *slots;
	struct session_task *out;
	struct proof proof;
	bool *led; /* processes whose first thread was seen */
	uint32_t used, n;

	*tasks = NULL;
	if (s->tasks_fd < 0)
		return PU_ERROR_NO_BUFFER;
	slots = proof_read_slots(s, &used);
	n = slots ? table_count_tasks(slots, used) : 0;
	led = calloc(used + 1, sizeof *led);
	out = calloc(n + 1, sizeof *out);
	if (!slots || !led || !out) {
		proof_free_slots(slots);
		free(led);
		free(out);
		return PU_ERR_FILE_ERROR;
	}
	proof_open(&proof, s);
	*tasks = out;
	for (uint32_t i = 0; i < used; i++) {
		const struct shm_task *t = &slots[i], *process;

		if (!is_task(t))
			continue;
		table_describe_task(s, shm_task_number(i, t->state), t, out);
		out->alive = shm_task_kind(t->state) == SHM_TASK_LIVE &&
			     !proof_process_is_dead(&proof, t->process);
		process = process_of(slots, used, t);
		out->source = process ? process->source : t->source;
		out->source_flags = process ? process->source_flags : t->source_flags;
		if (process) {
			out->leader = !led[process - slots];
			led[process - slots] = true;
		}
		out++;
	}
	proof_close(&proof);
	proof_free_slots(slots);
	free(led);
	return (int)n;
}

/* ----------------------------------------------------------------- schemas */

/* A member may have bypassed TraceRegisterSchema. Its text follows others in one section. */
static bool is_schema(const struct shm_text *e)
{
	struct schema *compiled;
	int rc = schema_parse(e->text, e->length, &compiled, NULL);

	schema_free(rc ? NULL : compiled);
	return rc != SCHEMA_REFUSED;
}

int session_schemas(struct session *s, char **text, uint32_t *left_out)
{
	struct shm_schema_file *f = malloc(sizeof *f);
	char *out = malloc(SHM_SCHEMA_BYTES + 1);
	uint32_t at = 0, n = 0, refused = 0, used;

	*text = NULL;
	if (!f || !out || s->schemas_fd < 0 || !ring_read_at(s->schemas_fd, f, sizeof *f, 0)) {
		free(f);
		free(out);
		return PU_ERR_FILE_ERROR;
	}
	used = f->used > SHM_SCHEMA_BYTES ? SHM_SCHEMA_BYTES : f->used;
	while (used - at >= sizeof(struct shm_text)) {
		const struct shm_text *e = (const struct shm_text *)(f->area + at);
		uint32_t next;

		if (e->length == 0 || e->length > used - at - sizeof *e)
			break;
		if (is_schema(e)) {
			/* Each entry's header is longer than the newline added here. */
			memcpy(out + n, e->text, e->length);
			n += e->length;
			if (out[n - 1] != '\n')
				out[n++] = '\n';
		} else {
			refused++;
		}
		next = shm_text_bytes(e->length);
		if (next > used - at)
			break;
		at += next;
	}
	out[n] = '\0';
	free(f);
	*text = out;
	if (left_out)
		*left_out = refused;
	return (int)n;
}

/* ------------------------------------------------------------------ labels */

uint32_t session_labels_used(const struct session *s)
{
	uint32_t used;

	if (s->labels_fd < 0 || !ring_read_at(s->labels_fd, &used, sizeof used,
					offsetof(struct shm_label_file, used)))
		return 0;
	return (used < SHM_LABEL_BYTES ? used : SHM_LABEL_BYTES) & ~7u;
}

uint32_t session_read_labels(const struct session *s, uint32_t from, uint8_t *bytes, uint32_t room)
{
	uint32_t used = session_labels_used(s), at = 0;

	if (from >= used)
		return 0;
	if (room > used - from)
		room = used - from;
	if (!ring_read_at(s->labels_fd, bytes, room, offsetof(struct shm_label_file, area) + from))
		return 0;
	while (room - at >= sizeof(struct shm_text)) {
		const struct shm_text *e = (const struct shm_text *)(const void *)(bytes + at);

		if (e->length == 0 || e->length > SHM_LABEL_TEXT_MAX ||
			shm_text_bytes(e->length) > room - at)
			break;
		at += shm_text_bytes(e->length);
	}
	return at;
}

uint32_t session_sticky(const struct session *s)
{
	struct shm_ring_file f;

	return s->rings_fd >= 0 && ring_read_at(s->rings_fd, &f, sizeof f, 0) ? f.sticky : 0;
}
