#include "switches.h"

#include <unistd.h>

#include "../kernel/recorder.h"

int switches_check(const struct verb *verb)
{
	struct session_error error = {"unknown error"};

	if (kernel_recorder_probe(&error) == 0)
		return EXIT_FINE;
	cmd_fail(verb, "--switches: %s", error.text);
	return EXIT_NO_COUNTERS;
}

int switches_begin(const struct verb *verb, const struct session_location *location,
	uint32_t generation, bool stays, int *channel)
{
	struct session_error error = {"unknown error"};
	int rc = kernel_recorder_start(location, generation, stays, channel, &error);

	if (rc)
		return cmd_fail(verb, "--switches: %s", error.text);
	if (*error.text)
		cmd_note(verb, "--switches: %s", error.text);
	return EXIT_FINE;
}

/* Returns whether all that the kernel recorded is in the trace buffers. */
static bool switches_report(const struct verb *verb, const struct shm_kernel *k)
{
	if (!k->has_ended) {
		cmd_note(verb,
			"the recorder of switches (process %u) was killed: no switches are recorded since",
			k->pid);
		return false;
	}
	/* These are not the program's data: report them, but the record is complete. */
	if (k->wakeups_missing)
		cmd_note(verb, "the kernel withheld %llu wake-ups: those waits have no waker",
			(unsigned long long)k->wakeups_missing);
	if (!k->lost && !k->dropped)
		return true;
	cmd_note(verb,
		"the kernel's records of switches: %llu lost before they were read, %llu did not fit into the trace buffers, %llu recorded",
		(unsigned long long)k->lost, (unsigned long long)k->dropped,
		(unsigned long long)k->switches);
	return false;
}

bool switches_end(const struct verb *verb, const struct session *s, int channel)
{
	struct shm_kernel figures;
	const bool was_running = kernel_recorder_is_running(s, &figures);
	bool is_complete = true;

	if (was_running && !kernel_recorder_stop(s, &figures)) {
		cmd_note(verb,
			"the recorder of switches (process %u) does not end: its last records are missing",
			figures.pid);
		is_complete = false;
	} else if (figures.pid && figures.generation == s->generation &&
		   (was_running || !figures.has_ended)) {
		is_complete = switches_report(verb, &figures);
	}
	if (channel >= 0)
		close(channel);
	return is_complete;
}

uint64_t switches_hooks(const struct session *s)
{
	struct shm_kernel figures;

	kernel_recorder_is_running(s, &figures);
	return figures.generation == s->generation ? figures.hooks : 0;
}

uint32_t switches_recorder(const struct session *s)
{
	struct shm_kernel figures;

	kernel_recorder_is_running(s, &figures);
	return figures.generation == s->generation ? figures.pid : 0;
}
