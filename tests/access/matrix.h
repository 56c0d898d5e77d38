/*
 * The access matrix: who does what in which situation, and the required result. A row is data; a
 * situation prepares the files, an action runs as the actor.
 */
#ifndef SWT_TESTS_ACCESS_MATRIX_H
#define SWT_TESTS_ACCESS_MATRIX_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "../../include/perfutil.h"

enum actor { ROOT, OWNER, MEMBER, STRANGER, ACTORS };

/* The group of `init -g`: owner and member are in it, by a supplementary group. */
enum { FRIENDS = 54320, FIRST_USER = 54320 };

enum needs {
	NEEDS_NOTHING = 0,
	NEEDS_ROOT = 1,	     /* to change users */
	NEEDS_NAMESPACE = 2, /* a /dev/shm of its own: root's session, users' default places */
	NEEDS_SUID = 4,	     /* a file system that honours set-user-ID */
};

/* The situation's files and session: the same for every row, so that actions find them. */
struct box {
	char base[64];	      /* everything of this test, tools and homes */
	char dir[PATH_MAX];   /* the session's directory, or where one might be */
	char other[PATH_MAX]; /* a second place, if the situation has one */
	const char *later;    /* what comes while the actor acts, and is no change of his */
	char victim[128];     /* a file that nothing may touch */
	const char *env;      /* SWTRACE_SESSION for the actor; NULL: not set */
	mode_t mask;	      /* the actor's umask */
	bool has_namespace;
	pid_t helper; /* a program that runs meanwhile; 0: none */
};

extern struct box box;

struct result {
	int code;
	char text[PATH_MAX];
};

struct situation {
	const char *text;
	int needs;
	void (*make)(void);
};

typedef void action_fn(const char *argument, struct result *r);

/* The state required afterwards. */
enum after {
	SAME,	  /* nothing changed, for any user */
	OWN,	  /* the actor's own session was made, private; else nothing changed */
	MADE,	  /* box.dir is a complete session of the actor's, private; else nothing changed */
	OWNERS,	  /* the same, but the owner's */
	EMPTY,	  /* the session in box.dir is on and has no hooks */
	ONE_HOOK, /* one hook more in box.dir; else only what members write changed */
	MEMBERS,  /* only what members write changed */
	ON,	  /* the state of the session in box.dir */
	OFF,
	GONE,	   /* no rings; other users' files are unchanged */
	OWNER_CAN, /* the owner controls and traces as before */
	COMMANDS,  /* every command of the owner's ends by itself; init makes it good again */
	OTHERS,	   /* nothing changed outside box.dir, whatever became of that */
};

struct row {
	const char *name;
	enum actor actor;
	const struct situation *situation;
	action_fn *action;
	const char *argument;
	int want;	  /* PU_ code, errno or exit code, as the action says */
	const char *says; /* part of the error line, NULL: anything */
	enum after after;
	int needs;
};

struct table {
	const char *title;
	const struct row *rows;
	size_t count;
};

#define TABLE(title, rows)                                                                         \
	{                                                                                          \
		title, rows, sizeof(rows) / sizeof *(rows)                                         \
	}

extern const struct table who_table, files_table, place_table, inside_table, drain_table,
	world_table;

/* ---------------------------------------------------------------- actors.c */

const char *actor_name(enum actor who);
uid_t actor_uid(enum actor who);
gid_t actor_gid(enum actor who);
/* The calling process becomes him. False with errno. */
bool actor_become(enum actor who);
/* The exit status of `what` in a child that is him. */
int actor_does(enum actor who, int (*what)(void));
/* A directory that he may write to. */
const char *actor_home(enum actor who);
/* A path in the box's base, or in a directory; good until the eighth call after. */
__attribute__((format(printf, 1, 2))) const char *path(const char *format, ...);
/* In box.dir. */
const char *session_path(const char *name);
/* Exits with errno's text unless rc is 0. */
void require_success(int rc, const char *what);
/* This program as program_main, as him, in the background until the next wipe(). */
void helper_start(enum actor who, const char *way);
void helper_end(void);
bool actors_prepare(char *why, size_t size);

/* -------------------------------------------------------------- situations.c */

/* A session of his in dir, on, with three hooks. */
void make_session(enum actor who, const char *dir, gid_t group, bool on);
void make_file(const char *name, const char *text, enum actor owner, mode_t mode);
/* Anything in dir is gone, then base and homes are fresh. */
void wipe(void);
void remove_base(void);

extern const struct situation nothing_there, private_session, group_session, group_off,
	control_only;

/* ----------------------------------------------------------------- actions.c */

action_fn do_trace;   /* one hook; the text is the directory it went to */
action_fn do_api;     /* the function of that name, with plain arguments */
action_fn do_command; /* swtrace ARGUMENT; the text is its standard error */
action_fn do_program; /* this program, restarted: WAY[/FILE] as in program_main */
int program_main(int argc, char **argv);

/* ------------------------------------------------------------------- after.c */

/* A text that names everything below /dev/shm (or base): type, mode, owner, size, contents. */
char *fingerprint(bool members_contents);
/* NULL, or the error. */
const char *judge(const struct row *row, const char *before, const char *before_lax);
/* State and number of hooks of a session; false if it cannot be opened. */
bool session_state(const char *dir, unsigned *state, unsigned long *hooks);
void note_hooks(void);

#endif
