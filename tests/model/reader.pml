/*
 * reader.c, rings.c and drain_ring.c: a section's copy with two looks, the dump, the drain.
 */

#define READER_LOCALS \
	byte h, p, bytes, k, c, id, first[UNITS], second[UNITS], good, hooks, torns; \
	bool overwritten, held; \
	READER_KEEPS

/* mine: what this reader, a dump, has stored in keep; 0: nothing is kept for it. moved: of a copy,
 * its section's entry word is of another lap. */
#ifdef KEEPING
#define READER_KEEPS byte seen_entry, mine; bool moved
#define READ_CELL CELL_BY(seen_entry, p + k)
#define READS(e) seen_entry = e;
#ifdef F_AREA_IGNORED
#undef READ_CELL
#define READ_CELL CELL(p + k)
#endif
#define ELSEWHERE (mine != 0 && ((entry[SECTION_OF(p)] ^ seen_entry) & AREA))
#else
#define READER_KEEPS
#define READ_CELL CELL(p + k)
#define READS(e)
#define ELSEWHERE false
#endif

/* One cell's body and header into the copy: good is a bit a cell, whether they are what the
 * record reserved there wrote. */
inline copy_cell(cell)
{
	find_record(p + k, id);
	if
	:: id != 0 && body[cell] == id && (at[id] != p + k + 1 || hdr[cell] == id) ->
		good = good | (1 << k)
	:: else
	fi;
	id = 0
}

/* A record that the copy shows committed, with c as its control word. */
inline accept()
{
	find_record(p + k, id);
#ifdef GROUP
	/* Both records of a group, each with a control word of its own. */
	MUST(id == 0 || size_of[id] == 1 ||
		(SIZE(c) == 1 && (first[0] & first[1] & COMMITTED) && good == 3),
		group_at_once_or_never);
#else
	MUST(id == 0 || (SIZE(c) == size_of[id] && at[id] == p + k + 1), accepted_is_whole);
#endif
	MUST(id != 0 && state[id] == WHOLE, accepted_is_whole);
	MUST(good & (1 << k), accepted_is_whole);
	MUST(SIZE(c) == 1 || (good & 2), accepted_is_whole);
	hooks++
}

inline forget_looks()
{
	k = 0; good = 0;
	first[0] = 0; first[1] = 0; second[0] = 0; second[1] = 0
}

/* Parses the two looks up to `limit`: committed is what the first saw so. */
inline parse(limit)
{
	d_step {
		k = 0;
		do
		:: k >= bytes || p + k >= limit -> break
		:: else ->
			c = first[k];
			MUST(SIZE(c) != 0 && SIZE(c) <= bytes - k, reservation_publishes_length);
			if
			:: c & COMMITTED ->
				MUST(second[k] == c, committed_words_stand);
				if
				:: c & PAD
				:: else -> accept()
				fi
			:: else ->
				MUST((second[k] & COMMITTED) || SIZE(second[k]) == SIZE(c),
					committed_words_stand);
				torns++;
				held = held || !(c & ABANDONED)
			fi;
			k = k + SIZE(c)
		od;
		c = 0; id = 0;
		forget_looks()
	}
}

inline note_bytes()
{
	h = head;
	bytes = (h <= p -> 0 : (h - p < UNITS -> h - p : UNITS));
	h = 0
}

/* ring_reader_copy() of the section at position p, up to its parse. */
inline copy_section()
{
	d_step {
		hooks = 0; torns = 0; held = false; overwritten = false; bytes = UNITS;
#ifndef F_LATE_HEAD
		note_bytes()
#endif
	}
#ifndef F_ONE_LOOK
	do
	:: d_step { k < bytes -> first[k] = ctl[READ_CELL]; k++ }
	:: atomic { k == bytes -> k = 0; break }
	od;
#endif
	do
#ifdef F_ONE_LOOK
	/* A copy has no order: here bodies before control words. */
	:: d_step { k < bytes -> copy_cell(READ_CELL); k++ }
	:: atomic { k == bytes -> k = 0; break }
	od;
	do
	:: d_step { k < bytes -> first[k] = ctl[READ_CELL]; second[k] = first[k]; k++ }
#else
	:: d_step { k < bytes -> copy_cell(READ_CELL); second[k] = ctl[READ_CELL]; k++ }
#endif
	:: atomic { k == bytes -> k = 0; break }
	od;
	atomic {
		true;
		d_step {
#ifdef F_LATE_HEAD
			note_bytes();
#endif
			/* The guard. */
#ifndef F_NO_GUARD
			overwritten = bytes != 0 && PLAIN(entry[SECTION_OF(p)]) != p + 1 && !ELSEWHERE;
#endif
#ifdef TAKEOVER
			moved = bytes != 0 && PLAIN(entry[SECTION_OF(p)]) != p + 1;
#else
			if
			:: overwritten -> bytes = 0; forget_looks()
			:: else
			fi
#endif
		}
	}
#ifdef TAKEOVER
	atomic {
		true;
		d_step {
#ifndef F_KEEP_NOT_COMPARED
			overwritten = overwritten || (moved && (keep != mine || keep_by != me));
#endif
			moved = false;
			if
			:: overwritten -> bytes = 0; forget_looks()
			:: else
			fi
		}
	}
#endif
}

/*
 * One section, any one, at any time: nothing that a reader knows goes from one copy to the
 * next, so that what holds for one holds for all of a dump.
 */
#ifdef READER
proctype Reader()
{
	READER_LOCALS;

	do
	:: atomic { entry[0] != 0 && PLAIN(entry[0]) <= head ->
		p = PLAIN(entry[0]) - 1; READS(entry[0]) break }
	:: atomic { entry[1] != 0 && PLAIN(entry[1]) <= head ->
		p = PLAIN(entry[1]) - 1; READS(entry[1]) break }
	:: atomic { running == 0 -> goto finished }
	od;
	copy_section();
	parse(255);
	atomic { hooks = 0; torns = 0; held = false; overwritten = false; bytes = 0; p = 0;
		READS(0) }
finished:
	readers--
}
#endif

/* ------------------------------------------------------------------ the dump */

#ifdef DUMP
/*
 * The sections that hold something at one moment, that at which the section entered last in
 * before[] had been entered and none behind it; n: that section's totals. A section entered
 * since took the place of what before[] shows there, if only one lap lies between.
 */
inline list_parts()
{
	do
	:: do
		:: d_step { k < SECTIONS -> before[k] = entry[k];
			last = (PLAIN(entry[k]) > last -> PLAIN(entry[k]) : last);
			k++ }
		:: atomic { k == SECTIONS -> k = 0; break }
		od;
		/* Writers that came round to it meanwhile: once more. */
		atomic {
			again = (last != 0 && PLAIN(entry[SECTION_OF(last - 1)]) != last);
			n = (again || last == 0 -> 0 : over[COUNTS(last - 1)] + torn[COUNTS(last - 1)])
		};
		do
		:: d_step { k < SECTIONS ->
			listed[k] = entry[k];
#ifndef F_UNSTABLE_LIST
			if
			:: PLAIN(listed[k]) > last ->
				again = again || PLAIN(listed[k]) != (before[k] == 0 -> k * UNITS + 1 :
					PLAIN(before[k]) + RING);
				listed[k] = before[k]
			:: else
			fi;
#endif
			k++ }
		:: atomic { k == SECTIONS -> k = 0; h = head; break }
		od;
		atomic {
			if
			:: again -> again = false; last = 0; n = 0
			:: else -> d_step { before[0] = 0; before[SECTIONS - 1] = 0 }; break
			fi
		}
	od
}

/*
 * Every hook before the cut is in one place: handed out, or in the ledger of what is gone.
 * Writers that came round beyond the cut count too.
 */
inline settle_dump()
{
	atomic {
		k = 0;
		do
		:: k == SECTIONS -> break
		:: else ->
			n = n + (parts[k] == listed[k] -> got[k] : 0);
			k++
		od;
		k = 0;
		id = 1;
		do
		:: id > RECORDS -> break
		:: else ->
			if
			:: at[id] == 0
			:: at[id] != 0 && at[id] - 1 < cut -> k++
			:: at[id] != 0 && at[id] - 1 >= cut &&
				PLAIN(entry[SECTION_OF(at[id] - 1)]) != SECTION_START(at[id] - 1) + 1 -> c++
			:: else
			fi;
			id++
		od;
		MUST(n >= k && n <= k + c, ledger_of_dump_is_exact);
		n = 0; k = 0; c = 0; id = 0
	}
}

#ifdef KEEPING
#ifdef DUMP_KILLS
byte dump_kills = DUMP_KILLS;
#define MAY_BE_KILLED \
	if \
	:: atomic { dump_kills > 0 -> dump_kills-- } goto done \
	:: skip \
	fi
#else
#define MAY_BE_KILLED
#endif

/*
 * reader_store_keep(). Another dump takes the right at any time: more than the code, where the one
 * before has to stand still for some time. Then this one stores nothing more.
 */
inline store_keep(value)
{
#ifdef TAKEOVER
#ifdef F_KEEP_STORED
	atomic { keep = value; keep_by = me; mine = value };
#else
	/* Load and look are one step: were keep changed in between, the swap would only fail. */
	do
	:: atomic { keeper != me -> mine = 0; break }
	:: atomic { keeper == me -> old = keep; by = keep_by }
		if
		:: atomic { keep == old && keep_by == by ->
			keep = value; keep_by = me; mine = value; old = 0; by = 0; break }
		:: atomic { keep != old || keep_by != by -> old = 0; by = 0 }
		fi
	od
#endif
#else
	atomic { keep = value; mine = value }
#endif
}

/* ring_reader_keep(): half a ring more than there is, as writers go on until the list is made. An
 * entry behind its check now may become visible later, and cost its section: exempt. */
inline keep_ring()
{
	atomic { kept = head + RING / 2; exempt = 0 };
#ifdef F_RAISED_FIRST
	atomic { changes++; exempt = entering };
	store_keep(kept);
#else
	store_keep(kept);
	MAY_BE_KILLED;
#ifndef F_CHANGES_NOT_RAISED
	atomic { changes++; exempt = entering };
#endif
#endif
	MAY_BE_KILLED
}

/* ring_reader_keep_below(): what is entered behind the cut is not kept. */
inline keep_below()
{
	if
	:: atomic { mine != 0 -> skip }
		store_keep(cut);
		MAY_BE_KILLED;
		changes++;
		MAY_BE_KILLED
	:: atomic { mine == 0 -> skip }
	fi
}

#ifdef F_NONE_EXEMPT
#define EXEMPT false
#else
#define EXEMPT (exempt != 0 && SECTION_OF(exempt - 1) == i)
#endif

/* Writers stay in the areas where they are. */
inline let_go()
{
#if defined(TAKEOVER) && !defined(F_LETS_ANY_GO)
	atomic {
		if
		:: mine != 0 && keep == mine && keep_by == me -> keep = 0; keep_by = 0
		:: else
		fi
	};
#else
	keep = 0;
#endif
	MAY_BE_KILLED;
	changes++
}

/* Of the section at p: how many records it has below the cut, and of these committed by now. */
inline count_section(all, committed)
{
	d_step {
		all = 0; committed = 0; id = 1;
		do
		:: id > RECORDS -> break
		:: else ->
			if
			:: at[id] > p && at[id] <= p + UNITS && at[id] <= cut ->
				all++;
				committed = (state[id] == WHOLE -> committed + 1 : committed)
			:: else
			fi;
			id++
		od;
		id = 0
	}
}

/* Every record of one lap below the cut is in a section of the list. */
inline check_lap()
{
	d_step {
		id = 1;
		do
		:: id > RECORDS -> break
		:: else ->
			MUST(at[id] == 0 || at[id] > cut || SECTION_START(at[id] - 1) + RING <= cut ||
				PLAIN(parts[SECTION_OF(at[id] - 1)]) == SECTION_START(at[id] - 1) + 1,
				dump_has_one_lap);
			id++
		od;
		id = 0
	}
}

/* What was gone at the cut, and what was handed out, is what there was. */
inline settle_kept()
{
	d_step {
		k = 0;
		do
		:: k == SECTIONS -> break
		:: else -> n = n + got[k]; k++
		od;
		k = 0;
		id = 1;
		do
		:: id > RECORDS -> break
		:: else -> k = (at[id] != 0 && at[id] <= cut -> k + 1 : k); id++
		od;
		MUST(n == k, ledger_of_dump_is_exact);
		n = 0; k = 0; id = 0
	}
}
#endif

#ifdef TAKEOVER
#define IS_TAKEN (mine == 0 || keeper != me)
#else
#define IS_TAKEN false
#endif
#ifdef TAKEOVER
/* The fault needs a lap for each turn, all of them between Dump's cut and its copies: fewer states
 * until it is found. */
#ifdef F_KEEP_NOT_COMPARED
#define MAY_TAKE (keeper != 0 && head >= (TAKEOVER + 2 - turns) * RING)
#else
#define MAY_TAKE true
#endif

/*
 * Another dump, as far as it touches the rings: what it reads changes nothing. It has the right
 * before Dump, and goes on when Dump has taken it, or takes it from Dump; TAKEOVER times.
 */
proctype OtherDump()
{
	byte me, old, by, mine, value, turns = TAKEOVER;

	do
	:: atomic { turns == 0 || running == 0 -> me = 0; readers--; break }
	:: atomic { turns > 0 && MAY_TAKE -> turns--; keeper++; me = keeper; value = head + RING / 2 }
		store_keep(value);
		if
		:: atomic { mine == 0 -> goto next }
		:: atomic { mine != 0 -> changes++; value = head }
		fi;
		store_keep(value);
		if
		:: atomic { mine == 0 -> goto next }
		:: atomic { mine != 0 -> changes++ }
		fi;
		let_go();
next:		atomic { value = 0; mine = 0 }
	od
}
#endif

proctype Dump()
{
	READER_LOCALS;
	byte cut, n, last, i, before[SECTIONS], parts[SECTIONS], listed[SECTIONS], got[SECTIONS];
	bool again;
#ifdef KEEPING
	byte kept, exempt, gone, all, committed, turns = DUMP;
#ifdef TAKEOVER
	byte me, old, by;

take:
	atomic { keeper++; me = keeper };
#endif
dump:
#ifndef F_LIST_FIRST
	keep_ring();
#endif
#endif
	list_parts();
#ifdef F_LIST_FIRST
	keep_ring();
#endif
	atomic {
		/* What was written behind the moment's section is after the moment; before the first
		 * entry there is nothing. */
		cut = (last == 0 -> 0 : (h > last - 1 + UNITS -> last - 1 + UNITS : h))
	}
#if defined(KEEPING) && !defined(F_NOT_LOWERED)
	keep_below();
#endif
	atomic {
#ifdef KEEPING
		/* Writers went too far for what is listed to be kept. */
		if
		:: !IS_TAKEN && (cut > kept || head >= cut + RING - (SECTIONS > 1 -> UNITS : 0)) ->
			d_step { again = false; n = 0; last = 0; h = 0; cut = 0; listed[0] = 0;
				listed[SECTIONS - 1] = 0 };
			goto dump
		:: else
		fi;
		gone = n;
#endif
		n = 0; last = 0; h = 0;
		do
		:: i == SECTIONS -> break
		:: else ->
#ifdef KEEPING
			/* An entry that was begun at the cut and aborted. */
			listed[i] = (PLAIN(listed[i]) > cut -> 0 : listed[i]);
#endif
			parts[i] = listed[i]; listed[i] = 0; i++
		od;
		i = 0;
#ifdef KEEPING
		if
		:: !IS_TAKEN -> check_lap()
		:: else
		fi
#endif
	}
#ifdef F_LET_GO_FIRST
	let_go();
#endif
#ifdef F_KEEP_NOT_COMPARED
	readers == 1;
#endif
	do
	:: atomic { i < SECTIONS && parts[i] == 0 -> i++ }
	:: atomic { i < SECTIONS && parts[i] != 0 -> p = PLAIN(parts[i]) - 1;
		READS(parts[i])
#ifdef KEEPING
		count_section(all, committed)
#endif
		}
		copy_section();
		parse(cut);
		d_step {
#ifdef KEEPING
#ifndef NO_MEMORY
			MUST(!overwritten || EXEMPT || IS_TAKEN, kept_is_there);
#endif
			MUST(overwritten || (hooks + torns == all && hooks >= committed), kept_is_there);
			again = again || overwritten;
			all = 0; committed = 0;
#endif
			got[i] = hooks + torns;
			hooks = 0; torns = 0; held = false; overwritten = false; bytes = 0; p = 0;
			READS(0)
			i++
		}
	:: atomic { i == SECTIONS -> n = 0; break }
	od;
#ifdef KEEPING
	atomic {
		if
		:: !again -> n = gone; settle_kept(); goto settled
		:: else -> again = false; gone = 0
		fi
	}
#endif
#ifdef SETTLE
	list_parts();
	/* What is gone, less what was handed out of it, and what was handed out. */
	settle_dump();
#endif
#ifdef KEEPING
settled:
#ifndef F_LET_GO_FIRST
	let_go();
#endif
done:
	atomic {
		n = 0; last = 0; h = 0; cut = 0; i = 0; again = false;
		kept = 0; exempt = 0; gone = 0; mine = 0; READS(0)
		do
		:: i == SECTIONS -> break
		:: else -> parts[i] = 0; listed[i] = 0; got[i] = 0; i++
		od;
		i = 0;
		turns--;
		if
#ifdef TAKEOVER
		:: turns > 0 -> goto take
#else
		:: turns > 0 -> goto dump
#endif
		:: else -> readers--
		fi
	}
#else
	atomic {
		n = 0; last = 0; h = 0; cut = 0; i = 0;
		do
		:: i == SECTIONS -> break
		:: else -> parts[i] = 0; listed[i] = 0; got[i] = 0; i++
		od;
		i = 0;
		readers--
	}
#endif
}
#endif

/* ----------------------------------------------------------------- the drain */

#ifdef DRAIN
/* The section goes to the file: each of its hooks once. */
inline write_section()
{
	d_step {
		id = 1;
		do
		:: id > RECORDS -> break
		:: else ->
			if
			:: at[id] != 0 && at[id] - 1 >= p && at[id] - 1 < p + bytes ->
				MUST(!(delivered & (1 << id)), delivered_at_most_once);
				delivered = delivered | (1 << id)
			:: else
			fi;
			id++
		od;
		id = 0;
		drained = drained + hooks;
		drained_torn = drained_torn + torns;
		taken = p + bytes;
#ifdef DRAIN_KILLS
		file_end = taken
#endif
	}
}

#ifdef DRAIN_KILLS
proctype DrainKiller()
{
	do
	:: atomic { drain_kills > 0 && !drain_done -> drain_kills--; drain_dead = true }
		!drain_dead
	:: atomic { drain_kills == 0 || drain_done -> break }
	od
}
#endif

proctype Drain()
{
	READER_LOCALS;
	byte seen;
	bool last;

#ifdef DRAIN_KILLS
taken_up:
	{
#endif
	do
	:: atomic { !last && SECTION_START(head) > taken -> seen = head;
		MUST(seen <= released + RING, undrained_is_kept) }
more:
		if
		:: atomic { taken >= seen || (!last && SECTION_START(seen) <= taken) ->
			seen = 0; p = 0; if :: last -> break :: else -> goto round fi }
		:: atomic { else -> p = SECTION_START(taken) }
		fi;
		if
		/* Skipped: head is behind it, so no writer enters it any more. */
		:: atomic { entry[SECTION_OF(p)] != p + 1 ->
			taken = (p + UNITS < seen -> p + UNITS : seen) }
			goto release
		:: atomic { entry[SECTION_OF(p)] == p + 1 ->
#ifdef F_EARLY_RELEASE
			if :: p + UNITS <= seen -> released = p + UNITS :: else fi;
#endif
			skip }
		fi;
		copy_section();
		atomic {
			MUST(!overwritten && bytes != 0, drain_finds_its_sections);
			parse(255);
			if
			/* Left alone until they commit or the writers need it. */
			:: !last && held ->
				hooks = 0; torns = 0; held = false; bytes = 0; seen = 0; p = 0;
				goto round
			:: true
			fi;
			write_section();
			hooks = 0; torns = 0; held = false; bytes = 0
		}
release:	atomic {
			if
			:: SECTION_START(taken) > released -> released = SECTION_START(taken)
			:: else
			fi;
			goto more
		}
round:		skip
	/* Finish: tracing is off or all writers are gone; uncommitted records count as torn. */
	:: atomic { !last && (running == 0 || gate == 0) -> last = true; seen = head } goto more
	od;
	atomic { last = false; readers--;
#ifdef DRAIN_KILLS
		drain_done = true
#endif
	}
#ifdef DRAIN_KILLS
	} unless { drain_dead };
	/* Killed; who takes it up goes on where its file ends, or behind what it released. */
	atomic {
		if
		:: drain_dead ->
			drain_dead = false;
			d_step {
				h = 0; p = 0; bytes = 0; c = 0; id = 0; hooks = 0; torns = 0;
				overwritten = false; held = false; seen = 0; last = false;
				forget_looks();
#ifdef F_RESUME_FROM_RELEASED
				taken = released
#else
				taken = (file_end > released -> file_end : released)
#endif
			};
			goto taken_up
		:: else
		fi
	}
#endif
}
#endif
