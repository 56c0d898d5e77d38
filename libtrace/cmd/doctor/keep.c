#include "keep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../dump/meta_lines.h"
#include "doctor.h"

static void keep_put_moment(struct buffer *t, const char *verb)
{
	char stamp[TIME_UTC_TEXT];

	if (time_utc(time_of_ns(time_ns_now(CLOCK_REALTIME)), 0, stamp))
		meta_add_linef(t, "doctor.time", "%s, by swtrace %s, uid %u", stamp, verb,
			(unsigned)geteuid());
}

/* A good finding needs no more than its text. */
static void keep_put_finding(struct buffer *t, const struct finding *n)
{
	static const char *const status[] = {"good", "note", "bad"};
	char key[80];

	snprintf(key, sizeof key, "doctor.%s", n->id);
	meta_add_linef(t, key, "%s: %s", status[n->status], n->text);
	if (n->status == FINDING_GOOD)
		return;
	snprintf(key, sizeof key, "doctor.%s.means", n->id);
	meta_add_line(t, key, n->meaning);
	snprintf(key, sizeof key, "doctor.%s.todo", n->id);
	meta_add_line(t, key, n->todo);
}

static void keep_findings(const char *verb, struct session *s)
{
	struct doctor_facts *m = calloc(1, sizeof *m);
	struct findings *f = calloc(1, sizeof *f);
	struct buffer t = {0};

	if (m && f) {
		doctor_gather_quickly(m, s);
		doctor_findings(f, m);
		meta_add_line(&t, "doctor", f->verdict);
		keep_put_moment(&t, verb);
		for (int i = 0; i < f->count; i++)
			keep_put_finding(&t, &f->list[i]);
		if (!t.failed)
			session_save_findings(s, (const char *)t.p, t.n);
	}
	buffer_free(&t);
	free(f);
	free(m);
}

/* A strict seccomp filter kills a process that calls perf_event_open: risk only a child. */
void doctor_keep(const char *verb, struct session *s)
{
	pid_t child = fork();

	if (child == 0) {
		keep_findings(verb, s);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}
