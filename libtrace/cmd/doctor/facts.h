/*
 * Facts about a machine, a process and its sessions. Unknown numbers are -1.
 */
#ifndef SWT_CMD_DOCTOR_FACTS_H
#define SWT_CMD_DOCTOR_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../core/clock_trust.h"
#include "../../counters/describe.h"
#include "../../counters/perf/probe.h"

struct session;

struct kernel_facts {
	char release[80], machine[24];
	bool supported;	 /* an architecture with restartable sequences and a clock instruction */
	int perf_events; /* 1: the kernel has them; 0: it does not */
	bool is_virtual; /* a virtual machine */
	char hypervisor[48];	/* hypervisor's name; "": unknown */
	char container[48];	/* container manager's name; "": not in a known container */
	bool in_user_namespace; /* not the initial one: root there has no rights to the machine */
};

struct rights_facts {
	int perfmon;	   /* CAP_PERFMON or CAP_SYS_ADMIN is effective */
	int seccomp;	   /* 0: none, 1: strict, 2: a filter */
	char lockdown[24]; /* "none", "integrity", "confidentiality"; "": unknown */
};

/* Why the kernel's records cannot be recorded, as "why (what to do)"; "": they can. */
struct switches_facts {
	char switches_why[256];
	char wakeups_why[256]; /* who wakes a thread; needs the switches, too */
};

enum { CORE_PMUS_MAX = 8 };

struct core_pmu {
	char name[32]; /* in /sys/bus/event_source/devices */
	char cpus[64]; /* "0-7"; "": all */
};

struct pmu_facts {
	struct counters_pmu found; /* includes paranoid */
	struct counters_description in_use;
	int core_pmus; /* entries of core_pmu; -1: unknown */
	struct core_pmu core_pmu[CORE_PMUS_MAX];
	int user_read_switch; /* kernel switch: rdpmc on x86-64, perf_user_access on AArch64 */
	long mlock_kb;	      /* kernel.perf_event_mlock_kb */
	long page_kb;
	uint64_t cycles_hz; /* nominal processor frequency; 0: unknown */
	unsigned cpus;	    /* number online */
};

struct events_facts {
	const char *from;  /* whose list of events: "SWTRACE_EVENTS"; NULL: there is none */
	char trouble[256]; /* its error; "": none */
	char counted[384], missing[384]; /* names; "": none */
	char why[256];			 /* why the first one of `missing` is not counted */
};

struct clock_facts {
	const char *title; /* "TSC" */
	bool is_call;	   /* CLOCK_MONOTONIC_RAW rather than an instruction */
	bool asked_for;	   /* SWTRACE_CLOCK=raw */
	uint64_t hz;
	int visited, back; /* processors visited, 0: not tried; stamps less than the one before */
	double ppm;	   /* deviation from CLOCK_MONOTONIC_RAW; NAN: not measured */
	struct clock_sources kernel;
	enum clock_trust trust;
	int constant, nonstop; /* TSC: flags of /proc/cpuinfo */
	uint64_t suspended_ns; /* time suspended since boot */
};

struct rings_facts {
	bool registered; /* libc registers restartable sequences */
	bool kernel;	 /* the kernel has them */
};

struct memory_facts {
	int error; /* errno of examining /dev/shm; 0: it exists */
	bool tmpfs, writable;
	unsigned mode;
	uint64_t room, size; /* free and total bytes */
	uint64_t wanted;     /* size of a plain `swtrace init`'s rings, or of those that are made */
	bool made;
	uint64_t container; /* the container's memory limit; 0: none */
};

struct limit_facts {
	uint64_t descriptors, descriptors_hard; /* UINT64_MAX: no limit */
	uint64_t file_size;
};

enum { SESSIONS_MAX = 3 };

struct session_facts {
	const char *id;	 /* the finding's id */
	const char *why; /* "root's session" and the like */
	char dir[256];
	bool used; /* this user's programs trace here */
	bool absent;
	char trouble[384];	   /* why it cannot be used; "": usable */
	const char *state;	   /* "tracing" and the like; NULL: unknown */
	char owner[40], group[40]; /* who may trace; group "": only the owner */
	unsigned mode;
	bool is_owner;	      /* belongs to this user, or this user is root */
	bool undrained;	      /* on in continuous mode, but without a running drain */
	int clock_misfit;     /* PU_ code for why programs here cannot use its clock; 0: they can */
	char clock_back[128]; /* how far its clock went back; "": not at all */
};

struct sessions_facts {
	char trouble[384]; /* why sessions cannot be searched; "": they can */
	char user[40], groups[160];
	int count;
	struct session_facts list[SESSIONS_MAX];
};

struct doctor_facts {
	struct kernel_facts kernel;
	struct rights_facts rights;
	struct switches_facts switches;
	struct pmu_facts pmu;
	struct events_facts events;
	struct clock_facts clock;
	struct rings_facts rings;
	struct memory_facts memory;
	struct limit_facts limits;
	struct sessions_facts sessions;
};

/* Gathers the facts. Takes about 0.1 s. */
void doctor_gather(struct doctor_facts *m);
/* For a session whose rings were just made: without measuring the clock, and without sessions. */
void doctor_gather_quickly(struct doctor_facts *m, const struct session *s);

/* ------------------------------------------------------------- its parts */

/* session: a list, "": none. NULL: that of the session where programs started here would trace. */
void gather_events(struct events_facts *e, const char *session);
void gather_clock(struct clock_facts *c);
/* The slow part of gather_clock: visited, back and ppm. */
void gather_clock_measure(struct clock_facts *c);
void gather_rings(struct rings_facts *r);
void gather_memory(struct memory_facts *m);
void gather_limits(struct limit_facts *l);
void gather_sessions(struct sessions_facts *s);
void gather_switches(struct switches_facts *s);
/* tries: opens the tracepoint, which takes the kernel some 40 ms. Otherwise decides by m's rights.
 */
void gather_wakeups(struct switches_facts *s, const struct doctor_facts *m, bool tries);

#endif
