#include "switches.h"

#include <errno.h>
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

int switches_begin(const struct verb *verb, const struct session_place *place, uint32_t generation,
	bool stays, int *channel)
{
	struct session_error error = {"unknown error"};
	int rc = kernel_recorder_start(place, generation, stays, channel, &error);

	return rc ? cmd_fail(verb, "--switches: %s", error.text) : EXIT_FINE;
}

void switches_end(const struct verb *verb, const struct session *s, int channel)
{
	struct shm_kernel figures;

	if (kernel_recorder_is_running(s, &figures)) {
		if (!kernel_recorder_stop(s, &figures))
			cmd_note(verb,
				"the recorder of switches (process %u) does not end: its last records are missing",
				figures.pid);
		else if (figures.lost || figures.dropped)
			cmd_note(verb,
				"of the kernel's records of switches, %llu were lost before they were read, %llu did not fit into the trace buffers; %llu are there",
				(unsigned long long)figures.lost,
				(unsigned long long)figures.dropped,
				(unsigned long long)figures.switches);
	} else if (figures.pid && figures.generation == s->generation && !figures.has_ended) {
		cmd_note(verb,
			"the recorder of switches (process %u) was killed: no switches are recorded since",
			figures.pid);
	}
	if (channel >= 0)
		close(channel);
}

uint64_t switches_hooks(const struct session *s)
{
	struct shm_kernel figures;

	kernel_recorder_is_running(s, &figures);
	return figures.generation == s->generation ? figures.hooks : 0;
}
