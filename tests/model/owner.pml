/*
 * Who kills; the owner's commands: off, and giving back what the dead hold (table.c); and
 * the judge, who adds everything up when all is quiet.
 */

#if KILLS > 0
byte kills = KILLS;

inline kill(w)
{
	d_step { kills > 0 && !dead[w] && !ended[w] ->
		kills--;
		dead[w] = true;
		running--;
#ifndef GUEST
		/* The kernel aborts what it interrupts; a guest ring's lock stays. */
#ifdef KEEPING
		entering = (seq == w + 1 -> 0 : entering);
#endif
		seq = (seq == w + 1 -> 0 : seq);
#endif
		victim = w * EACH + 1;
		do
		:: victim > (w + 1) * EACH -> break
		:: else ->
			if
			:: state[victim] == RESERVED ->
				state[victim] = CUT;
				owner[CELL_OF(victim)] = 0;
				owner[CELL_OF(victim) + size_of[victim] - 1] = 0
			:: else
			fi;
			victim++
		od;
		victim = 0
	}
}

proctype Killer()
{
	byte victim;

	do
#ifdef NESTED
	/* A thread and its handler die together. */
	:: atomic { kills > 0 && !dead[0] && !ended[0] && !ended[1] -> kills++; kill(0); kill(1);
		interrupted = false }
#else
	:: kill(0)
	:: kill(1)
#endif
#if WRITERS > 2
	:: kill(2)
#endif
	:: running == 0 -> break
	od
}

#ifndef NO_RECLAIM
/* session_reclaim(): one section's dead records are marked. */
proctype Reclaim()
{
	byte s, e, k, c, id, h;
	bool once, last;

	do
	:: atomic { !once && running > 0 -> once = true }
walk:
#ifdef GUEST
		/* Its holder was read, then proven dead: it stays what it was. */
		atomic {
			if
			:: seq != 0 && dead[seq - 1] -> seq = 0
			:: else
			fi
		}
#endif
		do
		:: atomic { s == SECTIONS -> s = 0; break }
		:: atomic { s < SECTIONS -> h = head }
			atomic { e = entry[s];
				if
				:: e == 0 || PLAIN(e) > h -> e = 0; s++; goto walk_on
				:: else -> h = (h - (PLAIN(e) - 1) < UNITS -> h - (PLAIN(e) - 1) : UNITS)
				fi }
			do
			:: atomic { k >= h -> break }
			:: atomic { k < h ->
				/* From a copy, checked as the reader's. */
				c = ctl[CELL_BY(e, s * UNITS + k)];
				id = hdr[CELL_BY(e, s * UNITS + k)];
				if
				:: entry[s] != e || SIZE(c) == 0 -> break
				:: else
				fi }
				if
#ifdef F_RECLAIM_FROM_START
				:: atomic { PLAIN(e) - 1 + k < start -> k = k + SIZE(c); goto looked }
#endif
				:: atomic { c & (COMMITTED | ABANDONED) -> k = k + SIZE(c) }
				:: atomic { !(c & (COMMITTED | ABANDONED)) && id == 0 -> break }
				:: atomic { !(c & (COMMITTED | ABANDONED)) && id != 0 ->
#ifndef F_NO_PROOF
					if
					:: !dead[WRITER_OF(id)] -> k = k + SIZE(c); goto looked
					:: else
					fi;
#endif
					skip }
#ifndef F_NO_SECOND_LOOK
					if
					:: atomic { ctl[CELL_BY(e, s * UNITS + k)] != c || hdr[CELL_BY(e, s * UNITS + k)] != id ->
						break }
					:: else
					fi;
					if
					:: atomic { entry[s] != e -> break }
					:: else
					fi;
#endif
					d_step {
						MUST(state[id] == CUT && CELL_OF(id) == CELL_BY(e, s * UNITS + k) &&
							ctl[CELL_BY(e, s * UNITS + k)] == c, only_the_dead_are_abandoned);
						ctl[CELL_BY(e, s * UNITS + k)] = c | ABANDONED;
						k = k + SIZE(c)
					}
				fi;
looked:				atomic { c = 0; id = 0 }
			od;
			atomic { s++ }
walk_on:		atomic { e = 0; k = 0; c = 0; id = 0; h = 0 }
		od;
		if
		:: last -> break
		:: else
		fi
	:: atomic { running == 0 -> last = true; once = false; goto walk }
	od;
	atomic { last = false; readers-- }
}
#endif
#endif

#ifdef DISCARD
/* The ring's totals, of the section entered last: those from which on hooks count. */
inline read_base()
{
	do
	:: d_step { k < SECTIONS ->
		if
		:: PLAIN(entry[k]) > last ->
			last = PLAIN(entry[k]);
			n_over = over[COUNTS(last - 1)];
			n_torn = torn[COUNTS(last - 1)]
		:: else
		fi;
		k++ }
	:: atomic { k == SECTIONS -> k = 0; break }
	od
}

/* ring_reader_discard(): start first, then the totals as their zero. */
proctype Discard()
{
	byte h, k, last, n_over, n_torn;

again:
	atomic { h = head; last = 0; n_over = 0; n_torn = 0 };
#ifdef F_BASE_FIRST
	read_base();
	atomic { start = h };
	changes++;
#else
	atomic { start = h };
	changes++;
	/* Who compared changes before may be storing an entry still. */
	atomic { seq == 0 || head % UNITS != 0 };
	read_base();
	if
	/* Writers came round to the new start: no zero of it any more. */
	:: atomic { last > SECTION_START(h) + RING -> goto again }
	:: atomic { else -> skip }
	fi;
#endif
	atomic { over_base = n_over; torn_base = n_torn; h = 0; last = 0; n_over = 0; n_torn = 0;
		readers-- }
}
#endif

#ifdef OFF
proctype Off()
{
	gate = 0
}
#endif

/* ----------------------------------------------------------------- judgement */

/* Walks what the ring holds from position `from` on: hooks, torn, and who is still held. */
inline judge_section(s, from)
{
	p = PLAIN(entry[s]) - 1;
	k = 0;
	do
	:: k >= UNITS || p + k >= head -> break
	:: else ->
		c = ctl[CELL_BY(entry[s], s * UNITS + k)];
		MUST(SIZE(c) != 0 && SIZE(c) <= UNITS - k, reservation_publishes_length);
#if KILLS > 0 && !defined(NO_RECLAIM)
		MUST(c & (COMMITTED | ABANDONED), held_sections_come_back);
#endif
		find_record(p + k, id);
		if
		:: c & PAD -> MUST(id == 0, ledger_of_ring_is_exact)
		:: !(c & PAD) && p + k >= from ->
			MUST(id != 0 && (state[id] == WHOLE) == ((c & COMMITTED) != 0),
				ledger_of_ring_is_exact);
			MUST(!(c & COMMITTED) || (hdr[CELL_BY(entry[s], s * UNITS + k)] == id &&
				body[CELL_BY(entry[s], s * UNITS + k)] == id),
				accepted_is_whole);
			hooks = (c & COMMITTED -> hooks + 1 : hooks);
			torns = (c & COMMITTED -> torns : torns + 1)
		:: else
		fi;
		k = k + SIZE(c)
	od
}

inline judge()
{
	d_step {
		s = 0; last = 0;
		since = (taken > start -> taken : start);
		do
		:: s == SECTIONS -> break
		:: else ->
			if
			:: entry[s] != 0 && PLAIN(entry[s]) <= head -> judge_section(s, since)
			:: else
			fi;
			if
			:: PLAIN(entry[s]) > last ->
				last = PLAIN(entry[s]);
				n_over = over[COUNTS(last - 1)] - over_base;
				n_torn = torn[COUNTS(last - 1)] - torn_base
			:: else
			fi;
			s++
		od;
		id = 1;
		do
		:: id > RECORDS -> break
		:: else ->
			if
			:: state[id] == LOST -> lost = lost + HOOKS(id)
			:: state[id] == WHOLE && at[id] > start -> whole = whole + HOOKS(id)
			:: state[id] == CUT && at[id] > start -> cut++
			:: else
			fi;
			id++
		od;
		MUST(lost == lost_full + lost_held + lost_guest, losses_are_exact);
#ifdef DRAIN
		/* It may take as torn what commits later: its terms are exact together. */
		MUST(whole + cut == hooks + torns + drained + drained_torn, ledger_of_drain_is_exact);
#else
		MUST(whole + cut == hooks + torns + n_over + n_torn, ledger_of_ring_is_exact);
#ifndef SUM_ONLY
		MUST(whole == hooks + n_over, overwritten_is_exact);
		MUST(cut == torns + n_torn, torn_is_exact);
#endif
#endif
#if MODE == NORMAL && !defined(DISCARD)
		MUST(n_over == 0 && n_torn == 0, full_ring_keeps_its_first_lap)
#endif
	}
}

init
{
	byte s, since, last, n_over, n_torn, p, k, c, id, hooks, torns, lost, whole, cut;

	atomic {
		run Writer(0);
#if WRITERS > 1
		run Writer(1);
#endif
#if WRITERS > 2
		run Writer(2);
#endif
#ifdef READER
		readers++; run Reader();
#endif
#ifdef DUMP
		readers++; run Dump();
#ifdef F_NO_LOCK
		readers++; run Dump();
#endif
#ifdef TAKEOVER
		readers++; run OtherDump();
#endif
#endif
#ifdef DRAIN
		readers++; run Drain();
#ifdef DRAIN_KILLS
		run DrainKiller();
#endif
#endif
#if KILLS > 0
		run Killer();
#ifndef NO_RECLAIM
		readers++; run Reclaim();
#endif
#endif
#ifdef DISCARD
		readers++; run Discard();
#endif
#ifdef OFF
		run Off();
#endif
		skip
	}
	running == 0 && readers == 0;
	judge()
}
