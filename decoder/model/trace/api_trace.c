/* cpidecode.h: opening traces, and the files' facts other than hooks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../intervals/api_private.h"

const char *cpidecode_strerror(int code)
{
	switch (code) {
	case CPIDECODE_OK:
		return "success";
	case CPIDECODE_ENOMEM:
		return "out of memory";
	case CPIDECODE_EINVAL:
		return "invalid argument";
	case CPIDECODE_EOPEN:
		return "cannot be opened";
	case CPIDECODE_EREAD:
		return "cannot be read";
	case CPIDECODE_ESPOOL:
		return "no temporary file for what does not fit into memory (TMPDIR, /var/tmp, /tmp)";
	case CPIDECODE_ENOTTRACE:
		return "not a trace: the magic bytes are missing";
	case CPIDECODE_EVERSION:
		return "a trace of another major version than 1";
	case CPIDECODE_ETRUNCATED:
		return "cut off within the file header";
	case CPIDECODE_ECLOCK:
		return "the clock's rate is not in the file and cannot be derived";
	case CPIDECODE_ESCHEMA:
		return "a schema breaks a rule of its language";
	case CPIDECODE_ECANCELED:
		return "canceled";
	case CPIDECODE_EEMPTY:
		return "is empty";
	case CPIDECODE_E32BIT:
		return "an NRM2 file of a 32-bit system (hooks with headers of 12 bytes): only the 64-bit kind is read";
	default:
		return "unknown error code";
	}
}

const char *cpidecode_version(void)
{
	return SWTRACE_VERSION;
}

static int new_trace(cpidecode_trace **t)
{
	*t = calloc(1, sizeof **t);
	int rc = *t ? trace_new(&(*t)->trace) : CPIDECODE_ENOMEM;
	if (rc) {
		free(*t);
		*t = NULL;
	}
	return rc;
}

static int api_trace_opened(cpidecode_trace **t, int rc)
{
	if (rc) {
		int saved = errno;

		cpidecode_close(*t);
		*t = NULL;
		errno = saved;
	}
	return rc;
}

static bool api_trace_report_progress(void *ctx, const char *path, uint64_t done, uint64_t total)
{
	const cpidecode_open_options *o = ctx;

	(void)path;
	return !o->progress(o->ctx, done, total);
}

static int add_schemas(
	struct trace *t, const cpidecode_open_options *o, cpidecode_open_error *error)
{
	for (size_t i = 0; i < o->nschemas; i++) {
		struct schema_error why;

		error->file = i;
		int rc = trace_add_schema(t, o->schemas[i], o->schema_lengths[i], &why);
		if (rc == CPIDECODE_ESCHEMA) {
			error->line = why.line;
			snprintf(error->reason, sizeof error->reason, "%s", why.reason);
		}
		if (rc)
			return rc;
	}
	return 0;
}

static int add_files(struct trace *t, const char *const *paths, size_t n,
	const cpidecode_open_options *o, cpidecode_open_error *error)
{
	int rc = n ? add_schemas(t, o, error) : CPIDECODE_EINVAL;

	if (o->progress)
		trace_set_progress(t, api_trace_report_progress, (void *)o);
	for (size_t i = 0; i < n && !rc; i++) {
		error->file = i;
		rc = paths[i] ? trace_add_path(t, paths[i]) : CPIDECODE_EINVAL;
	}
	trace_set_progress(t, NULL, NULL);
	return rc ? rc : trace_settle(t);
}

int cpidecode_open_with(const char *const *paths, size_t n, const cpidecode_open_options *options,
	cpidecode_trace **t, cpidecode_open_error *error)
{
	static const cpidecode_open_options none = {.size = sizeof none};
	cpidecode_open_error own;

	error = error ? error : &own;
	options = options ? options : &none;
	*error = (cpidecode_open_error){0};
	*t = NULL;
	if (options->size < sizeof none)
		return CPIDECODE_EINVAL;
	int rc = new_trace(t);
	if (!rc)
		rc = add_files((*t)->trace, paths, n, options, error);
	if (rc == CPIDECODE_EOPEN || rc == CPIDECODE_EREAD || rc == CPIDECODE_ESPOOL)
		error->system_error = errno;
	return api_trace_opened(t, rc);
}

int cpidecode_open_files(const char *const *paths, size_t n, cpidecode_trace **t, size_t *failed)
{
	cpidecode_open_error error;
	int rc = cpidecode_open_with(paths, n, NULL, t, &error);

	if (failed)
		*failed = error.file;
	return rc;
}

int cpidecode_open(const char *path, cpidecode_trace **t)
{
	return cpidecode_open_files(&path, 1, t, NULL);
}

int cpidecode_open_fd(int fd, cpidecode_trace **t)
{
	int rc = new_trace(t);

	return api_trace_opened(t, rc ? rc : trace_add_fd((*t)->trace, fd, "-"));
}

int cpidecode_open_memory(const void *bytes, size_t n, cpidecode_trace **t)
{
	int rc = new_trace(t);

	return api_trace_opened(t, rc ? rc : trace_add_memory((*t)->trace, bytes, n, "-"));
}

void cpidecode_close(cpidecode_trace *t)
{
	if (!t)
		return;
	trace_free(t->trace);
	free(t);
}

size_t cpidecode_files(const cpidecode_trace *t)
{
	return trace_nfiles(t->trace);
}

int cpidecode_file(const cpidecode_trace *t, size_t file, cpidecode_file_info *info)
{
	const struct trace_file *f = trace_file(t->trace, file);

	if (!f)
		return CPIDECODE_EINVAL;
	*info = (cpidecode_file_info){
		.path = f->path,
		.version_minor = f->header.version_minor,
		.cpus = f->header.cpus,
		.clock = f->header.clock,
		.flags = f->header.flags,
		.ticks_per_second = f->ticks_per_second,
		.bytes = f->bytes,
		.sections = f->sections,
		.first_ns = f->has_hooks ? trace_time(f, f->first) : 0,
		.last_ns = f->has_hooks ? trace_time(f, f->last) : 0,
		.hooks = f->hooks,
		.damaged_bytes = f->damaged_bytes,
		.header_damaged = f->header.damaged,
		.cut_off = !f->has_end,
	};
	memcpy(info->trace_id, f->header.trace_id, sizeof info->trace_id);
	return 0;
}

int cpidecode_meta(const cpidecode_trace *t, size_t file, size_t i, const char **key,
	size_t *key_length, const char **value, size_t *value_length)
{
	const struct trace_file *f = trace_file(t->trace, file);

	if (!f || i >= f->nmeta)
		return CPIDECODE_EINVAL;
	*key = f->meta[i].key;
	*key_length = f->meta[i].key_length;
	*value = f->meta[i].value;
	*value_length = f->meta[i].value_length;
	return 0;
}

int cpidecode_damage(const cpidecode_trace *t, size_t file, size_t i, cpidecode_damage_info *info)
{
	const struct trace_file *f = trace_file(t->trace, file);

	if (!f || i >= f->ndamage)
		return CPIDECODE_EINVAL;
	*info = (cpidecode_damage_info){.offset = f->damage[i].offset,
		.bytes = f->damage[i].bytes,
		.why = f->damage[i].why};
	return 0;
}

int cpidecode_loss(const cpidecode_trace *t, size_t file, size_t i, cpidecode_loss_info *info)
{
	const struct trace_file *f = trace_file(t->trace, file);

	for (size_t j = 0; f && j < f->nrings; j++) {
		const struct trace_ring *r = &f->rings[j];

		if (!r->has_loss || i--)
			continue;
		*info = (cpidecode_loss_info){.ring = r->ring,
			.full = r->loss_full,
			.too_big = r->loss_big,
			.held = r->loss_held,
			.no_guest = r->loss_no_guest,
			.overwritten = r->overwritten,
			.torn = r->loss_torn,
			.skipped = r->skipped};
		return 0;
	}
	return CPIDECODE_EINVAL;
}

int cpidecode_causes(const cpidecode_trace *t, size_t file, size_t i, cpidecode_causes_info *info)
{
	const struct trace_file *f = trace_file(t->trace, file);

	for (size_t j = 0; f && j < f->nrings; j++) {
		const struct trace_ring *r = &f->rings[j];

		if (!r->has_causes || i--)
			continue;
		*info = (cpidecode_causes_info){.ring = r->ring,
			.no_slot = r->no_slot,
			.no_memory = r->no_memory,
			.unattached = r->unattached,
			.unwritten = r->unwritten};
		return 0;
	}
	return CPIDECODE_EINVAL;
}
