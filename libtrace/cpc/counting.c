/*
 * A set on the counters: one pinned group of perf events, so the kernel either counts all of it all
 * the time or reports an error. Notifying events come first: when the leader overflows, the kernel
 * stops the whole group at once.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "../../formats/base/time_ns.h"
#include "cpc.h"

/* The kernel rejects periods above INT64_MAX; no counter gets that far anyway. */
static uint64_t counting_sample_period(uint64_t preset)
{
	uint64_t left = 0 - preset;

	return preset <= (uint64_t)INT64_MAX ? (uint64_t)INT64_MAX : left;
}

static const struct request *of_member(const struct binding *b, unsigned member)
{
	return &b->requests->request[b->request_of[member]];
}

static void counting_order_members(struct binding *b)
{
	unsigned n = 0;

	for (int notifies = 1; notifies >= 0; notifies--) {
		for (unsigned i = 0; i < b->count; i++)
			if (!(b->requests->request[i].flags & CPC_OVF_NOTIFY_EMT) == !notifies)
				b->request_of[n++] = i;
		if (notifies)
			b->notifying = n;
	}
}

static void counting_program_member(
	const struct binding *b, unsigned member, struct perf_event_attr *attr)
{
	const struct request *r = of_member(b, member);

	event_attr(&r->what, attr, sizeof *attr);
	attr->disabled = attr->pinned = member == 0;
	attr->exclude_user = !(r->flags & CPC_COUNT_USER);
	attr->exclude_kernel = attr->exclude_hv = !(r->flags & CPC_COUNT_SYSTEM);
	if (member < b->notifying) {
		attr->sample_period = counting_sample_period(b->preset[b->request_of[member]]);
		attr->wakeup_events = 1;
	}
}

/* Whether the event opens without overflow notification. */
static bool counts_alone(const struct binding *b, unsigned member, pid_t pid, int cpu)
{
	struct perf_event_attr attr;
	struct perf_group g;

	counting_program_member(b, member, &attr);
	attr.sample_period = 0;
	attr.wakeup_events = 0;
	if (perf_group_open(&g, &attr, 1, pid, cpu, NULL) != 0)
		return false;
	perf_group_close(&g, false);
	return true;
}

/* Translates an errno of perf_event_open into libcpc's, with the cause in why. */
static int counting_explain_errno(const struct binding *b, int error, unsigned member, pid_t pid,
	int cpu, char why[EVENT_WHY_MAX])
{
	const char *event = of_member(b, member)->event;

	switch (error) {
	case EACCES:
	case EPERM:
		snprintf(why, EVENT_WHY_MAX,
			"%s: the kernel denies it (see /proc/sys/kernel/perf_event_paranoid; use CAP_PERFMON, or only CPC_COUNT_USER for your own threads)",
			event);
		return -EACCES;
	case ESRCH:
		snprintf(why, EVENT_WHY_MAX, "there is no thread %d", (int)pid);
		return -ESRCH;
	case ENODEV:
		snprintf(why, EVENT_WHY_MAX, "%s: CPU %d is not online", event, cpu);
		return cpu >= 0 ? -ENODEV : -EINVAL;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
	case EBUSY:
		snprintf(why, EVENT_WHY_MAX, "%s: not available now: %s", event, strerror(error));
		return -EAGAIN;
	default:
		break;
	}
	if (member < b->notifying && counts_alone(b, member, pid, cpu)) {
		snprintf(why, EVENT_WHY_MAX, "%s: its overflow cannot be detected here", event);
		return -ENOTSUP;
	}
	if (member > 0 && counts_alone(b, member, pid, cpu))
		snprintf(why, EVENT_WHY_MAX,
			"%s: no counter is left for it: the other requests use them", event);
	else
		snprintf(why, EVENT_WHY_MAX, "%s: this machine cannot count it: %s", event,
			strerror(error));
	return -EINVAL;
}

int counting_open(struct binding *b, pid_t pid, int cpu, char why[EVENT_WHY_MAX])
{
	struct perf_event_attr attr[PERF_GROUP_MAX];
	unsigned failed = 0;
	int rc;

	counting_order_members(b);
	for (unsigned i = 0; i < b->count; i++)
		counting_program_member(b, i, &attr[i]);
	rc = perf_group_open(&b->group, attr, b->count, pid, cpu, &failed);
	return rc ? counting_explain_errno(b, -rc, failed, pid, cpu, why) : 0;
}

/* ------------------------------------------------------------------ start and stop */

static int member_call(struct binding *b, unsigned member, unsigned long request, void *argument)
{
	return perf_calls.ioctl(b->group.member[member].fd, request, argument) == 0 ? 0 : -errno;
}

/* Disabling the leader stops the whole group; the members stay enabled. */
int counting_stop(struct binding *b)
{
	return member_call(b, 0, PERF_EVENT_IOC_DISABLE, NULL);
}

/* IOC_REFRESH re-arms a stop that the kernel has used up, and enables the member. */
static int counting_enable_member(struct binding *b, unsigned member)
{
	int rc;

	if (member >= b->notifying || b->armed[member])
		return member_call(b, member, PERF_EVENT_IOC_ENABLE, NULL);
	rc = member_call(b, member, PERF_EVENT_IOC_REFRESH, (void *)1);
	b->armed[member] = rc == 0;
	return rc;
}

/* Enable the leader last: it starts the whole group. */
int counting_go_on(struct binding *b)
{
	int rc = 0;

	for (unsigned i = b->notifying; i-- > 1 && rc == 0;)
		rc = counting_enable_member(b, i);
	return rc ? rc : counting_enable_member(b, 0);
}

int counting_restart(struct binding *b)
{
	int rc = counting_stop(b);

	if (rc == 0)
		rc = perf_group_reset(&b->group);
	for (unsigned i = 0; i < b->notifying && rc == 0; i++) {
		uint64_t next = counting_sample_period(b->preset[b->request_of[i]]);

		rc = member_call(b, i, PERF_EVENT_IOC_PERIOD, &next);
	}
	if (rc)
		return rc;
	memcpy(b->start, b->preset, sizeof b->start);
	atomic_fetch_add(&b->restarts, 1);
	b->frozen = false;
	return counting_go_on(b);
}

/* ------------------------------------------------------------------------- samples */

bool counting_valid(struct binding *b, const char **why)
{
	if (b->to != TO_CPU && !b->invalid && !registry_valid(&b->generation))
		b->invalid = true;
	if (b->invalid)
		*why = "the binding is no longer valid: a set was bound to a CPU meanwhile";
	return !b->invalid;
}

static uint64_t counting_ticks_of_ns(const struct binding *b, uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * b->ticks_per_second / TIME_SECOND_NS);
}

int counting_sample(struct binding *b, cpc_buf_t *buf, const char **why)
{
	struct perf_group_reading r = {0};
	struct timespec now;
	unsigned restarts;
	int rc;

	if (!counting_valid(b, why))
		return -EAGAIN;
	do {
		restarts = atomic_load(&b->restarts);
		clock_gettime(CLOCK_MONOTONIC, &now);
		rc = b->to == TO_THREAD ? perf_group_read_here(&b->group, &r)
					: perf_group_read(&b->group, &r);
		for (unsigned i = 0; i < b->count; i++)
			buf->value[b->request_of[i]] = b->start[b->request_of[i]] + r.count[i];
	} while (restarts != atomic_load(&b->restarts));
	if (rc) {
		*why = rc == -ENODATA ? "other users hold the counters, or the CPU went offline"
				      : "the counters' descriptors were closed";
		return -EAGAIN;
	}
	if (r.running != r.enabled) {
		*why = "the set was not on the counters all the time";
		return -EAGAIN;
	}
	buf->hrtime = (hrtime_t)time_ns(now);
	buf->tick = counting_ticks_of_ns(b, r.running);
	return 0;
}
