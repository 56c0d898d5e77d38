/*
 * doctor: the events of intervals.
 */
#include "doctor.h"

void doctor_events(struct findings *f, const struct doctor_facts *m)
{
	const struct events_facts *e = &m->events;
	struct finding *n;

	if (!e->from)
		return;
	if (e->trouble[0]) {
		n = finding(f, "counters.events", FINDING_BAD, "%s: %s", e->from, e->trouble);
		finding_means(n, "programs run, and count no events in their intervals");
		finding_todo(n,
			"set it to a list of up to 8 events, as swtrace(1) says, or unset it; swtrace event list shows all");
		return;
	}
	n = finding(f, "counters.events", e->counted[0] ? FINDING_GOOD : FINDING_BAD,
		"events of intervals, by %s: %s", e->from, e->counted[0] ? e->counted : "none");
	finding_means(n, "%s",
		e->counted[0]
			? "counted in each interval of CpiStart and CpiGet, of its thread (with :a, on all processors)"
			: "none of the list is counted here");
	if (!e->counted[0])
		finding_todo(n, "swtrace event list --try shows which events count here");
	if (!e->missing[0])
		return;
	n = finding(f, "counters.events_missing", FINDING_NOTE, "not counted: %s", e->missing);
	finding_means(n, "n/a in intervals; of the first: %s", e->why);
	finding_todo(n, "swtrace stat -e EVENT true gives the reason of each");
}
