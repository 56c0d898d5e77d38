/*
 * The ring protocol of libtrace/ring as implemented, for spin. What is modelled, what is not,
 * and which rule stands where in the code: README.md. Configurations and faults: run.sh.
 *
 * WRITERS writers write EACH records each to one ring of SECTIONS sections of two units. A
 * unit is a record's smallest size; a record has one or two. Positions count units and never
 * wrap. A byte that a writer stores is one of: control word, header (thread and stamp),
 * body. Each store of a sequence is a step, so that readers see them one by one.
 */

#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef EACH
#define EACH 2
#endif
#ifndef SECTIONS
#define SECTIONS 2
#endif
#ifndef KILLS
#define KILLS 0
#endif
#define UNITS 2
#define RING (SECTIONS * UNITS)
#define RECORDS (WRITERS * EACH)

#define WRAP 0
#define NORMAL 1
#define CONTINUOUS 2
#ifndef MODE
#define MODE WRAP
#endif

/* The control word. */
#define SIZE(c) ((c) & 3)
#define PAD 4
#define COMMITTED 8
#define ABANDONED 16

#define SECTION_OF(p) (((p) / UNITS) % SECTIONS)
#define SECTION_START(p) ((p) - (p) % UNITS)
#define LAP_OF(p) ((p) - (p) % RING)
#define CELL(p) ((p) % RING)
/* An entry word is position + 1, and AREA if the contents are in the second area: which cell
 * position p has then. */
#ifdef KEEPING
#define AREAS 2
#define AREA 128
#define PLAIN(e) ((e) & (AREA - 1))
#define CELL_BY(e, p) (((e) / AREA) * RING + CELL(p))
#else
#define AREAS 1
#define PLAIN(e) (e)
#define CELL_BY(e, p) CELL(p)
#endif
#define CELLS (AREAS * RING)
/* Where an entry at p keeps its counts: of the two sets, that of its lap's parity. */
#ifdef F_ONE_SET
#define COUNTS(p) (2 * SECTION_OF(p))
#else
#define COUNTS(p) (2 * SECTION_OF(p) + ((p) / RING) % 2)
#endif

/* ------------------------------------------------------ the shared memory */

byte head, lap, last_stamp;
byte ctl[CELLS], hdr[CELLS], body[CELLS];
byte entry[SECTIONS];
byte over[2 * SECTIONS], torn[2 * SECTIONS]; /* running totals */
byte lost_full, lost_held, lost_guest;
byte released; /* by the drain */
bit gate = 1;
#ifdef DISCARD
byte start, over_base, torn_base; /* the owner's */
#else
#define start 0
#define over_base 0
#define torn_base 0
#endif
#if defined(DISCARD) || defined(KEEPING)
#define CHANGES
byte changes; /* raised after start or keep */
#endif
#ifdef KEEPING
byte keep;     /* the owner's: contents below it stay where they are */
byte keep_by;  /* with it, in one word: the dump that stored it */
byte keeper;   /* the dump that may keep: its number */
byte entering; /* for judgement: position + 1 of an entry behind its check, before its end */
#endif
#ifdef STEPS
byte search;	     /* where a hook that had no steps left stopped looking */
byte held[SECTIONS]; /* hints: 2 * entry + unit of the first uncommitted record */
#endif
#ifdef NESTED
bool interrupted; /* writer 0, by its own signal handler, which is writer 1 */
#endif

/* Who is inside a restartable sequence on this CPU, writer + 1; a guest ring's lock word. */
byte seq;

#ifdef CLOCK
byte clock, stamp_at[CELLS], published;
#endif

/* -------------------------------------------- what happened: for judgement */

#define NOTHING 0
#define RESERVED 1
#define WHOLE 2 /* its writer has stored the final control word */
#define CUT 3	/* reserved, and its writer is dead */
#define LOST 4

bool dead[WRITERS], ended[WRITERS];
byte running = WRITERS; /* writers that neither finished nor died */
byte readers;		/* dump, drain */
byte state[RECORDS + 1], at[RECORDS + 1], size_of[RECORDS + 1]; /* by record; at: position + 1 */
byte owner[CELLS];	/* the living's uncommitted record that a cell belongs to */
#ifdef KEEPING
bool apart[RECORDS + 1]; /* by record: in the second area */
#define CELL_OF(id) (CELL(at[id] - 1) + (apart[id] -> RING : 0))
#else
#define CELL_OF(id) CELL(at[id] - 1)
#endif
byte delivered;		/* bits: records that the drain handed out */
byte drained, drained_torn, taken;
#ifdef DRAIN_KILLS
byte drain_kills = DRAIN_KILLS, file_end; /* how far the drain's file goes */
bool drain_dead, drain_done;
#endif

#define WRITER_OF(id) (((id) - 1) / EACH)
#ifdef GROUP
#define HOOKS(id) (size_of[id])
#else
#define HOOKS(id) 1
#endif

/* The invariants by name: never set, so that a violated assertion tells its own. */
hidden byte reservation_publishes_length, head_never_goes_back, stamps_never_decrease,
	stores_stay_near_head, live_record_never_overwritten, fill_lands_in_own_bytes,
	lap_belongs_to_head, old_sections_can_be_walked, accepted_is_whole, group_at_once_or_never,
	committed_words_stand, torn_is_counted_once, overwritten_is_exact, torn_is_exact, ledger_of_ring_is_exact,
	losses_are_exact,
	ledger_of_dump_is_exact, ledger_of_drain_is_exact, drain_finds_its_sections,
	delivered_at_most_once, only_the_dead_are_abandoned, held_sections_come_back,
	full_ring_keeps_its_first_lap, undrained_is_kept, refused_only_for_a_reason,
	kept_is_there, dump_has_one_lap;

#define MUST(condition, invariant) assert((condition) || invariant)

/* The record reserved at position p, or 0: a pad, or not reserved yet. */
inline find_record(p, id)
{
	id = 1;
	do
	:: id > RECORDS -> id = 0; break
	:: else ->
		if
		:: at[id] != 0 && at[id] <= (p) + 1 && (p) + 1 < at[id] + size_of[id] -> break
		:: else -> id++
		fi
	od
}

#include "writer.pml"
#include "reader.pml"
#include "owner.pml"
