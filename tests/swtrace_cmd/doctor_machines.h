/*
 * Machines that are made up, and what doctor has to say of them.
 */
#ifndef DOCTOR_MACHINES_H
#define DOCTOR_MACHINES_H

#include "../../libtrace/cmd/doctor/doctor.h"

enum { GOOD = FINDING_GOOD, NOTE = FINDING_NOTE, BAD = FINDING_BAD, GONE = -1 };

struct machine {
	const char *name;
	void (*make)(struct doctor_facts *m);
	bool measurable;
	const char *cause;
	const char *verdict; /* a part of it */
	struct {
		const char *id;
		int status;
		const char *says; /* in its text, meaning or what to do */
	} want[4];
};

/* The first one is healthy. */
extern const struct machine machines[];
extern const int machine_count;

#endif
