/*
 * Dumps while writers wrap around the ring and a section outlives its lap, because one of its
 * records is uncommitted: each hook begun before the cut is returned or counted, exactly once.
 */
#include "../../../libtrace/dump/rings.h"
#include "storm.h"

enum { SECTION = 4096, SECTIONS = 8 };

static struct session box;
static struct rings rings;
static uint32_t written, ring_id;

static void write_hook(void)
{
	struct hook_writer w;

	if (storm_reserve_counted(&w) != HOOK_RESERVED)
		die("a hook was lost");
	storm_fill_counted(&w, 0, written++);
}

static uint64_t ring_head(void)
{
	return box_ring(&box, ring_id).head;
}

static void write_until(uint64_t section)
{
	while (ring_head() / SECTION < section)
		write_hook();
}

static void start(void)
{
	box_open(&box, SHM_MODE_WRAP, SECTIONS * SECTION, SECTION);
	box_pin(0);
	write_hook();
	for (ring_id = 0; box_ring(&box, ring_id).head == 0; ring_id++)
		;
}

/* Hands the next n sections, or all that are left, to the dump. Returns the hooks in them. */
static uint64_t hand_out(uint32_t n)
{
	struct session_error e = {""};
	struct rings_section from;
	uint64_t hooks = 0;

	while (n-- && rings_next(&rings, &from, &e) == 1)
		hooks += from.span.hooks + from.span.torn;
	if (e.text[0])
		die("%s", e.text);
	return hooks;
}

static void check_ledger(const char *name, uint64_t handed, uint64_t begun, bool may_be_later)
{
	struct rings_ledger l;

	if (rings_settle(&rings, ring_id, &l, NULL) != 0)
		die("no ledger");
	uint64_t sum = handed + l.overwritten + l.torn;
	count_result(l.later ? may_be_later && sum >= begun : sum == begun, name,
		"%llu handed out, %llu overwritten, %llu torn%s; %llu begun",
		(unsigned long long)handed, (unsigned long long)l.overwritten,
		(unsigned long long)l.torn, l.later ? ", some later" : "",
		(unsigned long long)begun);
	rings_close(&rings);
	session_remove(&box);
	session_close(&box);
}

struct held_case {
	const char *name;
	bool is_held;
	uint32_t handed; /* sections returned before writers wrap twice */
	bool may_be_later;
};

/* With and without section 3 held. */
static void go_round(const void *arg)
{
	const struct held_case *c = arg;
	struct session_error e = {""};
	struct hook_writer w;
	uint64_t begun, handed;

	start();
	write_until(3);
	if (c->is_held && storm_reserve_counted(&w) != HOOK_RESERVED)
		die("a hook was lost");
	write_until(7);
	begun = written + c->is_held;
	if (rings_open(&rings, &box, NULL, &e) != 0)
		die("%s", e.text);
	handed = hand_out(c->handed);
	/* Wrap past the cut's section and on to the held one. */
	write_until(17);
	if (c->is_held)
		storm_fill_counted(&w, 1, 0);
	write_until(20);
	handed += hand_out(UINT32_MAX);
	check_ledger(c->name, handed, begun, c->may_be_later);
}

/* The section before the cut is held during the next lap: its counters outlive two laps of the
 * cut's section. */
static void go_round_held(const void *name)
{
	struct session_error e = {""};
	struct hook_writer w;
	uint64_t begun, handed;

	start();
	write_until(15);
	write_hook();
	begun = written;
	if (rings_open(&rings, &box, NULL, &e) != 0)
		die("%s", e.text);
	handed = hand_out(UINT32_MAX);
	write_until(22);
	write_hook();
	if (storm_reserve_counted(&w) != HOOK_RESERVED)
		die("a hook was lost");
	write_until(31);
	write_hook();
	check_ledger(name, handed, begun, false);
}

static int sandboxed_main(int argc, char **argv)
{
	static const struct held_case cases[] = {
		{"no section held", false, 0, false},
		{"no section held, four handed out", false, 4, false},
		{"a held section, overwritten before its turn", true, 0, true},
		{"a held section, handed out before", true, 4, false},
	};

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		scenario(go_round, &cases[i]);
	scenario(go_round_held, "a held section behind the cut");
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 60);
}
