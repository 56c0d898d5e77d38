/*
 * The task table (libtrace/session: slots, threads, proof, reclaim), for spin: who may write, whose
 * an uncommitted record is, and which slots come back. README.md names rules and faults, run.sh
 * runs them.
 *
 * LIVES processes of one thread each (EXIT: the first has a second thread) share SLOTS slots and
 * TIDS thread ids. A process claims a slot for itself and one for its thread, takes its lock, writes
 * a record and ends in order, or is killed at any step. The ring is CELLS cells that hold one record
 * each; a cell whose record is uncommitted and not abandoned is held. Each access to shared memory
 * is one step; an operation on a queue too, except with FINE, where each of its accesses is.
 */

#ifndef LIVES
#define LIVES 2
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define SLOTS 3
#define TIDS 2
#ifndef CELLS
#define CELLS 1
#endif

/* Slot kinds. */
#define FREE 0
#define CLAIMED 1
#define LIVE 2
#define ENDED 3
#define PROCESS 4

/* Numbers: slot index and sequence; 0 names none. */
#define NUMBER(index, sequence) ((sequence) * 4 + (index))
#define INDEX(n) ((n) % 4)
#define SEQUENCE(n) ((n) / 4)
#define PASSED 1 /* in a queue: taken before its giver stored the number */

/* ------------------------------------------------------ the shared memory */

byte kind[SLOTS], sequence[SLOTS], process_of[SLOTS], name_of[SLOTS];
byte used;
/* Two queues: given back by members, and by the owner's sweep. */
#define GIVEN 0
#define SWEPT 1
byte freed[2], reused[2], queue[2 * SLOTS];
/* By the kernel: the process that holds a slot's lock, + 1. */
byte lock[SLOTS];

#define NOTHING 0
#define RESERVED 1
#define WHOLE 2
#define ABANDONED 3
byte record[CELLS], writer[CELLS];
#ifdef OLD_RULES
byte clock, tid_of[SLOTS], first[SLOTS], writer_tid[CELLS], stamp[CELLS];
#endif

/* -------------------------------------------- what happened: for judgement */

bool dead[LIVES];
byte running = LIVES, kills = KILLS, killed;
byte life_of[CELLS];  /* whose record it is, + 1 */
byte tid_user[TIDS];  /* process + 1 */
byte started;		/* processes: in order, as they are alike */

#ifdef EXIT
bool detached, busy;
byte second; /* the second thread's number */
#endif

hidden byte only_the_dead_are_abandoned, held_records_come_back, names_are_right_or_absent,
	sweep_ends_only_the_dead, slot_stays_its_claimers, slots_come_back;

#define MUST(condition, invariant) assert((condition) || invariant)

/* ------------------------------------------------------------------ queues */

/* Tickets only count modulo the queue's size. */
inline normalize()
{
	if
	:: reused[GIVEN] >= SLOTS ->
		reused[GIVEN] = reused[GIVEN] - SLOTS;
		freed[GIVEN] = freed[GIVEN] - SLOTS
	:: else
	fi;
	if
	:: reused[SWEPT] >= SLOTS ->
		reused[SWEPT] = reused[SWEPT] - SLOTS;
		freed[SWEPT] = freed[SWEPT] - SLOTS
	:: else
	fi
}

#ifdef FINE
/* The number queued first, or 0: there is none, or its giver has not stored it. */
inline queue_take(out)
{
	atomic { q = (freed[SWEPT] - reused[SWEPT] > freed[GIVEN] - reused[GIVEN] -> SWEPT : GIVEN) };
	do
	:: atomic { freed[q] == reused[q] -> break }
	:: atomic { freed[q] != reused[q] -> ticket = reused[q] };
		if
		:: atomic { reused[q] != ticket -> ticket = 0 }
		:: atomic { reused[q] == ticket -> reused[q]++ };
			atomic {
				out = queue[q * SLOTS + ticket % SLOTS];
				queue[q * SLOTS + ticket % SLOTS] = 0
			};
			if
			:: out > PASSED
			:: else ->
				atomic {
					out = queue[q * SLOTS + ticket % SLOTS];
					queue[q * SLOTS + ticket % SLOTS] = (out == 0 -> PASSED : 0)
				}
			fi;
			break
		fi
	od;
	atomic { q = 0; ticket = 0 }
}

inline queue_put(which, number)
{
	atomic { old = number };
	do
	:: atomic { old == 0 -> break }
	:: atomic { old != 0 -> ticket = freed[which];
		freed[which]++ };
		atomic {
			q = queue[which * SLOTS + ticket % SLOTS];
			queue[which * SLOTS + ticket % SLOTS] = old
		};
		if
		:: atomic { q != PASSED -> old = q }
		:: atomic { q == PASSED ->
			/* Passed over: take the number back and queue it again, unless it was taken. */
			if
			:: queue[which * SLOTS + ticket % SLOTS] == old ->
				queue[which * SLOTS + ticket % SLOTS] = 0
			:: else -> old = 0
			fi }
		fi
	od;
	atomic { q = 0; ticket = 0 }
}
#else
/* Each in one step. */
inline queue_take(out)
{
	atomic {
		q = (freed[SWEPT] - reused[SWEPT] > freed[GIVEN] - reused[GIVEN] -> SWEPT : GIVEN);
		if
		:: freed[q] == reused[q]
		:: else ->
			out = queue[q * SLOTS + reused[q] % SLOTS];
			queue[q * SLOTS + reused[q] % SLOTS] = 0;
			reused[q]++
		fi;
		normalize();
		q = 0
	}
}

inline queue_put(which, number)
{
	atomic {
		queue[which * SLOTS + freed[which] % SLOTS] = number;
		freed[which]++;
		normalize()
	}
}
#endif

/* ------------------------------------------------------------------- slots */

/* A slot, CLAIMED; 0: none within two looks. */
inline claim_slot(number)
{
	atomic { look = 0 };
	do
	:: atomic { number != 0 || look == 2 -> break }
	/* Who is killed before it is CLAIMED leaks it, as when it is. */
	:: atomic { number == 0 && look < 2 && used < SLOTS ->
		kind[used] = CLAIMED; sequence[used] = 1;
		number = NUMBER(used, 1); used++; look++ }
	:: atomic { number == 0 && look < 2 && used == SLOTS -> look++ };
		queue_take(old);
		atomic {
			if
			:: old == 0
			:: old != 0 && kind[INDEX(old)] == ENDED && sequence[INDEX(old)] == SEQUENCE(old) ->
				kind[INDEX(old)] = CLAIMED;
				sequence[INDEX(old)]++;
				number = NUMBER(INDEX(old), sequence[INDEX(old)])
			:: else
			fi;
			old = 0
		}
	od;
	atomic { look = 0 }
}

inline fill_slot(number, id, process)
{
	d_step {
		MUST(kind[INDEX(number)] == CLAIMED && sequence[INDEX(number)] == SEQUENCE(number),
			slot_stays_its_claimers);
		process_of[INDEX(number)] = process;
		name_of[INDEX(number)] = p + 1;
#ifdef OLD_RULES
		tid_of[INDEX(number)] = id;
		clock++;
		first[INDEX(number)] = clock;
#endif
	}
}

inline publish_slot(number, what)
{
	atomic {
		MUST(kind[INDEX(number)] == CLAIMED && sequence[INDEX(number)] == SEQUENCE(number),
			slot_stays_its_claimers);
		kind[INDEX(number)] = what
	}
}

/* To ENDED by compare-and-swap, then into the queue: what the sweep was faster with is its. */
inline give_back(number)
{
	if
	:: atomic { kind[INDEX(number)] != ENDED && sequence[INDEX(number)] == SEQUENCE(number) ->
		kind[INDEX(number)] = ENDED };
		queue_put(GIVEN, number)
	:: atomic { else -> skip }
	fi
}

/* --------------------------------------------------------------- processes */

/* A hook: reserve, fill, commit. `number` 0: the thread has no slot. */
inline write_record(number, id)
{
	if
#ifndef F_SLOTLESS_WRITES
	:: atomic { number == 0 -> skip }
	:: atomic { number != 0 -> cell = 0;
#else
	:: atomic { true -> cell = 0;
#endif
		/* Any that is not held. */
		do
		:: cell == CELLS -> break
		:: cell < CELLS && record[cell] != RESERVED -> break
		:: cell < CELLS -> cell++
		od;
		if
		:: cell == CELLS
		:: else ->
			record[cell] = RESERVED;
			writer[cell] = number;
			life_of[cell] = p + 1;
#ifdef OLD_RULES
			writer_tid[cell] = id;
			clock++;
			stamp[cell] = clock
#endif
		fi };
		if
		:: atomic { cell == CELLS -> cell = 0 }
		:: atomic { cell < CELLS -> MUST(record[cell] == RESERVED, only_the_dead_are_abandoned);
			record[cell] = WHOLE; cell = 0 }
		fi
	fi
}

inline die(who)
{
	i = 0;
	do
	:: i == SLOTS -> break
	:: else -> lock[i] = (lock[i] == who + 1 -> 0 : lock[i]); i++
	od;
	i = 0;
	do
	:: i == TIDS -> break
	:: else -> tid_user[i] = (tid_user[i] == who + 1 -> 0 : tid_user[i]); i++
	od;
	i = 0;
	dead[who] = true;
	running--
}

proctype Process(byte p)
{
	byte tid, own, number, look, q, ticket, old, cell, i;

	{
	/* A thread id is used again once its thread is gone. */
	atomic {
		started == p && (tid_user[0] == 0 || tid_user[1] == 0);
		tid = (tid_user[0] == 0 -> 1 : 2);
		started++;
		tid_user[tid - 1] = p + 1
	}
	claim_slot(own);
	if
	:: atomic { own == 0 -> goto hook }
	:: atomic { own != 0 -> skip }
	fi;
	/* The lock before the slot is published: a process slot without it is a dead process's. */
	if
	:: atomic { lock[INDEX(own)] == 0 -> lock[INDEX(own)] = p + 1; fill_slot(own, 0, own) }
	:: atomic { lock[INDEX(own)] != 0 -> skip };
		/* Its last user has not dropped it yet: do without. */
		give_back(own);
		atomic { own = 0; goto hook }
	fi;
	publish_slot(own, PROCESS);
	claim_slot(number);
	if
	:: atomic { number == 0 -> skip }
	:: atomic { number != 0 -> skip };
		fill_slot(number, tid, own);
		publish_slot(number, LIVE)
	fi;
hook:
#ifdef EXIT
	if
	:: atomic { p == 0 && number != 0 -> run Second() }
	:: atomic { else -> skip }
	fi;
#endif
	write_record(number, tid);
	/* In order: threads first, then the process, then its lock. */
	if
	:: atomic { number == 0 -> skip }
	:: atomic { number != 0 -> skip };
		give_back(number);
		atomic { number = 0 }
	fi;
#ifdef EXIT
	if
	:: atomic { p == 0 -> detached = true };
		/* A thread in the middle of a hook keeps its slot, and so its process's. */
		if
		:: atomic { second == 0 && !busy -> skip }
#ifdef F_EXIT_ENDS_BUSY
		:: atomic { second != 0 -> skip };
#else
		:: atomic { busy -> goto gone }
		:: atomic { second != 0 && !busy -> skip };
#endif
			give_back(second);
			atomic { second = 0 }
		fi
	:: atomic { p != 0 -> skip }
	fi;
#endif
	if
	:: atomic { own == 0 -> skip }
	:: atomic { own != 0 -> skip };
#ifdef F_UNLOCK_FIRST
		atomic { lock[INDEX(own)] = 0 };
#endif
		give_back(own);
#ifndef F_UNLOCK_FIRST
		atomic { lock[INDEX(own)] = 0 };
#endif
		atomic { own = 0 }
	fi;
gone:
	true;
	d_step { tid = 0; own = 0; number = 0; die(p) }
	} unless { dead[p] };
	d_step { tid = 0; own = 0; number = 0; look = 0; q = 0; ticket = 0; old = 0; cell = 0; i = 0 }
}

#ifdef EXIT
/* The first process's other thread: it registers and writes while the first exits. */
proctype Second()
{
	byte p, look, q, ticket, old, cell, number, i;

	{
	/* Under attach's lock, which exit takes too: at once, as far as exit is concerned. */
	atomic {
		if
		:: detached || used == SLOTS -> goto gone
		:: else -> number = NUMBER(used, 1); used++;
			kind[INDEX(number)] = LIVE;
			sequence[INDEX(number)] = 1;
			process_of[INDEX(number)] = NUMBER(0, 1);
			name_of[INDEX(number)] = 1;
			second = number
		fi
	}
#ifdef F_BUSY_LATE
	atomic { !detached };
	atomic { busy = true };
#else
	atomic { busy = true };
	if
	:: atomic { detached -> goto leave }
	:: atomic { !detached -> skip }
	fi;
#endif
	write_record(number, 2);
leave:
	atomic { number = 0; busy = false }
	} unless { dead[0] };
gone:
	skip
}
#endif

#if KILLS > 0
proctype Killer()
{
	byte i;

	do
	:: d_step { kills > 0 && !dead[0] && started > 0 -> kills--; killed++; die(0) }
	:: d_step { kills > 0 && !dead[1] && started > 1 -> kills--; killed++; die(1) }
#if LIVES > 2
	:: d_step { kills > 0 && !dead[2] && started > 2 -> kills--; killed++; die(2) }
#endif
	:: atomic { kills == 0 || running == 0 -> break }
	od
}
#endif

/* ------------------------------------------------------- the owner's commands */

/* Whether the process of that number is dead, in is_dead. */
inline ask_process(number)
{
	if
	:: atomic { number == 0 -> is_dead = false }
	:: atomic { number != 0 && (sequence[INDEX(number)] != SEQUENCE(number) ||
			kind[INDEX(number)] == ENDED) -> is_dead = true }
	:: atomic { number != 0 && sequence[INDEX(number)] == SEQUENCE(number) &&
			kind[INDEX(number)] == CLAIMED -> is_dead = false }
	:: atomic { number != 0 && sequence[INDEX(number)] == SEQUENCE(number) &&
			kind[INDEX(number)] == PROCESS -> skip };
		atomic { is_dead = (lock[INDEX(number)] == 0) }
	fi
}

#ifdef OLD_RULES
/* By thread id: every slot of that thread id that registered before the record is a dead one's. */
#ifdef F_SNAPSHOT
#define SEEN(what) seen_##what
#else
#define SEEN(what) what
#endif
inline ask_writer()
{
	d_step {
		is_dead = false; found = false; i = 0;
		do
		:: i == SLOTS -> break
		:: else ->
			if
			:: SEEN(tid_of)[i] == id && (SEEN(kind)[i] == LIVE || SEEN(kind)[i] == ENDED) &&
				SEEN(first)[i] <= at ->
				s = SEEN(process_of)[i];
				if
				:: SEEN(kind)[i] == ENDED || sequence[INDEX(s)] != SEQUENCE(s) ||
					kind[INDEX(s)] == ENDED || lock[INDEX(s)] == 0 ->
					is_dead = (found -> is_dead : true)
				:: else -> is_dead = false
				fi;
				found = true;
#ifdef F_TID_ONLY
				MUST(record[c] != WHOLE || name_of[i] == life_of[c], names_are_right_or_absent)
#else
				skip
#endif
			:: else
			fi;
			i++
		od;
		i = 0; s = 0; found = false
	}
}
#else
/* By number: the slot is read after the record that names it. */
inline ask_writer()
{
	atomic {
#ifdef F_SNAPSHOT
		s = seen[INDEX(n)];
#else
		s = NUMBER(INDEX(n), sequence[INDEX(n)]);
#endif
		i = kind[INDEX(n)];
		MUST(n == 0 || s != n || i == CLAIMED || i == FREE || life_of[c] == name_of[INDEX(n)] ||
			writer[c] != n, names_are_right_or_absent);
		if
		:: s != n || i == ENDED || i == FREE -> is_dead = true; s = 0
		:: else -> is_dead = false; s = (i == LIVE -> process_of[INDEX(n)] : 0)
		fi;
		i = 0
	};
	if
	:: atomic { s == 0 -> skip }
	:: atomic { s != 0 -> skip };
		ask_process(s);
		atomic { s = 0 }
	fi
}
#endif

/* Marks the dead's records. */
inline reclaim()
{
	atomic { c = 0 };
	do
	:: atomic { c == CELLS -> c = 0; break }
	:: atomic { c < CELLS && record[c] == NOTHING -> c++ }
	:: atomic { c < CELLS && record[c] != NOTHING -> n = writer[c];
#ifdef OLD_RULES
		id = writer_tid[c];
		at = stamp[c];
#ifdef F_TID_ONLY
		at = 255;
#endif
#endif
		};
		ask_writer();
		if
		:: atomic { !is_dead -> skip }
		:: atomic { is_dead -> skip };
			/* Still there? Nothing but the dead's own record is. */
			d_step {
				if
				:: record[c] == RESERVED && writer[c] == n ->
					MUST(dead[life_of[c] - 1], only_the_dead_are_abandoned);
					record[c] = ABANDONED
				:: else
				fi
			}
		fi;
		atomic { n = 0; is_dead = false; c++ }
	od
}

/* Ends the slots of the dead and queues them, and what they ended and had not queued. */
inline sweep()
{
	atomic { c = 0 };
	do
	:: atomic { c == SLOTS -> c = 0; break }
	:: atomic { c < SLOTS && (kind[c] == FREE || kind[c] == CLAIMED) -> c++ }
	:: atomic { c < SLOTS && kind[c] != FREE && kind[c] != CLAIMED ->
		n = NUMBER(c, sequence[c]); i = kind[c]; s = process_of[c] };
		if
		:: atomic { i == ENDED ->
			/* Whether it is queued: the queues are read after the slots. */
			is_dead = !(queue[0] == n || queue[1] == n || queue[2] == n ||
				queue[3] == n || queue[4] == n || queue[5] == n);
			if
			:: is_dead
			:: else -> s = 0
			fi }
		:: atomic { i != ENDED -> skip }
		fi;
		ask_process(s);
		if
		:: atomic { !is_dead -> skip }
		:: atomic { is_dead && i == ENDED -> skip };
			queue_put(SWEPT, n)
#ifndef F_SWEEP_STALE
		/* Read again after the proof: its process may have ended in order before it. */
		:: atomic { is_dead && i != ENDED && (kind[c] != i || sequence[c] != SEQUENCE(n)) ->
			skip }
		:: atomic { is_dead && i != ENDED && kind[c] == i && sequence[c] == SEQUENCE(n) ->
			skip };
#else
		:: atomic { is_dead && i != ENDED -> skip };
#endif
			d_step {
				MUST(kind[c] == i && sequence[c] == SEQUENCE(n), sweep_ends_only_the_dead);
				kind[c] = ENDED;
				sequence[c] = SEQUENCE(n)
			};
			queue_put(SWEPT, n)
		fi;
		atomic { n = 0; i = 0; s = 0; is_dead = false; old = 0; c++ }
	od
}

#ifdef F_SNAPSHOT
inline take_snapshot()
{
	i = 0;
	do
	:: i == SLOTS -> break
	:: else ->
#ifdef OLD_RULES
		seen_kind[i] = kind[i]; seen_tid_of[i] = tid_of[i];
		seen_process_of[i] = process_of[i]; seen_first[i] = first[i];
#else
		seen[i] = NUMBER(i, sequence[i]);
#endif
		i++
	od;
	i = 0
}
#endif

proctype Owner()
{
	byte c, n, s, i, round, q, ticket, old;
	bool is_dead;
#ifdef OLD_RULES
	byte at, id;
	bool found;
#ifdef F_SNAPSHOT
	byte seen_kind[SLOTS], seen_tid_of[SLOTS], seen_process_of[SLOTS], seen_first[SLOTS];
#endif
#elif defined(F_SNAPSHOT)
	byte seen[SLOTS];
#endif

	do
	:: atomic { round < ROUNDS && running > 0 -> round++ };
#ifdef F_SNAPSHOT
		d_step { take_snapshot() };
#endif
		reclaim();
#ifndef OLD_RULES
		sweep()
#endif
	:: atomic { running == 0 -> break }
	od;
	/* The second sweep takes what the first one's ends left. Alone by now: one step. */
	atomic {
		round = 0;
#ifdef F_SNAPSHOT
		take_snapshot();
#endif
		reclaim();
#ifndef OLD_RULES
		do
		:: round == 2 -> break
		:: round < 2 -> sweep(); round++
		od
#endif
	};
	/* When all is quiet: nothing is held, and what does not come back is at most a slot for each
	 * process that was killed with one in its hands. */
	true;
	d_step {
		i = 0; n = 0;
		do
		:: i == CELLS -> break
		:: else -> MUST(record[i] != RESERVED, held_records_come_back); i++
		od;
#ifndef OLD_RULES
		i = 0;
		do
		:: i == SLOTS -> break
		:: i < SLOTS && (i >= used) -> i++
		:: i < SLOTS && (i < used) ->
			s = NUMBER(i, sequence[i]);
			n = n + (kind[i] == ENDED && (queue[0] == s || queue[1] == s || queue[2] == s ||
				queue[3] == s || queue[4] == s || queue[5] == s) -> 0 : 1);
			i++
		od;
		MUST(n <= killed, slots_come_back)
#else
		skip
#endif
	}
}

init
{
	atomic {
		run Process(0);
#if LIVES > 1
		run Process(1);
#endif
#if LIVES > 2
		run Process(2);
#endif
#if KILLS > 0
		run Killer();
#endif
		run Owner()
	}
}
