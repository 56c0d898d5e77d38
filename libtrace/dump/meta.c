#include "meta.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/compare.h"
#include "../core/clock_trust.h"
#include "../core/proc_field.h"
#include "../../formats/base/text.h"
#include "../../formats/base/time_ns.h"
#include "../../formats/shm_source.h"
#include "../../formats/trace_file.h"
#include "../session/clock_back.h"

static void cpu_model(struct buffer *t)
{
	char model[512];

	if (proc_field_read("/proc/cpuinfo", "model name", model, sizeof model))
		meta_add_line(t, "cpu model", model);
}

static void meta_put_machine(struct buffer *t)
{
	struct utsname u;

	if (uname(&u) == 0) {
		meta_add_line(t, "host", u.nodename);
		meta_add_linef(t, "kernel", "%s %s %s", u.sysname, u.release, u.version);
		meta_add_line(t, "machine", u.machine);
	}
	cpu_model(t);
}

static void who_and_when(struct buffer *t)
{
	char names[1024], stamp[TIME_UTC_TEXT];
	struct passwd entry, *found = NULL;

	if (time_utc(time_of_ns(time_ns_now(CLOCK_REALTIME)), 0, stamp))
		meta_add_line(t, "dump time", stamp);
	getpwuid_r(geteuid(), &entry, names, sizeof names, &found);
	meta_add_linef(t, "dumped by", "%s (uid %u, pid %d)", found ? found->pw_name : "?",
		(unsigned)geteuid(), (int)getpid());
}

static void clock_lines(struct buffer *t, const struct session *s)
{
	struct clock_back back;
	char line[384];

	clock_describe(s->geometry.clock, line, sizeof line);
	meta_add_line(t, "clock", line);
	if (!session_clock_back(s, &back) || back.entries == 0)
		return;
	clock_back_text(&back, &s->geometry, line, sizeof line);
	meta_add_line(t, "clock back", line);
}

static const char *mode_name(uint32_t mode)
{
	switch (mode) {
	case SHM_MODE_WRAP:
		return "wrap";
	case SHM_MODE_CONTINUOUS:
		return "continuous";
	default:
		return "normal";
	}
}

/* The owner's, which tasks without an entry in CONTAINERS are in. */
static void meta_put_cgroup(struct buffer *t, const struct session *s)
{
	char name[SHM_CGROUP_TEXT_MAX + 1];

	name[session_read_cgroup(s, SHM_CGROUP_OWNER, name)] = 0;
	meta_add_line(t, "cgroup", name);
}

void meta_add_period(struct buffer *lines, const struct shm_control *c)
{
	meta_add_linef(lines, TF_META_PERIOD, "%llu", (unsigned long long)(uint32_t)c->period);
}

/*
 * The origin of positions and losses. Two files with the same rings hold the same hooks at the
 * same positions; with the same ledger, their losses are one running total.
 */
static void meta_add_rings(struct buffer *t, const struct shm_control *c)
{
	char id[2 * sizeof c->rings_id + 1];
	uint8_t any = 0;

	for (size_t i = 0; i < sizeof c->rings_id; i++)
		any |= c->rings_id[i];
	if (!any) /* made by an older version, or no random number was available */
		return;
	text_of_bytes(id, c->rings_id, sizeof c->rings_id);
	meta_add_line(t, "rings", id);
	meta_add_period(t, c);
	meta_add_linef(t, "ledger", "%llu", (unsigned long long)c->discards);
}

static int by_process(const void *a, const void *b)
{
	const struct session_task *x = a, *y = b;

	int c = compare_u64_pair(x->pid, y->pid, y->source, x->source);

	return c ? c : compare_u64(y->source_flags, x->source_flags);
}

/*
 * One line per process. If its threads differ (the source was chosen after the first hook, or
 * the process id was reused), names the source that measures most.
 */
static void counter_sources(struct buffer *t, const struct session_task *tasks, int ntasks)
{
	struct session_task *sorted = malloc((size_t)(ntasks ? ntasks : 1) * sizeof *sorted);

	if (!sorted) {
		t->failed = true;
		return;
	}
	if (ntasks)
		memcpy(sorted, tasks, (size_t)ntasks * sizeof *sorted);
	qsort(sorted, (size_t)ntasks, sizeof *sorted, by_process);
	for (int i = 0; i < ntasks; i++) {
		char key[32], name[256];

		if (i && sorted[i].pid == sorted[i - 1].pid)
			continue;
		snprintf(key, sizeof key, "counters.%u", sorted[i].pid);
		meta_add_line(t, key,
			shm_source_name(
				sorted[i].source, sorted[i].source_flags, name, sizeof name));
	}
	free(sorted);
}

/* The session's owner can edit the file: skip lines with a key of another kind. */
static void meta_put_findings(struct buffer *t, const struct session *s)
{
	static const char prefix[] = "doctor";
	char *lines, *line, *next = NULL;
	size_t length = session_read_findings(s, &lines);

	if (!length)
		return;
	lines[length - 1] = 0;
	for (line = strtok_r(lines, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
		char *colon = strstr(line, ": ");

		if (!colon || strncmp(line, prefix, sizeof prefix - 1) != 0)
			continue;
		*colon = 0;
		meta_clean_text(line);
		meta_add_line(t, line, colon + 2);
	}
	free(lines);
}

void meta_lines(struct buffer *t, const struct session *s, const struct session_task *tasks,
	int ntasks, const char *command)
{
	const struct shm_geometry *g = &s->geometry;

	meta_put_machine(t);
	meta_add_line(t, "writer version", "swtrace " SWTRACE_VERSION);
	meta_add_line(t, "mode", mode_name(g->mode));
	meta_add_linef(t, "ring size", "%llu", (unsigned long long)g->ring_size);
	meta_add_linef(t, "section size", "%u", g->section_size);
	clock_lines(t, s);
	meta_add_line(t, "session", s->location.dir);
	meta_put_cgroup(t, s);
	meta_add_rings(t, s->control);
	meta_add_line(t, "command", command);
	who_and_when(t);
	counter_sources(t, tasks, ntasks);
	meta_put_findings(t, s);
}
