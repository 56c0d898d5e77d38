#include "dump.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/base/time_ns.h"
#include "../../formats/bytes.h"
#include "../../include/perfutil.h"
#include "../session/fail.h"
#include "file_head.h"
#include "losses.h"
#include "output.h"
#include "rings.h"
#include "section.h"
#include "signals.h"
#include "task_losses.h"

/* The index is optional; omitted for more sections than this. */
#define INDEX_BYTES_MAX ((uint64_t)64 << 20)

/* Bytes of REMARKS: three short lines. */
enum { REMARKS_MAX = 1024 };

struct dump {
	struct session *session;
	const struct dump_options *options;
	struct session_error *error;
	struct dump_result result;
	struct session_keep keep;
	struct rings rings;
	struct file_head head;
	struct tasks tasks;
	struct task_losses task_losses;
	uint64_t done; /* sections */
	struct output out;
	struct section_writer writer;
};

static int dump_fail_memory(struct dump *d)
{
	return session_fail(d->error, PU_ERROR_NOT_ENOUGH_MEMORY, "not enough memory for a dump");
}

/* ---------------------------------------------------------- before the file is begun */

static bool has_causes(const struct rings *r)
{
	for (uint32_t i = 0; i < r->rings; i++)
		if (losses_have_causes(rings_losses(r, i)))
			return true;
	return false;
}

/* Up to the cut. A discard does not reset the losses of tasks. */
static uint64_t dump_losses_since_init(const struct rings *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->rings; i++)
		sum += shm_losses_sum(rings_losses(r, i)) + shm_losses_sum(r->control[i].loss_base);
	return sum;
}

static bool keep_going(void *arg)
{
	struct dump *d = arg;

	return !d->options->progress ||
	       d->options->progress(d->options->progress_arg, d->done, d->rings.total);
}

static uint64_t reach_before(const struct dump *d, const struct dump_reason *reason)
{
	uint64_t since = rings_complete_since(&d->rings),
		 rate = d->session->geometry.ticks_per_second;
	uint64_t ticks = reason->start > since ? reason->start - since : 0;
	uint64_t ns = time_ticks_to_ns(ticks, rate);

	return ns < reason->before_ns ? ns : reason->before_ns;
}

static void dump_put_reason(struct dump *d, const struct dump_reason *reason)
{
	struct buffer *t = &d->head.meta;

	meta_add_line(t, "trigger", reason->condition);
	meta_add_line(t, "trigger match", reason->match);
	meta_add_line(t, "trigger window", reason->window);
}

static bool dump_asks_before(const struct dump *d)
{
	const struct dump_reason *reason = d->options->reason;

	return reason && reason->before_ns && reason->start;
}

/* Where rings go round, sections may be overwritten before they are read. */
static bool dump_may_remark(const struct dump *d)
{
	return (!d->result.normal && d->rings.total) || dump_asks_before(d);
}

static int dump_gather_contents(struct dump *d)
{
	int rc;

	session_keep_begin(&d->keep, d->session, keep_going, d);
	d->result.keep = d->keep.why;
	d->result.waited_ns = d->keep.waited_ns;
	/* Read before the cut, so that the rings' losses up to it include these. */
	const bool has_losses = task_losses_read(&d->task_losses, d->session);
	const uint64_t until = session_on_until(d->session);
	rc = rings_open(&d->rings, d->session, d->keep.control, d->error);
	if (rc)
		return rc;
	if (has_losses)
		d->task_losses.all = dump_losses_since_init(&d->rings);
	tasks_open(&d->tasks, d->session);
	rc = head_gather(&d->head, d->session, &d->tasks, d->options->codec, d->options->command,
		false, d->error);
	head_add_living(&d->head.meta, &d->head.tasks, until);
	meta_add_linef(&d->head.meta, "cut skew", "%llu ns", (unsigned long long)d->rings.skew_ns);
	if (d->keep.waited_ns)
		meta_add_linef(&d->head.meta, "cut wait", "%llu ns",
			(unsigned long long)d->keep.waited_ns);
	if (d->options->reason)
		dump_put_reason(d, d->options->reason);
	if (rc == 0 && d->head.meta.failed)
		rc = dump_fail_memory(d);
	d->head.minor = d->task_losses.all	? TF_VERSION_MINOR_TASKLOSS
			: dump_may_remark(d)	? TF_VERSION_MINOR_REMARKS
			: d->tasks.unplaced	? TF_VERSION_MINOR_CONTAINERS
			: d->head.labels	? TF_VERSION_MINOR_LABELS
			: has_causes(&d->rings) ? TF_VERSION_MINOR_CAUSES
						: TF_VERSION_MINOR;
	/* Writes the tasks before the hooks. */
	d->tasks.sealed = true;
	d->rings.tasks = &d->tasks;
	return rc;
}

/* ------------------------------------------------------------------------ the file */

static uint64_t index_entries(const struct dump *d)
{
	return d->rings.total * TF_INDEX_SIZE <= INDEX_BYTES_MAX ? d->rings.total : 0;
}

/* Computed before writing anything, because a pipe cannot seek back. */
static uint32_t dump_largest_raw(const struct dump *d)
{
	uint64_t sizes[] = {d->rings.total ? d->session->geometry.section_size : 0,
		(uint64_t)d->rings.rings * TF_LOSS_SIZE, REMARKS_MAX,
		task_losses_largest(&d->task_losses), index_entries(d) * TF_INDEX_SIZE};
	uint64_t largest = head_largest(&d->head);

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i] > largest)
			largest = sizes[i];
	return (uint32_t)largest;
}

static bool section_done(void *arg)
{
	struct dump *d = arg;

	d->done++;
	session_keep_beat(&d->keep);
	return keep_going(d);
}

static int write_hooks(struct dump *d)
{
	struct rings_section from;
	int rc;

	while ((rc = rings_next(&d->rings, &from, d->error)) == 1) {
		struct section s = {.payload = from.bytes,
			.head = {.type = TF_TYPE_HOOKS,
				.codec = d->options->codec,
				.raw = from.span.bytes,
				.ring = from.id,
				.hooks = from.span.hooks,
				.position = from.span.position,
				.first = from.span.first_stamp,
				.last = from.span.last_stamp,
				.lost = from.lost > UINT32_MAX ? UINT32_MAX : (uint32_t)from.lost,
				.torn = from.span.torn}};

		rc = section_write(&d->writer, &s, d->error);
		if (rc)
			return rc;
		d->result.sections++;
		d->result.hooks += s.head.hooks;
		d->result.torn += s.head.torn;
		if (!section_done(d))
			return session_fail(d->error, PU_FAILURE, "%s: interrupted", d->out.path);
	}
	return rc;
}

static void add_ledger(struct dump_result *result, const struct rings_ledger *ledger)
{
	for (int cause = 0; cause < SHM_LOSSES; cause++)
		result->loss[cause] += ledger->loss[cause];
	result->lost += shm_losses_sum(ledger->loss);
	result->overwritten += ledger->overwritten;
	result->torn += ledger->torn;
	result->there += ledger->sections;
	result->missed += ledger->missed;
	result->later += ledger->later;
	result->damaged += ledger->damaged;
}

/* Writes a CAUSES section of the rings with such losses. */
static int dump_write_causes(struct dump *d, uint8_t *entries)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->rings.rings; i++) {
		const uint64_t *loss = rings_losses(&d->rings, i);

		if (losses_have_causes(loss))
			losses_put_causes(entries + (size_t)n++ * TF_CAUSES_SIZE,
				ring_reader_id(&d->rings.reader, i), loss, 0);
	}
	return n ? head_write_plain(&d->writer, TF_TYPE_CAUSES, TF_CODEC_NONE, entries,
			   (size_t)n * TF_CAUSES_SIZE, d->error)
		 : 0;
}

static int dump_write_losses(struct dump *d)
{
	uint8_t *bytes = calloc(d->rings.rings + 1, TF_LOSS_SIZE);
	int rc = 0;

	_Static_assert((int)TF_CAUSES_SIZE == (int)TF_LOSS_SIZE, "one buffer is enough for both");
	if (!bytes)
		return dump_fail_memory(d);
	for (uint32_t i = 0; i < d->rings.rings && rc == 0; i++) {
		struct rings_ledger ledger;
		uint8_t *p = bytes + (size_t)i * TF_LOSS_SIZE;

		rc = rings_settle(&d->rings, i, &ledger, d->error);
		if (rc)
			break;
		losses_put(p, ledger.id, ledger.loss);
		put_le64(p + TF_LOSS_OVERWRITTEN, ledger.overwritten);
		put_le64(p + TF_LOSS_TORN, ledger.torn);
		add_ledger(&d->result, &ledger);
	}
	if (rc == 0)
		rc = head_write_plain(&d->writer, TF_TYPE_LOSS, TF_CODEC_NONE, bytes,
			(size_t)d->rings.rings * TF_LOSS_SIZE, d->error);
	if (rc == 0)
		rc = dump_write_causes(d, bytes);
	free(bytes);
	return rc;
}

/* How much of the cut the file has: known once all was read. */
static int dump_write_remarks(struct dump *d)
{
	const struct dump_result *r = &d->result;
	struct buffer t = {0};
	int rc = 0;

	if (!r->normal && r->there)
		meta_add_linef(&t, "cut kept", "%u of %u sections", r->there - r->missed, r->there);
	if (r->missed)
		meta_add_line(&t, "cut missed", session_keep_why(r->keep));
	if (dump_asks_before(d)) {
		d->result.before_ns = reach_before(d, d->options->reason);
		meta_add_linef(&t, "trigger before", "%llu of %llu ns",
			(unsigned long long)r->before_ns,
			(unsigned long long)d->options->reason->before_ns);
	}
	if (t.failed || t.n > REMARKS_MAX)
		rc = dump_fail_memory(d);
	else if (t.n)
		rc = head_write_plain(
			&d->writer, TF_TYPE_REMARKS, TF_CODEC_NONE, t.p, t.n, d->error);
	buffer_free(&t);
	return rc;
}

/* Before anything slow that needs no ring: another dump may wait for them. */
static void dump_release_rings(struct dump *d)
{
	rings_close(&d->rings);
	session_keep_end(&d->keep);
}

static int write_all(struct dump *d)
{
	uint32_t max_raw = dump_largest_raw(d);
	int rc = section_writer_open(&d->writer, &d->out, max_raw, index_entries(d), d->error);

	uint8_t id[TRACE_ID_SIZE];
	uint32_t labels;

	if (rc == 0)
		rc = head_trace_id(id, d->error);
	if (rc == 0)
		rc = head_write(&d->head, &d->writer, id, max_raw, &labels, d->error);
	if (rc == 0)
		rc = write_hooks(d);
	if (rc == 0)
		rc = dump_write_losses(d);
	if (rc == 0)
		rc = task_losses_write(&d->task_losses, NULL, false, &d->writer, d->options->codec,
			&d->tasks, d->error);
	if (session_keep_is_lost(&d->keep))
		d->result.keep = KEEP_LOST;
	if (rc == 0)
		rc = dump_write_remarks(d);
	dump_release_rings(d);
	if (rc == 0)
		rc = section_write_index(&d->writer, d->options->codec, d->error);
	if (rc == 0)
		rc = head_write_clock(&d->writer, d->session, d->error);
	if (rc == 0)
		rc = head_write_plain(&d->writer, TF_TYPE_END, TF_CODEC_NONE, NULL, 0, d->error);
	return rc;
}

static int write_file(struct dump *d)
{
	const struct dump_options *o = d->options;
	int rc = o->path ? output_open(&d->out, o->path, d->error)
			 : output_open_unnamed(&d->out, o->fd, d->error);

	if (rc)
		return rc;
	if (d->options->progress) {
		d->out.go_on = keep_going;
		d->out.go_on_arg = d;
	}
	if (d->keep.control)
		output_spool(&d->out);
	rc = write_all(d);
	if (rc == 0)
		rc = output_unspool(&d->out, d->error);
	section_writer_close(&d->writer);
	if (rc) {
		output_abandon(&d->out);
		return rc;
	}
	d->result.bytes = d->out.written;
	return output_finish(&d->out, d->error);
}

int dump_write(struct session *s, const struct dump_options *options, struct dump_result *result,
	struct session_error *error)
{
	struct dump d = {.session = s,
		.options = options,
		.error = error,
		.result.normal = s->geometry.mode == SHM_MODE_NORMAL};
	struct held_signals held;
	int rc = dump_gather_contents(&d);

	if (rc == 0) {
		signals_hold(&held);
		rc = write_file(&d);
		signals_let_go(&held);
	}
	if (result)
		*result = d.result;
	dump_release_rings(&d);
	head_free(&d.head);
	tasks_close(&d.tasks);
	task_losses_free(&d.task_losses);
	return rc;
}
