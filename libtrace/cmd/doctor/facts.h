/*
 * What doctor knows about a machine, a process and its sessions. Unknown numbers are -1.
 */
#ifndef SWT_CMD_DOCTOR_FACTS_H
#define SWT_CMD_DOCTOR_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../core/clock_trust.h"
#include "../../counters/describe.h"
#include "../../counters/probe.h"

struct kernel_facts {
	char release[80], machine[24];
	bool supported;		/* a machine with restartable sequences and a clock instruction */
	int perf_events;	/* 1: the kernel has them, 0: it has not */
	bool is_virtual;	/* a hypervisor runs it */
	char hypervisor[48];	/* its name; "": unknown */
	char container[48];	/* what keeps this process in a container; "": nothing known */
	bool in_user_namespace; /* not the first one: its root has no rights to the machine */
};

struct rights_facts {
	int perfmon;	   /* CAP_PERFMON or CAP_SYS_ADMIN is effective */
	int seccomp;	   /* 0: none, 1: strict, 2: a filter */
	char lockdown[24]; /* "none", "integrity", "confidentiality"; "": unknown */
};

enum { CORE_PMUS_MAX = 8 };

struct core_pmu {
	char name[32]; /* in /sys/bus/event_source/devices */
	char cpus[64]; /* "0-7"; "": all */
};

struct pmu_facts {
	struct counters_pmu found; /* paranoid is there, too */
	struct counters_description in_use;
	int core_pmus; /* entries of core_pmu; -1: the kernel does not tell */
	struct core_pmu core_pmu[CORE_PMUS_MAX];
	int user_read_switch; /* of the kernel: rdpmc on x86-64, perf_user_access on AArch64 */
	long mlock_kb;	      /* kernel.perf_event_mlock_kb */
	long page_kb;
	uint64_t cycles_hz; /* nominal rate of the processors; 0: unknown */
	unsigned cpus;	    /* online */
};

struct clock_facts {
	const char *title; /* "TSC" */
	bool is_call;	   /* CLOCK_MONOTONIC_RAW, and no instruction */
	bool asked_for;	   /* SWTRACE_CLOCK=raw */
	uint64_t hz;
	int visited, back; /* processors gone round; stamps that were less than the last */
	double ppm;	   /* how far it is from CLOCK_MONOTONIC_RAW */
	struct clock_sources kernel;
	enum clock_trust trust;
	int constant, nonstop; /* TSC: flags of /proc/cpuinfo */
	uint64_t suspended_ns; /* how long the machine slept since it was started */
};

struct rings_facts {
	bool registered; /* libc registers restartable sequences */
	bool kernel;	 /* the kernel has them */
};

struct memory_facts {
	int error; /* errno of looking at /dev/shm; 0: it is there */
	bool tmpfs, writable;
	unsigned mode;
	uint64_t room, size; /* free, all; bytes */
	uint64_t wanted;     /* by the rings of a plain `swtrace init` */
	uint64_t container;  /* the container's limit of memory; 0: none */
};

struct limit_facts {
	uint64_t descriptors, descriptors_hard; /* UINT64_MAX: no limit */
	uint64_t file_size;
};

enum { SESSIONS_MAX = 3 };

struct session_facts {
	const char *id;	 /* of its finding */
	const char *why; /* "root's session" and the like */
	char dir[256];
	bool used; /* this is where one's programs trace */
	bool absent;
	char trouble[384];	   /* why it cannot be used; "": it can */
	const char *state;	   /* "tracing" and the like; NULL: not known */
	char owner[40], group[40]; /* who may trace; group "": only the owner */
	unsigned mode;
	bool is_owner;	      /* this user's, or this user is root */
	bool undrained;	      /* continuous mode, on, but no drain runs */
	int clock_misfit;     /* why programs here cannot use its clock: a PU_ code; 0: they can */
	char clock_back[128]; /* how far its clock went back; "": it did not */
};

struct sessions_facts {
	char trouble[384]; /* no session can be looked for; "": it can */
	char user[40], groups[160];
	int count;
	struct session_facts list[SESSIONS_MAX];
};

struct doctor_facts {
	struct kernel_facts kernel;
	struct rights_facts rights;
	struct pmu_facts pmu;
	struct clock_facts clock;
	struct rings_facts rings;
	struct memory_facts memory;
	struct limit_facts limits;
	struct sessions_facts sessions;
};

/* Looks; takes about 0.1 s. */
void doctor_gather(struct doctor_facts *m);

/* ------------------------------------------------------------- its parts */

void gather_kernel(struct kernel_facts *k);
void gather_rights(struct rights_facts *r);
void gather_pmu(struct pmu_facts *p);
void gather_clock(struct clock_facts *c);
void gather_rings(struct rings_facts *r);
void gather_memory(struct memory_facts *m);
void gather_limits(struct limit_facts *l);
void gather_sessions(struct sessions_facts *s);

/* The first line of a small file; false (and "") if there is none. */
bool gather_line(const char *path, char *line, size_t size);
/* A file that holds one number; -1: not there. */
long gather_number(const char *path);

#endif
