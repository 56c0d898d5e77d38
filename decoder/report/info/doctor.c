#include "doctor.h"

#include <string.h>

#include "../../sink/escape.h"

#define DOCTOR_KEY "doctor"

enum doctor_status { DOCTOR_BAD, DOCTOR_NOTE, DOCTOR_GOOD, DOCTOR_STATUSES };

static const char *const doctor_words[DOCTOR_STATUSES] = {"bad", "note", "good"};

struct doctor_finding {
	struct trace_meta id;
	enum doctor_status status;
	struct trace_meta text;
	const struct trace_meta *means, *todo; /* NULL: none */
};

bool info_doctor_owns(const struct trace_meta *m)
{
	const size_t n = strlen(DOCTOR_KEY);

	return m->key_length >= n && memcmp(m->key, DOCTOR_KEY, n) == 0 &&
	       (m->key_length == n || m->key[n] == '.');
}

/* The line behind a finding's that says more of it. */
static const struct trace_meta *doctor_more(
	const struct trace_file *f, const struct trace_meta *m, const char *what)
{
	const size_t n = strlen(what);

	for (size_t i = (size_t)(m - f->meta) + 1; i < f->nmeta && i <= (size_t)(m - f->meta) + 2;
		i++) {
		const struct trace_meta *next = &f->meta[i];

		if (next->key_length == m->key_length + n &&
			memcmp(next->key, m->key, m->key_length) == 0 &&
			memcmp(next->key + m->key_length, what, n) == 0)
			return next;
	}
	return NULL;
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
			.id = {.value = m->key + before,
				.value_length = m->key_length - (uint32_t)before},
			.text = {.value = m->value + n + 2,
				.value_length = m->value_length - n - 2},
			.means = doctor_more(f, m, ".means"),
			.todo = doctor_more(f, m, ".todo")};
		return true;
	}
	return false;
}

static void doctor_write_more(struct report *r, const struct trace_meta *m, const char *name,
	struct out *(*line)(struct report *r, const char *name))
{
	if (!m)
		return;
	out_str(line(r, ""), name);
	escape_text(r->out, m->value, m->value_length);
	out_char(r->out, '\n');
}

static void doctor_write_status(const struct trace_file *f, struct report *r,
	enum doctor_status status, struct out *(*line)(struct report *r, const char *name))
{
	struct doctor_finding found;

	for (size_t i = 0; i < f->nmeta; i++) {
		if (!doctor_read(f, &f->meta[i], &found) || found.status != status)
			continue;
		out_str(line(r, DOCTOR_KEY), doctor_words[status]);
		out_str(r->out, status == DOCTOR_BAD ? "   " : "  ");
		escape_text(r->out, found.id.value, found.id.value_length);
		out_str(r->out, ": ");
		escape_text(r->out, found.text.value, found.text.value_length);
		out_char(r->out, '\n');
		doctor_write_more(r, found.means, "      means: ", line);
		doctor_write_more(r, found.todo, "      to do: ", line);
	}
}

void info_doctor_text(const struct trace_file *f, struct report *r,
	struct out *(*line)(struct report *r, const char *name))
{
	const char *verdict = trace_meta_value(f, DOCTOR_KEY);
	const char *time = trace_meta_value(f, DOCTOR_KEY ".time");

	if (!verdict) {
		out_str(line(r, DOCTOR_KEY),
			"n/a: the writer of the trace recorded no findings of swtrace doctor\n");
		return;
	}
	escape_text(line(r, DOCTOR_KEY), verdict, strlen(verdict));
	out_char(r->out, '\n');
	if (time) {
		escape_text(line(r, "doctor at"), time, strlen(time));
		out_char(r->out, '\n');
	}
	for (int status = 0; status < DOCTOR_STATUSES; status++)
		doctor_write_status(f, r, (enum doctor_status)status, line);
}

static void doctor_put_more(struct json *j, const char *key, const struct trace_meta *m)
{
	json_key(j, key);
	if (m)
		json_string(j, m->value, m->value_length);
	else
		json_null(j);
}

void info_doctor_json(const struct trace_file *f, struct json *j)
{
	const char *verdict = trace_meta_value(f, DOCTOR_KEY);
	struct doctor_finding found;

	json_key(j, "doctor");
	if (!verdict) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_member_text(j, "verdict", verdict);
	json_member_text(j, "time", trace_meta_value(f, DOCTOR_KEY ".time"));
	json_member_open(j, "findings", '[');
	for (size_t i = 0; i < f->nmeta; i++) {
		if (!doctor_read(f, &f->meta[i], &found))
			continue;
		json_open(j, '{');
		json_key(j, "id");
		json_string(j, found.id.value, found.id.value_length);
		json_member_text(j, "status", doctor_words[found.status]);
		json_key(j, "text");
		json_string(j, found.text.value, found.text.value_length);
		doctor_put_more(j, "meaning", found.means);
		doctor_put_more(j, "todo", found.todo);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}
