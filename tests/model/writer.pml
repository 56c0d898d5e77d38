/*
 * reserve.c and rseq_x86_64.h: reserve, fill, commit; pad, skip, enter.
 *
 * A sequence takes `seq`, so that no other writer of this CPU is inside one; loads before it,
 * fill and commit are open to any writer (threads migrate). Its first store comes in the same
 * step as what it checked: an abort before that is as if it had not begun. Behind every other
 * store it may be aborted, with what it stored left in place, or its writer be killed. On a
 * guest ring the same steps are taken under the lock, and are never aborted.
 */

#ifdef GUEST
#define SEQ_BEGIN true
#define SEQ_END skip
#define ABORT false
#else
#define SEQ_BEGIN (seq == 0)
#define SEQ_END seq = 0
#ifdef ABORTS
byte aborts = ABORTS;
#define ABORT (aborts > 0) -> aborts--
#else
#define ABORT true
#endif
#endif
#define SEQ_TAKE seq = w + 1

/* One store of a sequence, or its abort. */
#define STORE(what) if :: d_step { what } :: atomic { ABORT -> SEQ_END; ENTERS_NOT goto forget } fi

#define HEAD_IS_NOT(h) (head != (h))
#ifdef F_STALE_ENTER
#define ENTER_REFUSES false
#else
#if defined(CHANGES) && defined(F_CHANGES_UNCHECKED)
#define ENTER_REFUSES (HEAD_IS_NOT(h) || entry[SECTION_OF(h)] != was)
#elif defined(CHANGES) && defined(F_ENTRY_UNCHECKED)
#define ENTER_REFUSES (HEAD_IS_NOT(h) || changes != since)
#elif defined(CHANGES)
#define ENTER_REFUSES (HEAD_IS_NOT(h) || changes != since || entry[SECTION_OF(h)] != was)
#else
#define ENTER_REFUSES HEAD_IS_NOT(h)
#endif
#endif
#ifdef F_STALE_PAD
#define PAD_REFUSES false
#else
#define PAD_REFUSES HEAD_IS_NOT(h)
#endif
#ifdef F_BLIND_SKIP
#define SKIP_REFUSES HEAD_IS_NOT(h)
#elif defined(CHANGES)
#define SKIP_REFUSES (HEAD_IS_NOT(h) || entry[SECTION_OF(h)] != was)
#else
#define SKIP_REFUSES (HEAD_IS_NOT(h) || entry[SECTION_OF(h)] == h + 1)
#endif

#ifdef DISCARD
#define COUNTED (!(c & PAD) && old + k >= from)
#else
#define COUNTED (!(c & PAD))
#endif
#ifdef F_SWAPPED_TERMS
#define OVERWRITTEN n_torn
#define TORN n_over
#else
#define OVERWRITTEN n_over
#define TORN n_torn
#endif

/* Bytes at that position, in that cell, up to n units, are about to be stored by a sequence. */
inline about_to_store(where, cell, n)
{
	MUST((where) >= head && (where) <= head + UNITS, stores_stay_near_head);
	MUST(owner[cell] == 0 || owner[cell] == id, live_record_never_overwritten);
	MUST((n) == 1 || owner[(cell) + 1] == 0 || owner[(cell) + 1] == id,
		live_record_never_overwritten)
}

/* head is about to become `to`. */
inline move_head(to)
{
	MUST((to) > head, head_never_goes_back);
	head = to
}

/* The head store that publishes record id at that position, in that cell. */
inline publish(where, cell)
{
#ifdef CLOCK
	MUST(stamp_at[cell] >= published, stamps_never_decrease);
	published = stamp_at[cell];
#endif
	at[id] = (where) + 1;
	size_of[id] = size;
	state[id] = RESERVED;
	owner[cell] = id;
	if
	:: size == 2 -> owner[(cell) + 1] = id
	:: else
	fi;
#ifdef KEEPING
	apart[id] = (cell) / RING;
	entering = 0;
#endif
	move_head((where) + size)
}

/* The header's store: thread, and a stamp not below the ring's last one. */
inline store_header(cell)
{
	hdr[cell] = id;
#ifdef CLOCK
	stamp_at[cell] = stamp;
	last_stamp = stamp
#endif
}

/* The clock does what it likes ... */
inline read_clock()
{
#ifdef CLOCK
	if
	:: clock < 2 -> clock++
	:: clock > 0 -> clock--
	:: true
	fi;
	stamp = clock
#else
	skip
#endif
}

/* ... the stamp does not: in the sequence, also where the clock was read before it. */
inline hold_stamp_up()
{
#if defined(CLOCK) && !defined(F_NO_CLAMP)
	if
	:: stamp < last_stamp -> stamp = last_stamp
	:: else
	fi
#else
	skip
#endif
}

/* Where head's record goes if its section was entered as e: head less its offset in the data. */
#define LAP_BY(e) (h - CELL_BY(e, h))
#ifdef KEEPING
#define LAP_FITS (h - lap == CELL(h) || h - lap == CELL(h) + RING)
#define CELL_AT_HEAD (h - lap)
#define ENTRY_AT_HEAD to
#define OLD_CONTENTS base
#define ENTERS entering = h + 1;
#define ENTERS_NOT entering = 0;
#else
#define LAP_FITS (lap == LAP_OF(h))
#define CELL_AT_HEAD CELL(h)
#define ENTRY_AT_HEAD (h + 1)
#define OLD_CONTENTS (SECTION_OF(p) * UNITS)
#define ENTERS
#define ENTERS_NOT
#endif

/*
 * Where an entry at h goes, whose section's entry word is c: on if it was begun, over the old
 * contents, or, if a dump keeps those, into the other area. Unless that has no memory.
 */
inline choose_area()
{
#ifdef KEEPING
	if
	:: PLAIN(c) == h + 1 || c == 0 || PLAIN(c) > below -> to = (h + 1) | (c & AREA)
#ifdef NO_MEMORY
	:: PLAIN(c) != h + 1 && c != 0 && PLAIN(c) <= below -> to = (h + 1) | (c & AREA)
#endif
#ifdef F_KEEP_UNSEEN
	:: else -> to = (h + 1) | (c & AREA)
#else
	:: PLAIN(c) != h + 1 && c != 0 && PLAIN(c) <= below -> to = (h + 1) | ((c & AREA) ^ AREA)
#endif
	fi;
	below = 0
#else
	skip
#endif
}

#ifdef NESTED
proctype Writer(byte w) provided (!interrupted || _pid != 1)
#else
proctype Writer(byte w)
#endif
{
	byte id, size, h, p, i, k, c, n_over, n_torn, control, end;
#ifdef CLOCK
	byte stamp;
#endif
#ifdef DISCARD
	byte from, old;
#define FORGET_START from = 0; old = 0;
#else
#define FORGET_START
#endif
#ifdef CHANGES
	byte since, was; /* changes, and the section's entry word, as they were checked */
#define FORGET_CHANGES since = 0; was = 0;
#else
#define FORGET_CHANGES
#endif
#ifdef KEEPING
	byte below, base, to; /* keep; where the old contents begin; the entry word to be stored */
#define FORGET_KEEP below = 0; base = 0; to = 0;
#else
#define FORGET_KEEP
#endif
#ifdef KEEP
	byte kept, kept_entry, kept_over, kept_torn; /* a section + 1; while it is walked, base counts */
#endif
#ifdef STEPS
	byte steps = STEPS;
	bool begun; /* an entry at h, by the time that the search began */
#endif

	{
#ifdef NESTED
	/* A handler begins where its thread is in no sequence: the signal aborts one. A guest
	 * ring's lock is no sequence. */
#ifdef GUEST
	atomic { true; interrupted = (w == 1 && !ended[0] -> true : interrupted) };
#else
	atomic { w != 1 || seq != 1; interrupted = (w == 1 && !ended[0] -> true : interrupted) };
#endif
	if
	:: atomic { w == 1 && ended[0] -> goto finished }
	:: atomic { else -> skip }
	fi;
#endif
	id = w * EACH;
next:
	atomic {
		size = 0; h = 0; p = 0; i = 0; k = 0; c = 0; n_over = 0; n_torn = 0; control = 0;
		end = 0;
		if
		:: id == (w + 1) * EACH || gate == 0 -> goto finished
		:: else -> id++
		fi;
		FORGET_START FORGET_CHANGES FORGET_KEEP
#ifdef KEEP
		kept = 0; kept_entry = 0; kept_over = 0; kept_torn = 0;
#endif
#ifdef STEPS
		steps = STEPS;
#endif
		if
#ifndef LONG_ONLY
		:: size = 1
#endif
#ifndef SHORT_ONLY
		:: size = 2
#endif
		fi
	}
#ifdef GUEST
	/* One compare-and-swap; a ring found taken is not waited for. */
	atomic {
		if
		:: seq == 0 -> seq = w + 1
		:: else -> size_of[id] = size; lost_guest = lost_guest + HOOKS(id); state[id] = LOST;
			goto next
		fi
	}
#endif
forget:
	atomic {
		h = 0; p = 0; i = 0; k = 0; c = 0; n_over = 0; n_torn = 0; control = 0; end = 0;
		FORGET_START FORGET_CHANGES FORGET_KEEP
#ifdef STEPS
		begun = false;
#endif
#ifdef CLOCK
		stamp = 0;
#endif
	}

	/* Reserve. Others' hooks may come between the clock and the sequence. */
#ifdef CLOCK
	atomic { read_clock() }
#endif
	atomic {
		SEQ_BEGIN;
		p = head - lap;
		if
		:: p >= CELLS || p % UNITS == 0 || p % UNITS + size > UNITS -> p = 0; goto switch
		:: else
		fi;
		hold_stamp_up();
		about_to_store(head, p, size);
#ifdef F_HEAD_FIRST
		publish(head, p)
	}
	ctl[p] = size;
	store_header(p);
#else
		ctl[p] = size;
		SEQ_TAKE
	}
	STORE(store_header(p));
	STORE(publish(head, p); SEQ_END);
#endif
	goto fill;

switch:
	/* Not inside a sequence: head may move at any time. */
	h = head;
	atomic {
		if
		:: h % UNITS == 0 -> goto enter
		:: else ->
			if
			:: !LAP_FITS ->
				MUST(head != h, lap_belongs_to_head);
				goto forget
			:: else
			fi
		fi;
		if
		:: size <= UNITS - h % UNITS -> goto forget
		:: else
		fi
	}
	/* Pad: its control word, then head on the boundary. */
	atomic {
		SEQ_BEGIN;
		if
		:: PAD_REFUSES -> goto forget
		:: else
		fi;
		about_to_store(h, CELL_AT_HEAD, 1);
		ctl[CELL_AT_HEAD] = (UNITS - h % UNITS) | PAD | COMMITTED;
		SEQ_TAKE
	}
	STORE(move_head(SECTION_START(h) + UNITS); SEQ_END);
	goto forget;

enter:
	/* The end of what may be entered unasked, then the counts of the section entered last. */
	atomic {
#if MODE == WRAP
		end = 255;
#elif MODE == NORMAL
		end = SECTION_START(start) + RING;
#else
		end = released + RING;
#endif
#ifdef CHANGES
		since = changes;
#endif
#if defined(KEEPING) && defined(F_KEEP_LOADED_FIRST)
		below = keep;
#endif
	}
	d_step {
#ifdef DISCARD
		from = start;
#endif
#ifdef KEEPING
#ifdef F_KEEP_LOADED_FIRST
		since = changes;
#else
		below = keep;
#endif
#endif
		i = 1;
		do
		:: i > SECTIONS || i * UNITS > h -> break
		:: else ->
			p = h - i * UNITS;
			if
			:: PLAIN(entry[SECTION_OF(p)]) == p + 1 ->
				n_over = over[COUNTS(p)];
				n_torn = torn[COUNTS(p)];
				break
			:: else -> i++
			fi
		od;
		i = 0; p = 0;
#ifdef STEPS
		/* Further on, if a hook stopped there; but an entry that was begun at head goes first,
		 * or a skip would be refused for ever. */
		begun = (PLAIN(entry[SECTION_OF(h)]) == h + 1);
		if
#ifdef F_SEARCH_PASSES_ENTRY
		:: search > h && search < h + RING -> i = (search - h) / UNITS
#else
		:: search > h && search < h + RING && PLAIN(entry[SECTION_OF(h)]) != h + 1 ->
			i = (search - h) / UNITS
#endif
		:: else
		fi
#endif
	}
look:
	atomic {
		p = h + i * UNITS;
		if
		:: i == SECTIONS || p + UNITS > end -> goto lose
		:: else
		fi;
#ifdef F_SKIP_TO_NOTHING
		if
		:: i != 0 -> goto skip_held
		:: else
		fi;
#endif
		c = entry[SECTION_OF(p)];
#ifdef CHANGES
		was = (i == 0 -> c : was);
#endif
#ifdef KEEPING
		if
		:: i == 0 -> choose_area()
		:: else
		fi;
		base = CELL_BY(c, p);
#endif
		k = 0;
		if
		:: PLAIN(c) == p + 1 ->
			n_over = over[COUNTS(p)];
			n_torn = torn[COUNTS(p)];
			c = 0;
			goto may_enter
		:: c == 0 -> goto may_enter
#ifdef F_LEAVES_UNCOUNTED
		:: i == 0 && c != 0 && PLAIN(c) != p + 1 && (to & AREA) != (c & AREA) -> c = 0; goto may_enter
#endif
		:: else ->
#ifdef DISCARD
			old = PLAIN(c) - 1;
#endif
#ifdef KEEP
			if
			:: kept == SECTION_OF(p) + 1 && kept_entry == c ->
				n_over = n_over + kept_over; n_torn = n_torn + kept_torn;
				c = 0;
				goto may_enter
			:: else
			fi;
			kept = 0; kept_entry = c; kept_over = n_over; kept_torn = n_torn;
#endif
#ifdef STEPS
			/* A hint that still is true saves the walk. */
			if
			:: held[SECTION_OF(p)] / UNITS == c &&
				(ctl[SECTION_OF(p) * UNITS + held[SECTION_OF(p)] % UNITS] &
					(COMMITTED | ABANDONED)) == 0 -> i++; c = 0; goto look
			:: else
			fi;
#endif
			c = 0
		fi
	}
	/* Survey: one control word after the other. */
	do
	:: atomic { k < UNITS ->
		c = ctl[OLD_CONTENTS + k];
		MUST((SIZE(c) != 0 && SIZE(c) <= UNITS - k) || head != h, old_sections_can_be_walked);
		if
		:: SIZE(c) == 0 || SIZE(c) > UNITS - k -> break
		:: else
		fi;
#ifndef F_NO_HELD_CHECK
		if
		:: (c & (COMMITTED | ABANDONED)) == 0 ->
#ifdef STEPS
			held[SECTION_OF(p)] = entry[SECTION_OF(p)] * UNITS + k;
#endif
			i++; k = 0; c = 0; goto look
		:: else
		fi;
#endif
#ifdef STEPS
		if
		:: steps == 0 -> search = p; i = 1; goto lose
		:: else -> steps--
		fi;
#endif
		if
		:: c & PAD
#ifdef DISCARD
		:: !(c & PAD) && old + k < from
#endif
		:: COUNTED && (c & COMMITTED) -> OVERWRITTEN++
		:: COUNTED && !(c & COMMITTED) -> TORN++
		fi;
		k = k + SIZE(c);
		c = 0 }
	:: atomic { k >= UNITS -> break }
	od;
#ifdef KEEP
	atomic {
		if
#ifdef F_KEEPS_WHAT_WAS_ENTERED
		:: true ->
#else
		:: head <= p ->
#endif
			kept = SECTION_OF(p) + 1;
			kept_over = n_over - kept_over; kept_torn = n_torn - kept_torn
		:: else -> kept_entry = 0; kept_over = 0; kept_torn = 0
		fi
	};
#endif
may_enter:
	atomic {
		k = 0; c = 0;
#ifdef KEEPING
		base = 0;
#endif
#ifdef STEPS
		begun = false;
#endif
		if
		:: i != 0 -> goto skip_held
		:: else
		fi
	}
	/* Enter: counts, lap, entry word, the record's first words, head. */
	atomic {
		SEQ_BEGIN;
		if
		:: ENTER_REFUSES -> goto forget
		:: else
		fi;
		read_clock();
		hold_stamp_up();
		over[COUNTS(h)] = n_over;
		ENTERS
		SEQ_TAKE
	}
	STORE(torn[COUNTS(h)] = n_torn; n_over = 0; n_torn = 0; end = 0; control = size);
#ifndef F_STALE_LAP
	STORE(lap = LAP_BY(ENTRY_AT_HEAD));
#endif
#ifndef F_LATE_ENTRY
	STORE(entry[SECTION_OF(h)] = ENTRY_AT_HEAD);
#endif
	STORE(about_to_store(h, CELL_BY(ENTRY_AT_HEAD, h), size);
		ctl[CELL_BY(ENTRY_AT_HEAD, h)] = control);
	STORE(store_header(CELL_BY(ENTRY_AT_HEAD, h)));
#ifdef F_LATE_ENTRY
	STORE(entry[SECTION_OF(h)] = ENTRY_AT_HEAD);
#endif
	STORE(p = CELL_BY(ENTRY_AT_HEAD, h); publish(h, p); SEQ_END; h = 0; control = 0;
		FORGET_CHANGES FORGET_KEEP);
	goto fill;

skip_held:
	/* Skip: nothing but head. */
	atomic {
		SEQ_BEGIN;
		if
		:: SKIP_REFUSES -> goto forget
		:: else -> move_head(p); goto forget
		fi
	}

lose:
	atomic {
#ifdef F_WAITS
		goto forget;
#endif
		size_of[id] = size;
		state[id] = LOST;
#ifdef STEPS
		search = (i == SECTIONS && search > h -> h : search);
		MUST(!begun || head != h, refused_only_for_a_reason);
		begun = false;
#endif
		if
		:: i == 0 -> lost_full = lost_full + HOOKS(id)
		:: else -> lost_held = lost_held + HOOKS(id)
		fi;
#if MODE == WRAP
		MUST(i != 0, refused_only_for_a_reason);
#endif
#ifdef GUEST
		seq = 0;
#endif
		goto next
	}

fill:
#ifdef GUEST
	seq = 0;
#endif
#ifdef F_EARLY_COMMIT
	atomic { ctl[p] = size | COMMITTED; state[id] = WHOLE };
#endif
	atomic { MUST(owner[p] == id, fill_lands_in_own_bytes); body[p] = id };
	if
	:: size == 1
	:: else ->
#ifdef GROUP
#ifdef F_GROUP_IN_PIECES
		ctl[p] = 1 | COMMITTED;
#endif
		d_step { MUST(owner[p + 1] == id, fill_lands_in_own_bytes); ctl[p + 1] = 1 | COMMITTED };
		hdr[p + 1] = id;
#endif
		d_step { MUST(owner[p + 1] == id, fill_lands_in_own_bytes); body[p + 1] = id };
	fi;
	/* Commit: the release-store. */
	atomic {
		MUST(owner[p] == id, fill_lands_in_own_bytes);
#ifdef GROUP
		ctl[p] = 1 | COMMITTED;
#else
		ctl[p] = size | COMMITTED;
#endif
		state[id] = WHOLE;
		owner[p] = 0;
		if
		:: size == 2 -> owner[p + 1] = 0
		:: else
		fi;
		goto next
	}
finished:
	atomic {
		id = 0; size = 0; ended[w] = true; running--;
#ifdef NESTED
		interrupted = (w == 1 -> false : interrupted)
#endif
	}
	} unless { dead[w] }
}
