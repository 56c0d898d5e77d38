/*
 * Hooks of the interval major: additions to a group of the CPI facility's hooks.
 * It comes behind the group, with its stamp and elapsed time, so that a reader that does not know
 * this major has read a complete group before. interval.hooks describes the words for decoders; the
 * writer's side is libtrace/measure/cpi/. The low byte of every minor (mm) is the group's.
 */
#ifndef SWT_FORMATS_INTERVAL_HOOKS_H
#define SWT_FORMATS_INTERVAL_HOOKS_H

#define INTERVAL_MAJOR 0xC1u
#define INTERVAL_MINOR_KIND 0xFFFFFF00u

#define INTERVAL_MINOR_TIME 0x10000000u
#define INTERVAL_MINOR_EVENTS 0x20000000u
#define INTERVAL_MINOR_ARGS 0x30000000u

/*
 * Of SWTRACE_BEGINS, also in the scope major: an interval has begun; and a begun one has ended, or
 * will have no hook. Hooks on their own, of no group; the second one may follow a group's.
 */
#define INTERVAL_MINOR_BEGIN 0x40000000u
#define INTERVAL_MINOR_OVER 0x50000000u

/* The time hook's "known" word: which figures of the thread follow. */
#define INTERVAL_KNOWN_ON_CPU 1u
#define INTERVAL_KNOWN_SWITCHES 2u
#define INTERVAL_KNOWN_UNEXPLAINED 4u
#define INTERVAL_KNOWN_OWN_COST 8u
#define INTERVAL_KNOWN_START_CPU 16u /* the processor where a thread that left it began */

/* The time hook's "time_source": where its figures come from. Numbers never change. */
enum interval_time_source {
	INTERVAL_TIME_NONE = 0,
	INTERVAL_TIME_PAGE = 1,	   /* a page of the kernel's that shows switches */
	INTERVAL_TIME_RECORDS = 2, /* the kernel's records of switches */
	INTERVAL_TIME_CLOCK =
		3, /* the clock of the thread and the kernel's counts, by system calls */
	INTERVAL_TIME_SCHEDSTAT = 4, /* /proc/thread-self/schedstat */
	INTERVAL_TIME_SOURCES,
};

/* In reports. */
static const char *const interval_time_source_words[INTERVAL_TIME_SOURCES] = {
	[INTERVAL_TIME_NONE] = "none",
	[INTERVAL_TIME_PAGE] = "page",
	[INTERVAL_TIME_RECORDS] = "records",
	[INTERVAL_TIME_CLOCK] = "clock",
	[INTERVAL_TIME_SCHEDSTAT] = "schedstat",
};

/* For readers without the schema: index of the (first) word. */
enum interval_word {
	INTERVAL_TIME_WORD_SOURCE = 0,
	INTERVAL_TIME_WORD_KNOWN = 1,
	INTERVAL_TIME_WORD_ELAPSED = 2,
	INTERVAL_TIME_WORD_FIRST = 4, /* two words of each figure that is known, in order of its
					 bit; of the own cost one inside and one of the pair;
					 one of the processor */
};

/* The most words of a time hook. */
#define INTERVAL_TIME_WORDS (INTERVAL_TIME_WORD_FIRST + 2 * 4 + 1)

/* The words of an events hook, before the events. */
enum interval_events_word {
	INTERVAL_EVENTS_WORD_COUNT = 0,
	INTERVAL_EVENTS_WORD_TEXTS = 1, /* strings */
	INTERVAL_EVENTS_WORD_ELAPSED = 2,
	INTERVAL_EVENTS_WORD_FIRST = 4,
};

/* An event counted in an interval: words of its turn. */
enum interval_event_word {
	INTERVAL_EVENT_NAME = 0, /* a label's number; 0: the name is a string */
	INTERVAL_EVENT_FLAGS = 1,
	INTERVAL_EVENT_VALUE = 2,   /* two words, as the following */
	INTERVAL_EVENT_ENABLED = 4, /* ns */
	INTERVAL_EVENT_RUNNING = 6, /* ns; less than enabled: the counter was shared */
	INTERVAL_EVENT_WORDS = 8,
};

/* An event's flags. */
#define INTERVAL_EVENT_KNOWN 1u /* else it was not counted, and its numbers are 0 */
#define INTERVAL_EVENT_USER_ONLY                                                                   \
	2u /* in user mode only, though its name asks for the kernel too                           \
	    */

enum {
	INTERVAL_EVENTS_MAX = 8,
	INTERVAL_EVENT_NAME_MAX = 127, /* bytes */
	/* The most words of an events hook, and of its strings. */
	INTERVAL_EVENTS_WORDS =
		INTERVAL_EVENTS_WORD_FIRST + INTERVAL_EVENTS_MAX * INTERVAL_EVENT_WORDS,
	INTERVAL_EVENTS_STRING_WORDS =
		INTERVAL_EVENTS_MAX * (1 + (INTERVAL_EVENT_NAME_MAX + 3) / 4),
};

/* The words of an arguments hook, before the arguments. */
enum interval_args_word {
	INTERVAL_ARGS_WORD_COUNT = 0,
	INTERVAL_ARGS_WORD_TEXTS = 1, /* strings */
	INTERVAL_ARGS_WORD_ELAPSED = 2,
	INTERVAL_ARGS_WORD_FIRST = 4,
};

/* An argument of an interval: words of its turn. */
enum interval_arg_word {
	INTERVAL_ARG_NAME = 0, /* a label's number; 0: the name is a string */
	INTERVAL_ARG_TYPE = 1,
	INTERVAL_ARG_VALUE = 2, /* two words */
	INTERVAL_ARG_WORDS = 4,
};

/* The words of the begin hook, and the first ones of the over hook. */
enum interval_begin_word {
	INTERVAL_BEGIN_KNOWN = 0, /* SCOPE_KNOWN_TEXT: the label is the string */
	INTERVAL_BEGIN_LABEL = 1, /* as in scope_hooks.h */
	INTERVAL_BEGIN_ID = 2,	  /* two words: the same in both hooks; 0: none */
	INTERVAL_OVER_WORDS = 4,
	INTERVAL_BEGIN_PERIOD = 4, /* of shm_control.closings: tracing was on without a break */
	INTERVAL_BEGIN_TEXTS = 5,  /* strings */
	INTERVAL_BEGIN_WORDS = 6,
};

/* The number of a label or a name that is not known; no label has it. */
#define INTERVAL_LABEL_UNKNOWN 0xFFFFFFFFu

/* Numbers never change. */
enum interval_arg_type {
	INTERVAL_ARG_U64 = 1,
	INTERVAL_ARG_I64 = 2,
	INTERVAL_ARG_F64 = 3,  /* the bits of an IEEE 754 double */
	INTERVAL_ARG_TEXT = 4, /* the value is a string, these words are 0 */
};

enum { INTERVAL_ARGS_MAX = 16 };

#endif
