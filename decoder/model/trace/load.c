/* Loads everything of a file except its hooks. */
#include <string.h>
#include <xxhash.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/number.h"
#include "../../../formats/trace_file.h"
#include "../../base/grow.h"
#include "section_facts.h"
#include "trace_private.h"
#include "../../base/varint.h"

/* The tasks of a mapped table that may become resident before its pages are dropped. */
enum { DROP_TASKS = 1 << 14 };

struct load {
	struct file *f;
	struct io_buffer raw, scratch;
};

int file_damage(struct file *f, uint64_t offset, uint64_t bytes, const char *why)
{
	f->pub.damaged_bytes += bytes;
	if (f->pub.ndamage == IO_MAX_DAMAGE) {
		f->pub.damage_untold++;
		return 0;
	}
	int rc = array_grow(&f->damage, f->pub.ndamage, &f->damage_cap, sizeof *f->damage);
	if (!rc)
		f->damage[f->pub.ndamage++] =
			(struct io_damage){.offset = offset, .bytes = bytes, .why = why};
	return rc;
}

int file_contradiction(struct file *f, uint64_t offset, const char *why)
{
	if (f->pub.ncontradictions == IO_MAX_DAMAGE) {
		f->pub.contradictions_untold++;
		return 0;
	}
	int rc = array_grow(&f->contradictions, f->pub.ncontradictions, &f->contradictions_cap,
		sizeof *f->contradictions);
	if (!rc)
		f->contradictions[f->pub.ncontradictions++] =
			(struct trace_contradiction){.offset = offset, .why = why};
	return rc;
}

static int section_damage(struct file *f, const struct io_section *s, const char *why)
{
	return file_damage(f, s->offset, TF_SECTION_SIZE + (uint64_t)s->stored, why);
}

static void load_trim_text(char **at, uint32_t *length)
{
	while (*length && (**at == ' ' || **at == '\t')) {
		++*at;
		--*length;
	}
	while (*length && strchr(" \t\r", (*at)[*length - 1]))
		--*length;
}

static int add_meta(struct file *f, char *line, uint32_t length)
{
	char *colon = memchr(line, ':', length), *value = line + length;
	uint32_t key_length = colon ? (uint32_t)(colon - line) : length, value_length = 0;

	if (colon) {
		value = colon + 1;
		value_length = length - key_length - 1;
	}
	load_trim_text(&line, &key_length);
	load_trim_text(&value, &value_length);
	if (!key_length && !value_length)
		return 0;
	int rc = array_grow(&f->meta, f->pub.nmeta, &f->meta_cap, sizeof *f->meta);
	if (rc)
		return rc;
	line[key_length] = 0;
	value[value_length] = 0;
	f->meta[f->pub.nmeta++] = (struct trace_meta){.key = line,
		.value = value,
		.key_length = key_length,
		.value_length = value_length};
	return 0;
}

static int load_meta(struct load *l, const struct io_section *s)
{
	struct file *f = l->f;

	if (!s->raw)
		return 0;
	if (s->raw > MAX_META_BYTES - f->meta_bytes || f->ntexts == MAX_META_SECTIONS)
		return section_damage(f, s, "more META than this reader keeps");
	int rc = array_grow(&f->texts, f->ntexts, &f->texts_cap, sizeof *f->texts);
	char *text = rc ? NULL : malloc((size_t)s->raw + 1);
	if (!text)
		return CPIDECODE_ENOMEM;
	f->texts[f->ntexts++] = text;
	f->meta_bytes += s->raw;
	memcpy(text, l->raw.p, s->raw);
	text[s->raw] = 0;
	for (uint32_t at = 0; at < s->raw && !rc;) {
		if (f->pub.nmeta == MAX_META_LINES)
			return section_damage(f, s, "more META than this reader keeps");
		char *newline = memchr(text + at, '\n', s->raw - at);
		uint32_t end = newline ? (uint32_t)(newline - text) : s->raw;
		rc = add_meta(f, text + at, end - at);
		at = end + 1;
	}
	return rc;
}

/* The file owns the schema from now on. */
static int keep_schema(struct file *f, struct schema *schema, const char *text, size_t n)
{
	char *copy = strndup(text, n);
	int rc = copy ? array_grow(&f->schema_texts, f->nschemas, &f->schema_texts_cap,
				sizeof *f->schema_texts)
		      : CPIDECODE_ENOMEM;

	if (rc) {
		free(copy);
		schema_free(schema);
		return rc;
	}
	f->schema_texts[f->nschemas] = copy;
	f->schemas[f->nschemas++] = schema;
	return 0;
}

struct refused_lines {
	struct file *f;
	uint64_t offset;
	int rc;
};

static void keep_refused_line(void *arg, const struct schema_error *error)
{
	struct refused_lines *r = arg;
	struct file *f = r->f;

	if (f->pub.nschema_problems == MAX_SCHEMAS || r->rc)
		return;
	r->rc = array_grow(
		&f->problems, f->pub.nschema_problems, &f->problems_cap, sizeof *f->problems);
	if (!r->rc)
		f->problems[f->pub.nschema_problems++] =
			(struct trace_schema_problem){.offset = r->offset, .error = *error};
}

/* A section joins the texts of several programs: a bad one must not invalidate the others. */
static int load_schema(struct load *l, const struct io_section *s)
{
	struct file *f = l->f;
	const char *text = s->raw ? (char *)l->raw.p : "";
	struct refused_lines refused = {.f = f, .offset = s->offset};
	struct schema *schema;

	if (s->raw > MAX_SCHEMA_BYTES - f->schema_bytes || f->nschemas == MAX_SCHEMAS)
		return section_damage(f, s, "more schemas than this reader keeps");
	f->schema_bytes += s->raw;
	int rc = array_grow(&f->schemas, f->nschemas, &f->schemas_cap, sizeof *f->schemas);
	if (!rc)
		rc = schema_code(
			schema_salvage(text, s->raw, &schema, keep_refused_line, &refused));
	if (rc)
		return rc == CPIDECODE_ESCHEMA ? refused.rc : rc;
	rc = keep_schema(f, schema, text, s->raw);
	return rc ? rc : refused.rc;
}

static int load_tasks(struct load *l, const struct io_section *s)
{
	struct file *f = l->f;

	for (uint32_t at = 0; at + TF_TASK_SIZE <= s->raw; at += TF_TASK_SIZE) {
		const uint8_t *p = l->raw.p + at;

		if (f->pub.ntasks == TASKS_MAX)
			return section_damage(f, s, "more tasks than this reader keeps");
		int rc = spill_reserve(&f->tasks, (f->pub.ntasks + 1) * sizeof(struct task));
		if (rc)
			return rc;
		if (f->pub.ntasks % DROP_TASKS == 0)
			spill_drop(&f->tasks);
		struct task *t = (struct task *)f->tasks.p + f->pub.ntasks++;
		t->tid = get_le32(p + TF_TASK_TID);
		t->pid = get_le32(p + TF_TASK_PID);
		t->first = get_le64(p + TF_TASK_FIRST);
		memcpy(t->name, p + TF_TASK_NAME, TF_TASK_NAME_SIZE);
		t->name[TF_TASK_NAME_SIZE] = 0;
		t->container = NULL;
		t->is_at_home = true;
	}
	return s->raw % TF_TASK_SIZE ? section_damage(f, s, "a TASKS entry is cut short") : 0;
}

static int add_sync(struct file *f, struct clock_sync sync)
{
	int rc = array_grow(&f->syncs, f->pub.nsyncs, &f->syncs_cap, sizeof *f->syncs);

	if (!rc)
		f->syncs[f->pub.nsyncs++] = sync;
	return rc;
}

static int load_clock(struct load *l, const struct io_section *s)
{
	for (uint32_t at = 0; at + TF_SYNC_SIZE <= s->raw; at += TF_SYNC_SIZE) {
		const uint8_t *p = l->raw.p + at;

		if (l->f->pub.nsyncs == MAX_SYNCS)
			return section_damage(l->f, s, "more clock syncs than this reader keeps");
		int rc = add_sync(l->f, (struct clock_sync){.ticks = get_le64(p + TF_SYNC_TICKS),
						.realtime = (int64_t)get_le64(p + TF_SYNC_REALTIME),
						.monotonic = get_le64(p + TF_SYNC_MONOTONIC)});
		if (rc)
			return rc;
	}
	return s->raw % TF_SYNC_SIZE ? section_damage(l->f, s, "a clock sync is cut short") : 0;
}

static int load_loss(struct load *l, const struct io_section *s)
{
	for (uint32_t at = 0; at + TF_LOSS_SIZE <= s->raw; at += TF_LOSS_SIZE) {
		const uint8_t *p = l->raw.p + at;
		struct trace_ring entry = {
			.ring = get_le32(p + TF_LOSS_RING),
			.has_loss = true,
			.loss_full = get_le64(p + TF_LOSS_FULL),
			.loss_big = get_le64(p + TF_LOSS_BIG),
			.loss_held = get_le64(p + TF_LOSS_HELD),
			.loss_no_guest = get_le64(p + TF_LOSS_NO_GUEST),
			.overwritten = get_le64(p + TF_LOSS_OVERWRITTEN),
			.loss_torn = get_le64(p + TF_LOSS_TORN),
			.skipped = get_le64(p + TF_LOSS_SKIPPED),
		};
		int rc = directory_add_loss(l->f, &entry, s->offset);

		if (rc)
			return rc > 0 ? section_damage(l->f, s,
						"LOSS of more rings than this reader follows")
				      : rc;
	}
	return s->raw % TF_LOSS_SIZE ? section_damage(l->f, s, "a LOSS entry is cut short") : 0;
}

static int load_causes(struct load *l, const struct io_section *s)
{
	for (uint32_t at = 0; at + TF_CAUSES_SIZE <= s->raw; at += TF_CAUSES_SIZE) {
		const uint8_t *p = l->raw.p + at;
		struct trace_ring entry = {
			.ring = get_le32(p + TF_CAUSES_RING),
			.no_slot = get_le64(p + TF_CAUSES_NO_SLOT),
			.no_memory = get_le64(p + TF_CAUSES_NO_MEMORY),
			.unattached = get_le64(p + TF_CAUSES_UNATTACHED),
			.unwritten = get_le64(p + TF_CAUSES_UNWRITTEN),
		};
		int rc = directory_add_causes(l->f, &entry, s->offset);

		if (rc)
			return rc > 0 ? section_damage(l->f, s,
						"CAUSES of more rings than this reader follows")
				      : rc;
	}
	return s->raw % TF_CAUSES_SIZE ? section_damage(l->f, s, "a CAUSES entry is cut short") : 0;
}

/* 0: kept, 1: *why it is not, or CPIDECODE_ENOMEM. */
static int load_label(struct load *l, const struct io_section *s, uint64_t number,
	const uint8_t *text, uint32_t length, const char **why)
{
	struct file *f = l->f;
	struct label entry = {.number = (uint32_t)number, .length = length};
	const struct label *known;

	*why = "a label's number is too large";
	if (number > UINT32_MAX)
		return 1;
	known = labels_find(&f->labels, entry.number);
	if (known && (known->length != length || memcmp(known->text, text, length) != 0))
		return file_contradiction(
			f, s->offset, "a label differs from the earlier one of its number");
	if (known)
		return 0;
	*why = "more labels than this reader keeps";
	if (LABEL_COSTS + (size_t)length > MAX_LABELS_BYTES - f->labels_bytes)
		return 1;
	f->labels_bytes += LABEL_COSTS + length;
	int rc = texts_add(f->texts_of_trace, (const char *)text, length, &entry.index);
	if (rc)
		return rc;
	entry.text = f->texts_of_trace->at[entry.index].at;
	rc = labels_add(&f->labels, &entry);
	return rc < 0 ? rc : 0;
}

static int load_labels(struct load *l, const struct io_section *s)
{
	for (uint32_t at = 0; at < s->raw;) {
		const uint8_t *p = l->raw.p + at;
		uint32_t left = s->raw - at, length;
		const char *why = NULL;

		if (left < TF_LABEL_TEXT)
			return section_damage(l->f, s, "a label is cut short");
		length = get_le32(p + TF_LABEL_LENGTH);
		if (!length || length > TF_LABEL_MAX)
			return section_damage(l->f, s, "a label's length is not possible");
		if (length > left - TF_LABEL_TEXT)
			return section_damage(l->f, s, "a label is cut short");
		int rc = s->position % 8 || at > UINT64_MAX - s->position
				 ? 1
				 : load_label(l, s, (s->position + at) / 8 + 1, p + TF_LABEL_TEXT,
					   length, &why);
		if (rc)
			return rc > 0 ? section_damage(l->f, s,
						why ? why : "its position is not a label's")
				      : rc;
		at += (TF_LABEL_TEXT + length + 7) / 8 * 8;
	}
	return 0;
}

/* 0: kept, 1: *why it is not, or CPIDECODE_ENOMEM. */
static int load_container(struct load *l, const uint8_t *p, uint32_t length, const char **why)
{
	struct file *f = l->f;
	struct container entry = {.tid = get_le32(p + TF_CONTAINER_TID),
		.first = get_le64(p + TF_CONTAINER_FIRST),
		.own_tid = get_le32(p + TF_CONTAINER_OWN_TID),
		.own_pid = get_le32(p + TF_CONTAINER_OWN_PID),
		.pid_namespace = get_le32(p + TF_CONTAINER_NAMESPACE),
		.name = TEXT_NONE};
	size_t known = f->texts_of_trace->count;

	*why = "more containers than this reader keeps";
	if (f->containers.count == TASKS_MAX ||
		LABEL_COSTS + (size_t)length > MAX_LABELS_BYTES - f->labels_bytes)
		return 1;
	int rc = length ? texts_add(f->texts_of_trace, (const char *)p + TF_CONTAINER_NAME, length,
				  &entry.name)
			: 0;
	if (!rc && f->texts_of_trace->count > known)
		f->labels_bytes += LABEL_COSTS + length;
	return rc ? rc : containers_add(&f->containers, &entry);
}

static int load_containers(struct load *l, const struct io_section *s)
{
	for (uint32_t at = 0; at < s->raw;) {
		const uint8_t *p = l->raw.p + at;
		uint32_t left = s->raw - at, length;
		const char *why;

		length = left < TF_CONTAINER_NAME ? UINT32_MAX : get_le32(p + TF_CONTAINER_LENGTH);
		if (length > TF_CONTAINER_MAX || length > left - TF_CONTAINER_NAME)
			return section_damage(l->f, s, "a CONTAINERS entry is cut short");
		int rc = load_container(l, p, length, &why);
		if (rc)
			return rc > 0 ? section_damage(l->f, s, why) : rc;
		length = (TF_CONTAINER_NAME + length + 7) / 8 * 8;
		at += length < left ? length : left;
	}
	return 0;
}

static int load_task_losses(struct load *l, const struct io_section *s)
{
	for (uint32_t at = 0; at + TF_TASKLOSS_SIZE <= s->raw; at += TF_TASKLOSS_SIZE) {
		const uint8_t *p = l->raw.p + at;
		struct task_loss entry = {
			.tid = get_le32(p + TF_TASKLOSS_TID),
			.first = get_le64(p + TF_TASKLOSS_FIRST),
			.lost = get_le64(p + TF_TASKLOSS_LOST),
			.before = get_le64(p + TF_TASKLOSS_BEFORE),
		};
		int rc = task_losses_add(&l->f->task_losses, &entry);

		if (rc)
			return rc > 0 ? section_damage(l->f, s,
						"TASKLOSS of more tasks than this reader keeps")
				      : rc;
	}
	return s->raw % TF_TASKLOSS_SIZE ? section_damage(l->f, s, "a TASKLOSS entry is cut short")
					 : 0;
}

/*
 * An unpacked file is read by its sections' contents: wrong stamps in headers would put hooks
 * out of order. Reading reports what cannot be unpacked.
 */
static int add_hooks(struct load *l, const struct io_section *s)
{
	struct io_section so = *s;
	const char *why;

	if (!l->f->unpacked || !s->raw) {
		int added = directory_add(l->f, s);

		if (!added && l->f->arriving)
			l->f->arriving->read(l->f, false);
		return added;
	}
	int rc = io_load(l->f->in, s, &l->raw, &l->scratch, &why);
	if (rc < 0)
		return rc;
	if (rc)
		return directory_add(l->f, s);
	struct section_facts facts = section_facts_of(l->raw.p, s->raw);
	why = section_contradiction(s, &facts);
	if (why) {
		section_correct(&so, &facts);
		rc = file_contradiction(l->f, s->offset, why);
	}
	return rc ? rc : directory_add(l->f, &so);
}

static int on_section(void *ctx, const struct io_section *s)
{
	static const struct {
		int (*load)(struct load *, const struct io_section *);
		uint32_t most; /* raw bytes: an upper bound of those kept */
	} types[] = {
		[TF_TYPE_META] = {load_meta, MAX_META_BYTES},
		[TF_TYPE_SCHEMA] = {load_schema, MAX_SCHEMA_BYTES},
		[TF_TYPE_TASKS] = {load_tasks, TASKS_MAX * TF_TASK_SIZE},
		[TF_TYPE_CLOCK] = {load_clock, MAX_SYNCS * TF_SYNC_SIZE},
		[TF_TYPE_LOSS] = {load_loss, MAX_RINGS * TF_LOSS_SIZE},
		[TF_TYPE_CAUSES] = {load_causes, MAX_RINGS * TF_CAUSES_SIZE},
		[TF_TYPE_LABELS] = {load_labels, MAX_LABELS_BYTES},
		[TF_TYPE_CONTAINERS] = {load_containers, MAX_LABELS_BYTES},
		[TF_TYPE_REMARKS] = {load_meta, MAX_META_BYTES},
		[TF_TYPE_TASKLOSS] = {load_task_losses, TASKS_MAX * TF_TASKLOSS_SIZE},
	};
	struct load *l = ctx;
	const char *why;

	if (s->type == TF_TYPE_HOOKS)
		return add_hooks(l, s);
	l->f->pub.sections++;
	l->f->pub.sections_of[s->type < TF_TYPES ? s->type : 0]++;
	if (s->type >= sizeof types / sizeof *types || !types[s->type].load)
		return 0;
	if (s->raw > types[s->type].most)
		return section_damage(
			l->f, s, "larger than all that this reader keeps of its type");
	int rc = io_load(l->f->in, s, &l->raw, &l->scratch, &why);
	if (rc > 0)
		return section_damage(l->f, s, why);
	return rc ? rc : types[s->type].load(l, s);
}

static int on_damage(void *ctx, const struct io_damage *d)
{
	struct load *l = ctx;

	return file_damage(l->f, d->offset, d->bytes, d->why);
}

/* Whether the header's rate is within a thousandth of the syncs' rate. */
static bool rates_agree(uint64_t a, uint64_t b)
{
	uint64_t apart = a > b ? a - b : b - a;

	return apart <= b / 1000;
}

static int load_rate(struct file *f)
{
	uint64_t rate = f->pub.header.ticks_per_second;
	bool plausible = rate && rate <= CLOCK_MAX_RATE;

	f->clock.rate = rate;
	if (!plausible || f->pub.header.damaged) {
		uint64_t derived = clock_derive_rate(f->syncs, f->pub.nsyncs);

		if (derived && !(plausible && rates_agree(rate, derived))) {
			f->clock.rate = derived;
			f->pub.ticks_derived = true;
		} else if (!plausible) {
			return CPIDECODE_ECLOCK;
		}
	}
	f->pub.ticks_per_second = f->clock.rate;
	return 0;
}

/* The header's sync counts too, unless the header is damaged. */
static int load_syncs(struct file *f)
{
	const struct io_header *h = &f->pub.header;
	struct clock_sync base = {.ticks = h->sync_ticks,
		.realtime = h->sync_realtime,
		.monotonic = h->sync_monotonic};
	int rc = load_rate(f);

	if (rc)
		return rc;
	if (h->damaged && f->pub.nsyncs)
		base = f->syncs[0];
	else
		rc = add_sync(f, base);
	if (rc)
		return rc;
	f->clock.base_ticks = base.ticks;
	f->clock.base_real = base.realtime;
	clock_build(&f->clock, f->syncs, f->pub.nsyncs);
	f->own_syncs = f->clock.nsyncs;
	return 0;
}

/* META's `rings`: 32 hexadecimal digits. Not for NRM2, whose positions its reader makes up. */
static void load_rings_id(struct file *f)
{
	const char *text = trace_meta_value(&f->pub, "rings");

	if (!text || strlen(text) != 2 * sizeof f->rings_id || io_import(f->in) ||
		number_count_digits(text, 16) != 2 * sizeof f->rings_id)
		return;
	for (size_t i = 0; i < sizeof f->rings_id; i++)
		f->rings_id[i] = (uint8_t)(16 * number_digit(text[2 * i], 16) +
					   number_digit(text[2 * i + 1], 16));
	f->has_rings_id = true;
	f->pub.rings_id = f->rings_id;
}

/* A fingerprint of the file's headers. */
static int make_fingerprint(struct file *f)
{
	struct buffer o = {0};

	varint_put(&o, f->pub.bytes);
	varint_put(&o, f->pub.header.clock);
	varint_put(&o, f->pub.header.sync_ticks);
	varint_put_signed(&o, f->pub.header.sync_realtime);
	for (size_t i = 0; i < f->pub.nrings; i++) {
		const struct trace_ring *r = &f->rings[i];
		const uint64_t said[] = {r->ring, r->sections, r->stored, r->raw, r->hooks, r->torn,
			r->lost, r->first, r->last, r->position_first, r->position_end};

		for (unsigned k = 0; k < sizeof said / sizeof *said; k++)
			varint_put(&o, said[k]);
	}
	f->pub.fingerprint = o.failed ? 0 : XXH3_64bits(o.p, o.n);
	free(o.p);
	return o.failed ? CPIDECODE_ENOMEM : 0;
}

static void load_publish_file(struct file *f)
{
	f->pub.contradictions = f->contradictions;
	f->pub.damage = f->damage;
	f->pub.meta = f->meta;
	f->pub.schema_texts = (const char *const *)f->schema_texts;
	f->pub.nschema_texts = f->nschemas;
	f->pub.schema_problems = f->problems;
	f->pub.rings = f->rings;
	f->pub.clock = &f->clock;
	f->pub.labels = &f->labels;
	f->pub.nlabels = f->labels.count;
	f->pub.task_losses = &f->task_losses;
	f->pub.import = io_import(f->in);
	f->pub.bytes = f->pub.import ? f->pub.import->bytes : io_size(f->in);
}

/* Damage in the file that the input was converted from. */
static int load_import(struct file *f)
{
	const struct io_import *import = io_import(f->in);
	int rc = 0;

	for (size_t i = 0; import && i < import->ndamage && !rc; i++)
		rc = file_damage(f, import->damage[i].offset, import->damage[i].bytes,
			import->damage[i].why);
	if (import && import->damage_untold && !rc) {
		f->pub.damage_untold += import->damage_untold;
		f->pub.damaged_bytes = import->damaged_bytes;
	}
	return rc;
}

static int load_compare_damage(const void *a, const void *b)
{
	const struct io_damage *x = a, *y = b;

	return compare_u64(x->offset, y->offset);
}

/* A section found wrong later may have hidden others. */
static int load_rescue_sections(struct file *f, const struct io_scan_events *events)
{
	struct directory *d = &f->dir;
	int rc = directory_settle(f);

	for (size_t i = 0; i < d->nbad && !rc; i++) {
		bool ended;

		rc = io_rescue(f->in, &d->bad[i], events, &ended);
		f->pub.has_end |= ended;
	}
	return rc ? rc : directory_settle(f);
}

static int load_sections(struct file *f, enum trace_verify how, io_progress_fn progress, void *ctx)
{
	struct load l = {.f = f};
	struct io_scan_events events = {.section = on_section, .damage = on_damage, .ctx = &l};

	f->verified =
		how == VERIFY_ALL || (how == VERIFY_SMALL && io_size(f->in) <= VERIFY_SMALL_BYTES);
	f->unpacked = how == VERIFY_ALL || (f->verified && io_size(f->in) <= UNPACK_SMALL_BYTES);
	_Static_assert((int)IO_AT_ONCE > VERIFY_SMALL_BYTES, "an arriving stream counts as large");
	int rc = io_scan(
		f->in, &f->pub.header, !f->verified, &events, progress, ctx, &f->pub.has_end);
	if (!rc)
		rc = load_rescue_sections(f, &events);
	if (!rc && f->arriving)
		f->arriving->read(f, true);
	io_buffer_free(&l.raw);
	io_buffer_free(&l.scratch);
	return rc;
}

int file_load(struct file *f, enum trace_verify how, io_progress_fn progress, void *ctx)
{
	int rc = io_read_header(f->in, &f->pub.header);

	if (!rc && f->pub.header.damaged)
		rc = file_damage(f, 0, TF_HEADER_SIZE, "the file header's checksum does not hold");
	if (!rc)
		rc = load_sections(f, how, progress, ctx);
	if (!rc)
		rc = load_import(f);
	if (!rc)
		rc = load_syncs(f);
	if (!rc)
		rc = directory_finish(f);
	if (f->pub.ndamage)
		qsort(f->damage, f->pub.ndamage, sizeof *f->damage, load_compare_damage);
	load_publish_file(f);
	if (!rc)
		rc = make_fingerprint(f);
	load_rings_id(f);
	return rc;
}

void file_free(struct file *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->ntexts; i++)
		free(f->texts[i]);
	for (size_t i = 0; i < f->nschemas; i++)
		schema_free(f->schemas[i]);
	for (size_t i = 0; i < f->nschemas; i++)
		free(f->schema_texts[i]);
	free(f->schema_texts);
	schema_set_free(f->set);
	io_close(f->in);
	free(f->path);
	free(f->syncs);
	directory_free(&f->dir);
	free(f->rings);
	free(f->contradictions);
	free(f->damage);
	free(f->meta);
	free(f->texts);
	free(f->schemas);
	free(f->problems);
	spill_free(&f->tasks);
	containers_free(&f->containers);
	labels_free(&f->labels);
	task_losses_free(&f->task_losses);
	free(f);
}
