#include "doctor.h"

#include <string.h>

#include "../../sink/escapes.h"

#define DOCTOR_KEY "doctor"

enum doctor_status { DOCTOR_BAD, DOCTOR_NOTE, DOCTOR_GOOD, DOCTOR_STATUSES };

static const char *const doctor_words[DOCTOR_STATUSES] = {"bad", "note", "good"};

struct doctor_finding {
	struct cell id, text, means, todo;
	enum doctor_status status;
	const char *word; /* of the status */
};

#define AT(member) COLUMN_AT(struct doctor_finding, member)
static const struct column doctor_columns[] = {
	{"id", AT(id)},
	{"status", AT(word)},
	{"text", AT(text)},
	{"meaning", AT(means)},
	{"todo", AT(todo)},
	{.name = NULL},
};

bool info_doctor_owns(const struct trace_meta *m)
{
	const size_t n = strlen(DOCTOR_KEY);

	return m->key_length >= n && memcmp(m->key, DOCTOR_KEY, n) == 0 &&
	       (m->key_length == n || m->key[n] == '.');
}

/* The line behind a finding's that says more of it. */
static struct cell doctor_more(
	const struct trace_file *f, const struct trace_meta *m, const char *what)
{
	const size_t n = strlen(what);

	for (size_t i = (size_t)(m - f->meta) + 1; i < f->nmeta && i <= (size_t)(m - f->meta) + 2;
		i++) {
		const struct trace_meta *next = &f->meta[i];

		if (next->key_length == m->key_length + n &&
			memcmp(next->key, m->key, m->key_length) == 0 &&
			memcmp(next->key + m->key_length, what, n) == 0)
			return cell_string(next->value, next->value_length, true);
	}
	return (struct cell){.kind = CELL_NONE};
}

/* `doctor.TOPIC.WHAT: STATUS: TEXT`. False: another line. */
static bool doctor_read(
	const struct trace_file *f, const struct trace_meta *m, struct doctor_finding *found)
{
	const size_t before = sizeof DOCTOR_KEY; /* and its dot */

	if (!info_doctor_owns(m) || m->key_length <= before)
		return false;
	for (int status = 0; status < DOCTOR_STATUSES; status++) {
		const uint32_t n = (uint32_t)strlen(doctor_words[status]);

		if (m->value_length < n + 2 || memcmp(m->value, doctor_words[status], n) != 0 ||
			memcmp(m->value + n, ": ", 2) != 0)
			continue;
		*found = (struct doctor_finding){.status = (enum doctor_status)status,
			.word = doctor_words[status],
			.id = cell_string(m->key + before, m->key_length - before, true),
			.text = cell_string(m->value + n + 2, m->value_length - n - 2, true),
			.means = doctor_more(f, m, ".means"),
			.todo = doctor_more(f, m, ".todo")};
		return true;
	}
	return false;
}

static void doctor_write_more(struct document *d, struct cell more, const char *name)
{
	if (more.kind == CELL_NONE)
		return;
	out_str(document_begin_line(d, ""), name);
	escape_text(d->o, more.s, more.len);
	out_char(d->o, '\n');
}

static void doctor_write_status(
	struct document *d, const struct trace_file *f, enum doctor_status status)
{
	struct doctor_finding found;

	for (size_t i = 0; i < f->nmeta; i++) {
		if (!doctor_read(f, &f->meta[i], &found) || found.status != status)
			continue;
		out_str(document_begin_line(d, DOCTOR_KEY), found.word);
		out_str(d->o, status == DOCTOR_BAD ? "   " : "  ");
		escape_text(d->o, found.id.s, found.id.len);
		out_str(d->o, ": ");
		escape_text(d->o, found.text.s, found.text.len);
		out_char(d->o, '\n');
		doctor_write_more(d, found.means, "      means: ");
		doctor_write_more(d, found.todo, "      to do: ");
	}
}

static void doctor_write_findings(struct document *d, const struct trace_file *f)
{
	struct doctor_finding found;

	for (document_begin_list(d, "findings", doctor_columns, 0); document_pass(d);)
		for (size_t i = 0; i < f->nmeta; i++)
			if (doctor_read(f, &f->meta[i], &found))
				document_add_row(d, &found);
}

struct doctor_verdict {
	const char *verdict, *time;
};

static const struct column verdict_columns[] = {
	{"verdict", "doctor", COLUMN_AT(struct doctor_verdict, verdict)},
	{"time", "doctor at", COLUMN_AT(struct doctor_verdict, time), .when = 1},
	{.name = NULL},
};

void info_write_doctor(struct document *d, const struct trace_file *f)
{
	const struct doctor_verdict row = {
		trace_meta_value(f, DOCTOR_KEY), trace_meta_value(f, DOCTOR_KEY ".time")};

	if (!row.verdict && d->j) {
		json_key(d->j, DOCTOR_KEY);
		json_null(d->j);
	} else if (!row.verdict) {
		out_str(document_begin_line(d, DOCTOR_KEY),
			"n/a: the writer of the trace recorded no findings of swtrace doctor\n");
	} else if (d->j) {
		json_member_open(d->j, DOCTOR_KEY, '{');
		document_add(d, verdict_columns, 1, &row);
		doctor_write_findings(d, f);
		json_close(d->j, '}');
	} else {
		document_add(d, verdict_columns, row.time != NULL, &row);
		for (int status = 0; status < DOCTOR_STATUSES; status++)
			doctor_write_status(d, f, (enum doctor_status)status);
	}
}

#undef AT
