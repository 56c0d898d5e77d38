/*
 * info: shows the session, the contents of its rings, losses and their causes.
 */
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/text.h"
#include "../../include/perfutil.h"
#include "../core/clock_trust.h"
#include "../dump/losses.h"
#include "../dump/rings.h"
#include "../kernel/recorder.h"
#include "../ring/reader.h"
#include "info.h"

enum { INFO_JSON = 1 };
static const struct option options[] = {{INFO_JSON, "--json", .help = "one JSON object"}, {0}};

/* -------------------------------------------------------------------------- gathering */

static struct ring_info *by_id(struct info *i, uint32_t id)
{
	uint32_t cpus = i->session.geometry.cpus;

	return &i->ring[id < TF_GUEST_RING ? id : id - TF_GUEST_RING + cpus];
}

static uint64_t info_count_lost(const struct ring_info *r)
{
	return shm_losses_sum(r->loss);
}

/* Hooks that entered the rings or were lost before. */
static uint64_t info_count_attempted(const struct info *i)
{
	return i->sum.written + i->sum.hooks + i->sum.overwritten + info_count_lost(&i->sum) +
	       i->sum.torn + i->unwritten;
}

static void add_up(struct info *i)
{
	for (uint32_t k = 0; k < i->rings; k++) {
		const struct ring_info *r = &i->ring[k];

		i->sum.hooks += r->hooks;
		i->sum.bytes += r->bytes;
		i->sum.torn += r->torn;
		i->sum.overwritten += r->overwritten;
		i->sum.written += r->written;
		i->sum.damaged |= r->damaged;
		for (int c = 0; c < SHM_LOSSES; c++)
			i->sum.loss[c] += r->loss[c];
	}
	if (i->continuous)
		info_unwritten(i);
}

static int read_rings(struct info *i, struct session_error *error)
{
	struct rings rings;
	struct rings_section section;
	struct rings_ledger ledger;
	int rc = rings_open(&rings, &i->session, NULL, error);

	if (rc)
		return rc;
	i->rings = rings.rings;
	i->ring = calloc(i->rings, sizeof *i->ring);
	if (!i->ring) {
		snprintf(error->text, sizeof error->text, "table of rings: not enough memory");
		rings_close(&rings);
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	}
	while ((rc = rings_next(&rings, &section, error)) == 1) {
		struct ring_info *r = by_id(i, section.id);

		r->hooks += section.span.hooks;
		r->bytes += section.span.bytes;
		r->torn += section.span.torn;
		r->damaged |= section.span.damaged;
	}
	for (uint32_t k = 0; k < i->rings && rc == 0; k++) {
		rc = rings_settle(&rings, k, &ledger, error);
		i->ring[k].id = ledger.id;
		i->ring[k].overwritten = ledger.overwritten;
		i->ring[k].torn += ledger.torn;
		i->ring[k].damaged |= ledger.damaged;
		memcpy(i->ring[k].loss, ledger.loss, sizeof ledger.loss);
		if (i->continuous)
			info_drained(&i->ring[k], &rings.reader, i->session.generation, k);
	}
	rings_close(&rings);
	add_up(i);
	return rc;
}

static void count_tasks(struct info *i)
{
	struct session_task *tasks = NULL;

	i->tasks = session_tasks(&i->session, &tasks);
	i->alive = i->processes = i->tasks < 0 ? -1 : 0;
	for (int k = 0; k < i->tasks; k++) {
		i->alive += tasks[k].alive;
		i->processes += tasks[k].alive && tasks[k].leader;
	}
	free(tasks);
}

/* ----------------------------------------------------------------------------- text */

static void info_find_owner_names(const struct info *i, char owner[64], char group[64])
{
	const struct passwd *pw = getpwuid(i->session.location.owner);
	const struct group *gr = i->group == UINT32_MAX ? NULL : getgrgid(i->group);

	if (pw)
		snprintf(owner, 64, "%.60s", pw->pw_name);
	else
		snprintf(owner, 64, "%u", (unsigned)i->session.location.owner);
	if (gr)
		snprintf(group, 64, "%.60s", gr->gr_name);
	else if (i->group != UINT32_MAX)
		snprintf(group, 64, "%u", i->group);
	else
		group[0] = 0;
}

/* Which columns there are. */
enum {
	INFO_IS_RING = 1 << 0,
	INFO_IS_CONTINUOUS = 1 << 1,
	INFO_IS_NOT_CONTINUOUS = 1 << 2,
	INFO_HAS_CAUSES = 1 << 3
};

struct info_ring {
	struct ring_info r;
	const char *kind; /* NULL: the sum of all rings */
	uint32_t number;
};

static void info_spell_ring(struct out *o, const void *row)
{
	const struct info_ring *ring = row;

	if (ring->kind)
		out_printf(o, "%s %u", ring->kind, ring->number);
	else
		out_str(o, "all");
}

static void info_spell_damaged(struct out *o, const void *row)
{
	out_str(o, ((const struct info_ring *)row)->r.damaged ? " damaged" : "");
}

#define AT(member) COLUMN_AT(struct info_ring, member)
#define LOST(cause) COLUMN_AT(struct info_ring, r.loss[cause])
/* In continuous mode nothing is overwritten that was not written to the file first. */
static const struct column ring_columns[] = {
	{.heading = "ring", .text = info_spell_ring, .left = true, .width = 9},
	{"kind", AT(kind), .when = INFO_IS_RING},
	{"number", AT(number), .when = INFO_IS_RING},
	{"written", AT(r.written), .when = INFO_IS_CONTINUOUS},
	{"hooks", "hooks", AT(r.hooks), .width = 10},
	{"bytes", "bytes", AT(r.bytes), .width = 12},
	{"lost_full", "lost:full", LOST(SHM_LOST_FULL), .width = 9},
	{"lost_big", "too big", LOST(SHM_LOST_BIG), .width = 7},
	{"lost_held", "held", LOST(SHM_LOST_HELD), .width = 7},
	{"lost_no_guest", "no guest", LOST(SHM_LOST_NO_GUEST), .width = 8},
	{"overwritten", AT(r.overwritten)},
	{.heading = "overwritten", AT(r.overwritten), .when = INFO_IS_NOT_CONTINUOUS, .width = 11},
	{.heading = "written", AT(r.written), .when = INFO_IS_CONTINUOUS, .width = 11},
	{"torn", "torn", AT(r.torn), .width = 6},
	{"skipped_sections", LOST(SHM_SKIPPED)},
	{"damaged", AT(r.damaged)},
	{"lost_no_slot", "no slot", LOST(SHM_LOST_NO_SLOT), .when = INFO_HAS_CAUSES, .width = 7},
	{"lost_no_memory", "no memory", LOST(SHM_LOST_NO_MEMORY), .when = INFO_HAS_CAUSES,
		.width = 9},
	{"lost_unattached", "not attached", LOST(SHM_LOST_UNATTACHED), .when = INFO_HAS_CAUSES,
		.width = 12},
	{.heading = "", .text = info_spell_damaged, .left = true},
	{.name = NULL},
};

static bool is_empty(const struct ring_info *r)
{
	return !r->hooks && !r->written && !r->torn && !r->overwritten && !info_count_lost(r) &&
	       !r->damaged;
}

/* Text leaves out empty rings. */
static void info_write_rings(struct document *d, const struct info *i)
{
	const bool has_causes = d->j || losses_have_causes(i->sum.loss);
	const unsigned has = (i->continuous ? INFO_IS_CONTINUOUS : INFO_IS_NOT_CONTINUOUS) |
			     (has_causes ? INFO_HAS_CAUSES : 0);
	const struct info_ring all = {.r = i->sum};
	uint32_t empty = 0;

	d->title = "\n";
	for (document_begin_list(d, "rings", ring_columns, has | INFO_IS_RING); document_pass(d);) {
		for (uint32_t k = 0; k < i->rings; k++) {
			const struct ring_info *r = &i->ring[k];
			const bool is_guest = r->id >= TF_GUEST_RING;
			const struct info_ring row = {.r = *r,
				.kind = is_guest ? "guest" : "cpu",
				.number = is_guest ? r->id - TF_GUEST_RING : r->id};

			if (d->j || !is_empty(r))
				document_add_row(d, &row);
			else
				empty++;
		}
		if (document_is_text(d))
			document_add_row(d, &all);
	}
	if (empty)
		out_printf(d->o, "%u of %u rings are empty\n", empty, i->rings);
	if (!d->j)
		return;
	json_member_open(d->j, "total", '{');
	document_add(d, ring_columns, has, &all);
	json_member_u64(d->j, "attempted", info_count_attempted(i));
	json_close(d->j, '}');
}

static void info_write_ledger(struct out *o, const struct info *i)
{
	out_printf(o, "\nledger    %" PRIu64 " attempted = ", info_count_attempted(i));
	if (i->continuous)
		out_printf(o, "%" PRIu64 " written + ", i->sum.written);
	out_printf(o, "%" PRIu64 " in the buffers + ", i->sum.hooks);
	if (!i->continuous)
		out_printf(o, "%" PRIu64 " overwritten + ", i->sum.overwritten);
	if (i->unwritten)
		out_printf(o, "%" PRIu64 " unwritten + ", i->unwritten);
	out_printf(
		o, "%" PRIu64 " lost + %" PRIu64 " torn\n", info_count_lost(&i->sum), i->sum.torn);
	if (i->session.geometry.mode == SHM_MODE_NORMAL && i->sum.loss[SHM_LOST_FULL])
		out_printf(o,
			"full      kept the first %" PRIu64 " hooks, lost %" PRIu64
			": " FILLED_ADVICE "\n",
			i->sum.hooks, i->sum.loss[SHM_LOST_FULL]);
}

static void print_clock(const struct info *i)
{
	const struct shm_geometry *g = &i->session.geometry;
	char text[128];

	printf("clock     %s\n", clock_name(g->clock));
	if (!i->has_clock_back || i->clock_back.entries == 0)
		return;
	clock_back_text(&i->clock_back, g, text, sizeof text);
	printf("          %s: a snapshot was restored or the machine migrated; stamps did not advance meanwhile (swtrace init starts again)\n",
		text);
}

static void info_print_switches(const struct info *i)
{
	const struct shm_kernel *k = &i->switches;

	if (i->records_switches)
		printf("switches  recorded by process %u on %u processor%s: ", k->pid, k->cpus,
			text_plural(k->cpus));
	else if (k->has_ended)
		printf("switches  recorded until tracing was off: ");
	else
		printf("switches  recorded until process %u was killed (swtrace on --switches records again): ",
			k->pid);
	printf("%llu, lost %llu records of the kernel\n", (unsigned long long)k->switches,
		(unsigned long long)k->lost);
	if (k->has_wakeups)
		printf("          who woke the threads: %llu wake-ups recorded\n",
			(unsigned long long)k->wakeups);
	else
		printf("          who woke the threads is not recorded (the command that began it said why)\n");
	if (k->wakeups_missing)
		printf("          the kernel withheld %llu wake-ups: those waits have no waker\n",
			(unsigned long long)k->wakeups_missing);
	if (k->dropped)
		printf("          %llu more did not fit into the trace buffers\n",
			(unsigned long long)k->dropped);
}

static void info_json_switches(struct json *j, const struct info *i)
{
	json_member_open(j, "switches", '{');
	json_member_u64(j, "pid", i->switches.pid);
	json_member_bool(j, "running", i->records_switches);
	json_member_bool(j, "killed", !i->records_switches && !i->switches.has_ended);
	json_member_u64(j, "cpus", i->switches.cpus);
	json_member_u64(j, "recorded", i->switches.switches);
	json_member_u64(j, "lost", i->switches.lost);
	json_member_u64(j, "dropped", i->switches.dropped);
	json_member_count(j, "wakeups", i->switches.has_wakeups, i->switches.wakeups);
	json_member_u64(j, "wakeups_not_handed_over", i->switches.wakeups_missing);
	json_close(j, '}');
}

static void info_print_text(const struct info *i)
{
	const struct shm_geometry *g = &i->session.geometry;
	struct print_stream stream;
	struct document *d;
	char owner[64], group[64];

	info_find_owner_names(i, owner, group);
	printf("session   %s (%s), owner %s", i->session.location.dir, i->session.location.why,
		owner);
	printf(group[0] ? ", group %s\n" : ", only the owner may trace\n", group);
	printf("tracing   %s\n", cmd_state_name(i->state));
	printf("majors    %u of %d enabled\n", i->majors, SHM_MAJORS);
	if (i->state == SHM_NO_RINGS)
		return;
	printf("mode      %s\n", cmd_mode_name(g->mode));
	printf("buffers   %u processors and %u guests, %llu KiB each: %u sections of %u KiB\n",
		g->cpus, g->guests, (unsigned long long)g->ring_size >> 10, g->sections,
		g->section_size >> 10);
	if (i->session.control->made_up)
		printf("          the number of processors is made up (SWTRACE_TEST_CPUS)\n");
	printf("memory    ");
	if (i->has_allocated)
		printf("%llu KiB in use, ", (unsigned long long)i->allocated >> 10);
	printf("%llu KiB if the buffers fill\n", (unsigned long long)i->memory >> 10);
	if (i->events[0])
		printf("events    %s\n", i->events);
	if (i->session.control->begins)
		printf("begins    on: intervals have begin hooks\n");
	if (i->tasks >= 0)
		printf("tasks     %d alive in %d processes, %d in all\n", i->alive, i->processes,
			i->tasks);
	print_clock(i);
	if (i->switches.pid)
		info_print_switches(i);
	if (i->continuous)
		info_drain_text(i);
	else if (i->drain.config.path[0])
		printf("dump to   %s\n", i->drain.config.path);
	d = print_document_begin(&stream, stdout, false);
	info_write_rings(d, i);
	info_write_ledger(d->o, i);
	info_write_losses(d, i);
	print_document_end(&stream);
}

/* ----------------------------------------------------------------------------- JSON */

static void info_json_clock(struct json *j, const struct info *i)
{
	const struct clock_back *b = &i->clock_back;

	json_member_text(j, "clock", clock_name(i->session.geometry.clock));
	json_key(j, "clock_back");
	if (!i->has_clock_back) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_member_u64(j, "section_entries", b->entries);
	json_member_u64(j, "most_ticks", b->most);
	json_key(j, "most_seconds");
	json_general(j, clock_back_seconds(b, &i->session.geometry), 9);
	json_close(j, '}');
}

static void info_json_buffers(struct json *j, const struct info *i)
{
	const struct shm_geometry *g = &i->session.geometry;
	bool has_file = !i->continuous && i->drain.config.path[0];
	struct document d = {.j = j};

	json_member_text(j, "mode", cmd_mode_name(g->mode));
	json_member_u64(j, "generation", i->session.generation);
	json_member_u64(j, "cpus", g->cpus);
	if (i->session.control->made_up)
		json_member_bool(j, "cpus_made_up", true);
	json_member_u64(j, "guests", g->guests);
	json_member_u64(j, "ring_bytes", g->ring_size);
	json_member_u64(j, "section_bytes", g->section_size);
	json_member_u64(j, "sections", g->sections);
	json_member_u64(j, "memory_bytes", i->memory);
	json_member_count(j, "memory_used_bytes", i->has_allocated, i->allocated);
	if (i->events[0])
		json_member_text(j, "events", i->events);
	json_member_bool(j, "begins", i->session.control->begins != 0);
	json_member_u64(j, "ticks_per_second", g->ticks_per_second);
	json_member_open(j, "tasks", '{');
	json_member_count(j, "total", i->tasks >= 0, (uint64_t)i->tasks);
	json_member_count(j, "alive", i->alive >= 0, (uint64_t)i->alive);
	json_member_count(j, "processes_alive", i->processes >= 0, (uint64_t)i->processes);
	json_close(j, '}');
	info_json_clock(j, i);
	if (i->switches.pid)
		info_json_switches(j, i);
	json_member_text(j, "dump_file", has_file ? i->drain.config.path : NULL);
	if (i->continuous)
		info_drain_json(j, i);
	info_write_rings(&d, i);
	info_write_losses(&d, i);
}

static void info_print_json(const struct info *i)
{
	struct print_stream stream;
	struct json *j = print_document_begin(&stream, stdout, true)->j;

	json_member_text(j, "session", i->session.location.dir);
	json_member_text(j, "why", i->session.location.why);
	json_member_u64(j, "owner", i->session.location.owner);
	json_member_count(j, "group", i->group != UINT32_MAX, i->group);
	json_member_text(j, "state", cmd_state_name(i->state));
	json_member_u64(j, "majors_enabled", i->majors);
	if (i->state != SHM_NO_RINGS)
		info_json_buffers(j, i);
	print_document_end(&stream);
}

/* ----------------------------------------------------------------------------- verb */

/* The owner first reclaims what ended processes hold; other users only read. */
static int open_for_info(const struct verb *verb, struct session *s)
{
	struct session_location location;

	if (session_find(&location, NULL) == 0 && session_check(&location, NULL) == 0 &&
		session_open(s, &location, SESSION_CONTROL, NULL) == 0) {
		session_reclaim(s);
		session_close(s);
	}
	return cmd_open(verb, s, SESSION_READ);
}

/* The session may be another user's. */
static void info_copy_events(struct info *i)
{
	memcpy(i->events, i->session.control->events, sizeof i->events);
	i->events[sizeof i->events - 1] = 0;
	for (char *p = i->events; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}

static void info_gather_session(struct info *i)
{
	const struct shm_control *c = i->session.control;

	i->state = i->session.rings_fd < 0 ? SHM_NO_RINGS : c->state;
	i->group = c->group;
	for (int k = 0; k < SHM_MAJORS; k++)
		i->majors += c->majors[k] != 0;
	i->continuous = i->state != SHM_NO_RINGS && is_continuous(&i->session);
	if (i->continuous)
		info_drain(i);
	else if (i->state == SHM_NO_RINGS || drain_load(&i->session, &i->drain.config, NULL) != 0)
		i->drain.config.path[0] = 0;
	info_copy_events(i);
	i->memory = i->session.geometry.file_size + SHM_CONTROL_SIZE + SHM_TASKS_ALLOCATED +
		    sizeof(struct shm_schema_file) + SHM_PAGE;
	i->has_allocated = session_allocated(&i->session, &i->allocated);
	i->records_switches = kernel_recorder_is_running(&i->session, &i->switches);
	if (i->switches.generation != i->session.generation)
		i->switches = (struct shm_kernel){0};
	i->has_clock_back = session_clock_back(&i->session, &i->clock_back);
}

static int info_run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct session_error error = {"unknown error"};
	struct info i = {0};
	bool json = false;
	int id, rc = 0;

	while ((id = arguments_next(&a)))
		json = json || id == INFO_JSON;
	arguments_expect_no_operand(&a);
	int code = open_for_info(verb, &i.session);
	if (code)
		return code;
	info_gather_session(&i);
	if (i.state != SHM_NO_RINGS) {
		rc = read_rings(&i, &error);
		count_tasks(&i);
		info_read_losses(&i);
	}
	if (rc)
		code = cmd_fail(verb, "%s", error.text);
	else if (json)
		info_print_json(&i);
	else
		info_print_text(&i);
	free(i.ring);
	top_programs_free(&i.programs);
	session_close(&i.session);
	return code;
}

const struct verb verb_info = {"info", "info [--json]",
	"shows the session, the contents of its buffers and losses", options, info_run};
