/* The trace: its files, machines and schemas. */
#include "trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/number.h"
#include "../../../formats/bytes.h"
#include "../../../formats/trace_file.h"
#include "../../base/grow.h"
#include "clock/private.h"
#include "trace_private.h"

/* Parses the built-in schemas once and keeps them for the process: parsing is slower than opening a
 * small trace. */
static int trace_share_builtin(const struct schema **s)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct schema *shared;
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!shared)
		rc = schema_code(schema_parse(
			(const char *)cpidecode_schemas, cpidecode_schemas_size, &shared, NULL));
	*s = shared;
	pthread_mutex_unlock(&lock);
	return rc;
}

int trace_new(struct trace **result)
{
	struct trace *t = calloc(1, sizeof *t);

	*result = NULL;
	int rc = t ? trace_share_builtin(&t->builtin) : CPIDECODE_ENOMEM;
	if (rc) {
		free(t);
		return rc;
	}
	t->texts = calloc(1, sizeof *t->texts);
	if (!t->texts) {
		trace_free(t);
		return CPIDECODE_ENOMEM;
	}
	pthread_mutex_init(&t->texts->lock, NULL);
	*result = t;
	return 0;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	if (t->arriving)
		t->arriving->free(t->arrivals);
	for (size_t i = 0; i < t->nfiles; i++)
		file_free(t->files[i]);
	for (size_t i = 0; i < t->nmachines; i++)
		machine_free(t->machines[i]);
	for (size_t i = 0; i < t->nuser; i++)
		schema_free(t->user[i]);
	if (t->texts) {
		texts_free(t->texts);
		pthread_mutex_destroy(&t->texts->lock);
	}
	free(t->texts);
	free(t->files);
	free(t->machines);
	free(t->user);
	free(t);
}

void trace_set_progress(struct trace *t, trace_progress_fn fn, void *ctx)
{
	t->progress = fn;
	t->progress_ctx = ctx;
}

void trace_set_verify(struct trace *t, enum trace_verify how)
{
	t->verify = how;
}

int trace_add_schema(struct trace *t, const char *text, size_t length, struct schema_error *error)
{
	int rc = array_grow(&t->user, t->nuser, &t->user_cap, sizeof *t->user);

	if (!rc)
		rc = schema_code(schema_parse(text, length, &t->user[t->nuser], error));
	if (!rc)
		t->nuser++;
	return rc;
}

static int make_schema_set(struct trace *t, struct file *f)
{
	int rc = schema_set_new(&f->set);

	for (size_t i = 0; i < t->nuser && !rc; i++)
		rc = schema_set_add(f->set, t->user[i]);
	for (size_t i = 0; i < f->nschemas && !rc; i++)
		rc = schema_set_add(f->set, f->schemas[i]);
	if (!rc)
		schema_set_add_builtin(f->set, t->builtin);
	f->pub.schemas = f->set;
	return rc;
}

struct progress {
	struct trace *t;
	const char *path;
};

static bool trace_report_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct progress *p = ctx;

	return p->t->progress(p->t->progress_ctx, p->path, done, total);
}

/* Notes the cgroup of the session's owner from the first file that has it. A name longer than a
 * container's is invalid. */
static void trace_note_owner(struct trace *t, const struct trace_file *f)
{
	struct machine *m = t->machines[f->machine];
	const char *name = m->owner ? NULL : trace_meta_value(f, "cgroup");

	if (name && *name && strlen(name) <= TF_CONTAINER_MAX)
		m->owner = name;
}

/* f->in is open; the trace owns the file from now on, or frees it. */
static int trace_load_file(struct trace *t, struct file *f, struct progress *p)
{
	int rc = array_grow(&t->files, t->nfiles, &t->files_cap, sizeof *t->files);

	f->pub.index = (uint32_t)t->nfiles;
	f->texts_of_trace = t->texts;
	if (!t->nfiles && t->verify != VERIFY_ALL && io_is_arriving(f->in)) {
		f->arriving = t->arriving;
		f->arrivals = t->arrivals;
	}
	if (!rc)
		rc = file_load(f, t->verify, t->progress ? trace_report_progress : NULL, p);
	if (!rc)
		rc = make_schema_set(t, f);
	if (!rc)
		rc = machine_of(t, f);
	if (!rc)
		rc = machine_add(t, f);
	if (rc) {
		int saved = errno;

		/* Discard its early results: they do not apply to other files. */
		if (f->arriving) {
			t->arriving->free(t->arrivals);
			t->arriving = NULL;
			t->arrivals = NULL;
		}
		file_free(f);
		errno = saved;
		return rc;
	}
	if (f->arriving)
		f->arriving->settle(f);
	t->files[t->nfiles++] = f;
	trace_note_owner(t, &f->pub);
	return 0;
}

static struct file *new_file(const char *path)
{
	struct file *f = calloc(1, sizeof *f);

	if (f)
		f->path = strdup(path);
	if (f && !f->path) {
		free(f);
		return NULL;
	}
	if (f)
		f->pub.path = f->path;
	return f;
}

/* Adds the file after its input was opened, or could not be (rc). Keeps errno. */
static int trace_add_opened(struct trace *t, struct file *f, struct progress *p, int rc)
{
	if (!rc)
		return trace_load_file(t, f, p);
	int saved = errno;
	file_free(f);
	errno = saved;
	return rc;
}

int trace_add_path(struct trace *t, const char *path)
{
	struct progress p = {.t = t, .path = path};
	struct file *f = new_file(path);

	return f ? trace_add_opened(t, f, &p,
			   io_open_path(
				   path, t->progress ? trace_report_progress : NULL, &p, &f->in))
		 : CPIDECODE_ENOMEM;
}

int trace_add_fd(struct trace *t, int fd, const char *name)
{
	struct progress p = {.t = t, .path = name};
	struct file *f = new_file(name);

	return f ? trace_add_opened(t, f, &p,
			   io_open_fd(fd, t->progress ? trace_report_progress : NULL, &p, &f->in))
		 : CPIDECODE_ENOMEM;
}

int trace_add_memory(struct trace *t, const void *bytes, size_t n, const char *name)
{
	struct progress p = {.t = t, .path = name};
	struct file *f = new_file(name);

	return f ? trace_add_opened(t, f, &p, io_open_memory(bytes, n, &f->in)) : CPIDECODE_ENOMEM;
}

size_t trace_nfiles(const struct trace *t)
{
	return t->nfiles;
}

const struct trace_file *trace_file(const struct trace *t, size_t i)
{
	return i < t->nfiles ? &t->files[i]->pub : NULL;
}

bool trace_one_machine(const struct trace *t)
{
	for (size_t i = 1; i < t->nfiles; i++)
		if (t->files[i]->pub.machine != t->files[0]->pub.machine)
			return false;
	return true;
}

const char *trace_meta_value(const struct trace_file *f, const char *key)
{
	for (size_t i = 0; i < f->nmeta; i++)
		if (strcmp(f->meta[i].key, key) == 0)
			return f->meta[i].value;
	return NULL;
}

/* A number below 2^64 - 1. False: there is none. */
static bool trace_meta_number(const struct trace_file *f, const char *key, uint64_t *number)
{
	const char *text = f->header.damaged ? NULL : trace_meta_value(f, key);

	return text && number_parse(text, 10, UINT64_MAX - 1, number);
}

struct trace_rotation trace_rotation(const struct trace_file *f)
{
	struct trace_rotation r = {0};
	uint64_t before;

	if (!trace_meta_number(f, "files before", &before))
		return r;
	r.number = before + 1;
	if (!trace_meta_number(f, "keep", &r.keep))
		r.keep = 0;
	return r;
}

void trace_file_id(const struct trace_file *f, uint8_t id[16])
{
	static const uint8_t none[16];

	memcpy(id, f->header.trace_id, sizeof none);
	if (memcmp(id, none, sizeof none) == 0)
		put_le64(id + 8, f->fingerprint);
}

const struct task *trace_task(const struct trace *t, uint32_t machine, uint32_t tid, uint64_t ticks)
{
	uint64_t from, to;

	return machine < t->nmachines
		       ? tasks_find(&t->machines[machine]->tasks, tid, ticks, &from, &to)
		       : NULL;
}

const struct task *trace_task_at(const struct trace *t, uint32_t machine, size_t i)
{
	if (machine >= t->nmachines || i >= t->machines[machine]->tasks.count)
		return NULL;
	return tasks_at(&t->machines[machine]->tasks, i);
}

const struct container *trace_container(
	const struct trace *t, uint32_t machine, const struct task *task)
{
	return task && machine < t->nmachines
		       ? containers_find(&t->machines[machine]->containers, task)
		       : NULL;
}

bool trace_has_containers(const struct trace *t)
{
	for (size_t i = 0; i < t->nmachines; i++)
		if (t->machines[i]->containers.count)
			return true;
	return false;
}

bool trace_has_several_containers(const struct trace *t)
{
	if (t->owners_differ)
		return true;
	for (size_t i = 0; i < t->nmachines; i++)
		if (t->machines[i]->has_several_containers)
			return true;
	return false;
}

const struct label *trace_label(const struct trace_file *f, uint32_t number)
{
	return labels_find(f->labels, number);
}

struct trace_text trace_text_at(const struct trace *t, uint32_t index)
{
	return texts_get(t->texts, index);
}

uint32_t trace_text_index(const struct trace *t, const char *text, uint32_t length)
{
	return texts_find_or_add(t->texts, text, length);
}

size_t trace_texts_limit(const struct trace *t)
{
	return texts_limit(t->texts);
}

int trace_note_values(struct trace *t)
{
	struct trace_texts *texts = t->texts;

	if (texts->had_values)
		return 0;
	texts->values_limit = texts_limit(texts);
	texts->had_values = calloc(VALUE_KINDS * texts->values_limit, sizeof *texts->had_values);
	return texts->had_values ? 0 : CPIDECODE_ENOMEM;
}

bool trace_had_value(const struct trace *t, uint8_t kind, uint32_t index)
{
	const struct trace_texts *texts = t->texts;

	return texts->had_values && index < texts->values_limit &&
	       atomic_load_explicit(&texts->had_values[kind * texts->values_limit + index],
		       memory_order_relaxed);
}

bool trace_section(const struct trace_file *f, size_t ring, size_t i, struct trace_section *s)
{
	const struct file *file = (const struct file *)f;

	_Static_assert(offsetof(struct file, pub) == 0, "a trace_file is the start of a file");
	if (i >= file_nsections(file, ring))
		return false;
	const struct section_ref *ref = file_section(file, ring, i);
	*s = (struct trace_section){.position = ref->position,
		.first = ref->lo,
		.last = ref->hi,
		.hooks = ref->hooks,
		.lost = ref->lost,
		.torn = ref->torn};
	return true;
}

bool trace_span(const struct trace *t, int64_t *first_ns, int64_t *last_ns)
{
	bool any = false;

	*first_ns = *last_ns = 0;
	for (size_t i = 0; i < t->nfiles; i++) {
		const struct trace_file *f = &t->files[i]->pub;

		if (!f->has_hooks)
			continue;
		int64_t first = trace_time(f, f->first), last = trace_time(f, f->last);
		if (!any || first < *first_ns)
			*first_ns = first;
		if (!any || last > *last_ns)
			*last_ns = last;
		any = true;
	}
	return any;
}

bool trace_scripted(const struct trace *t)
{
	for (size_t i = 0; i < t->nfiles; i++)
		if (t->files[i]->pub.header.flags & TF_FLAG_SCRIPTED)
			return true;
	return false;
}

int64_t trace_time(const struct trace_file *f, uint64_t ticks)
{
	return clock_time(f->clock, ticks);
}

bool trace_time_is_monotone(const struct trace_file *f)
{
	return clock_is_monotone(f->clock);
}

double trace_duration_ns(const struct trace_file *f, uint64_t ticks)
{
	return clock_duration_ns(f->clock, ticks);
}

uint64_t trace_long_ns(const struct trace_file *f, uint64_t ticks, double ns)
{
	if (ns < 0x1p52)
		return 0;
	__int128 whole = clock_scale(ticks, f->clock->rate);
	return whole < UINT64_MAX ? (uint64_t)whole : UINT64_MAX;
}
