/*
 * doctor: the clock, restartable sequences, shared memory, limits.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "../../../formats/base/time_ns.h"
#include "doctor.h"

/* ------------------------------------------------------------- the clock */

static void clock_source(struct findings *f, const struct clock_facts *c)
{
	bool slow = c->is_call;
	struct finding *n = finding(f, "clock.source", slow ? FINDING_NOTE : FINDING_GOOD,
		"%s, %" PRIu64 " ticks per second%s", c->title, c->hz,
		c->asked_for ? " (SWTRACE_CLOCK=raw)" : "");

	finding_means(n, slow ? "hooks are stamped by a call, and go to guest rings: they cost more"
			      : "hooks are stamped by one instruction");
	if (slow && c->asked_for)
		finding_todo(n, "unset SWTRACE_CLOCK if the rest of this topic has no findings");
	else if (slow)
		finding_todo(n, "measure where the processor has an invariant time stamp counter");
}

static void clock_flags(struct findings *f, const struct clock_facts *c)
{
	bool good = c->constant > 0 && c->nonstop > 0;
	struct finding *n;

	if (c->constant < 0 || c->nonstop < 0)
		return;
	n = finding(f, "clock.flags", good ? FINDING_GOOD : FINDING_NOTE,
		"TSC: %sconstant_tsc, %snonstop_tsc", c->constant ? "" : "not ",
		c->nonstop ? "" : "not ");
	finding_means(n,
		good ? "it keeps its rate at any frequency of the processor, and while that is idle"
		     : "it changes its rate, or stops, with the processor");
	if (!good && !c->is_call)
		finding_todo(n, "set SWTRACE_CLOCK=raw");
}

static void clock_order(struct findings *f, const struct clock_facts *c)
{
	struct finding *n;

	if (!c->visited)
		return;
	if (c->back) {
		n = finding(f, "clock.order", FINDING_BAD,
			"stamps went backwards %d times from one of %d processors to the next",
			c->back, c->visited);
		finding_means(n, "hooks of several processors are merged in the wrong order");
		finding_todo(n, "set SWTRACE_CLOCK=raw");
		return;
	}
	n = finding(f, "clock.order", FINDING_GOOD,
		"stamps never went backwards over %d processor%s", c->visited,
		text_plural(c->visited));
	finding_means(n, "hooks of several processors are merged in the right order");
}

static void clock_rate(struct findings *f, const struct clock_facts *c)
{
	if (isnan(c->ppm))
		return;

	bool steady = c->ppm < 500 && c->ppm > -500;
	struct finding *n = finding(f, "clock.rate", steady ? FINDING_GOOD : FINDING_BAD,
		"%+.0f ppm from CLOCK_MONOTONIC_RAW over 50 ms", c->ppm);

	if (steady) {
		finding_means(n, "a second of the trace is a second");
		return;
	}
	finding_means(n, "its times are wrong by as much, or this process was delayed meanwhile");
	finding_todo(n, "try again on a quieter machine; then set SWTRACE_CLOCK=raw");
}

static bool is_paravirtual(const char *source)
{
	return strstr(source, "kvm") || strstr(source, "hyperv") || strstr(source, "xen");
}

static void clock_trusted(struct findings *f, const struct clock_facts *c)
{
	const char *current = c->kernel.current;
	bool same = strncmp(current, "tsc", 3) == 0 || strstr(current, "arch_sys_counter");
	struct finding *n;

	n = finding(f, "clock.kernel", same ? FINDING_GOOD : FINDING_NOTE,
		"the kernel keeps time by %s%s", current,
		c->trust == CLOCK_TRUST_KERNEL && !same ? ", and would by the TSC" : "");
	if (same) {
		finding_means(n, "it watches that clock, and found it stable");
	} else if (is_paravirtual(current)) {
		finding_means(n, "usual in a virtual machine: its host corrects the counter");
		finding_todo(n, "if the guest is moved between hosts, set SWTRACE_CLOCK=raw");
	} else {
		finding_means(n, "it found the counter stable, and prefers another clock");
	}
}

static void clock_kernel(struct findings *f, const struct clock_facts *c)
{
	struct finding *n;

	if (c->trust == CLOCK_TRUST_CPUID) {
		n = finding(f, "clock.kernel", FINDING_NOTE,
			"the kernel does not say which clock it trusts (no /sys)");
		finding_means(n, "only CPUID says that the TSC is stable");
		finding_todo(n, "mount /sys; in doubt set SWTRACE_CLOCK=raw");
	} else if (c->trust == CLOCK_DISTRUST_WITHDRAWN) {
		n = finding(f, "clock.kernel", FINDING_NOTE,
			"the kernel keeps time by %s and does not trust the TSC (available: %s)",
			c->kernel.current, c->kernel.available);
		finding_means(n,
			"it found the TSC unstable, or a boot option says so: hooks are stamped by CLOCK_MONOTONIC_RAW");
		finding_todo(n, "look for \"tsc\" in the kernel's log");
	} else if (clock_is_trusted(c->trust) && c->kernel.current[0]) {
		clock_trusted(f, c);
	}
}

static void clock_suspend(struct findings *f, const struct clock_facts *c)
{
	bool slept = c->suspended_ns > TIME_MS_NS;
	struct finding *n;

	n = finding(f, "clock.suspend", slept ? FINDING_NOTE : FINDING_GOOD,
		slept ? "the machine was suspended for %.3g s since boot"
		      : "the machine has not been suspended since boot",
		time_seconds(c->suspended_ns));
	if (!slept) {
		finding_means(n, "all stamps are of one uninterrupted clock");
		return;
	}
	finding_means(n,
		"the counter may have stopped or been reset: traces across a suspend are unusable");
	finding_todo(n, "swtrace init after the resume");
}

void doctor_clock(struct findings *f, const struct doctor_facts *m)
{
	clock_source(f, &m->clock);
	clock_flags(f, &m->clock);
	clock_order(f, &m->clock);
	clock_rate(f, &m->clock);
	clock_kernel(f, &m->clock);
	clock_suspend(f, &m->clock);
}

/* ------------------------------------------------------------- the rings */

void doctor_rings(struct findings *f, const struct doctor_facts *m)
{
	const struct rings_facts *r = &m->rings;
	struct finding *n;

	if (!r->kernel || !m->kernel.supported) {
		n = finding(f, "rings.rseq", FINDING_NOTE,
			"programs use the guest rings, because the kernel has no rseq, or a sandbox hides it");
		finding_means(n, "hooks cost more, and with many threads at once some may be lost");
		finding_todo(n, "Linux 4.18 or later; allow rseq in the sandbox's seccomp profile");
		return;
	}
	n = finding(f, "rings.rseq", m->clock.is_call ? FINDING_NOTE : FINDING_GOOD,
		"programs use the per-processor rings (%s registers rseq)",
		r->registered ? "libc" : "libswtrace");
	if (!m->clock.is_call) {
		finding_means(n, "a hook is reserved by a restartable sequence, without a lock");
		return;
	}
	finding_means(n, "a hook also takes a call of the clock");
	finding_todo(n, "see clock");
}

/* -------------------------------------------------------------- /dev/shm */

static void doctor_check_space(struct findings *f, const struct memory_facts *m)
{
	bool fits = m->wanted < m->room;
	struct finding *n = finding(f, "memory.space", fits ? FINDING_GOOD : FINDING_BAD,
		"/dev/shm has %" PRIu64 " of %" PRIu64 " MiB free", m->room >> 20, m->size >> 20);

	finding_means(n, "swtrace init takes %" PRIu64 " MiB of it by default%s",
		(m->wanted >> 20) + 1, fits ? "" : ": it fails");
	if (!fits)
		finding_todo(n,
			"swtrace init -s 1, or mount -o remount,size=SIZE /dev/shm (docker run --shm-size SIZE)");
}

static void doctor_check_memory_kind(struct findings *f, const struct memory_facts *m)
{
	struct finding *n;

	if (!m->tmpfs) {
		n = finding(f, "memory.kind", FINDING_BAD, "/dev/shm is no tmpfs");
		finding_means(n, "hooks may go through a disk");
		finding_todo(n, "mount -t tmpfs -o mode=1777 tmpfs /dev/shm");
		return;
	}
	if (m->mode == 01777) {
		n = finding(f, "memory.kind", FINDING_GOOD, "/dev/shm is a tmpfs with mode 1777");
		finding_means(n, "everyone can make a session, and remove only their own");
		return;
	}
	n = finding(f, "memory.kind", m->writable ? FINDING_NOTE : FINDING_BAD,
		"/dev/shm has mode %04o, not 1777", m->mode);
	finding_means(
		n, m->writable ? "not everyone can make a session" : "you cannot make a session");
	finding_todo(n, "chmod 1777 /dev/shm");
}

static void machine_find_container(struct findings *f, const struct memory_facts *m)
{
	bool fits = m->wanted < m->container / 2;
	struct finding *n;

	if (m->container == 0)
		return;
	n = finding(f, "memory.container", fits ? FINDING_GOOD : FINDING_BAD,
		"this process's control group may use %" PRIu64 " MiB of memory",
		m->container >> 20);
	finding_means(n, "the trace buffers count as its memory%s",
		fits ? "" : ": they leave its programs too little");
	if (!fits)
		finding_todo(n, "swtrace init -s 1, or raise the limit (docker run --memory)");
}

void doctor_memory(struct findings *f, const struct doctor_facts *m)
{
	struct finding *n;

	if (m->memory.error) {
		n = finding(
			f, "memory.space", FINDING_BAD, "/dev/shm: %s", strerror(m->memory.error));
		finding_means(n, "no session can be created");
		finding_todo(
			n, "mount -t tmpfs -o mode=1777 tmpfs /dev/shm, or set SWTRACE_SESSION");
		return;
	}
	if (!m->memory.made)
		doctor_check_space(f, &m->memory);
	doctor_check_memory_kind(f, &m->memory);
	machine_find_container(f, &m->memory);
}

/* ---------------------------------------------------------------- limits */

/* A processor's group, and this many for a few threads and the program itself. */
enum { DESCRIPTORS_A_CPU = 3, DESCRIPTORS_BESIDES = 128 };

static void doctor_check_descriptors(struct findings *f, const struct limit_facts *l, unsigned cpus)
{
	uint64_t least = (uint64_t)cpus * DESCRIPTORS_A_CPU + DESCRIPTORS_BESIDES;
	bool enough = l->descriptors >= least;
	struct finding *n;

	if (l->descriptors == UINT64_MAX)
		n = finding(f, "limits.descriptors", FINDING_GOOD,
			"no limit of file descriptors, %u processors", cpus);
	else
		n = finding(f, "limits.descriptors", enough ? FINDING_GOOD : FINDING_BAD,
			"a program may have %" PRIu64 " file descriptors, on %u processors",
			l->descriptors, cpus);
	finding_means(n, "hardware counters take %d for each processor, and for each thread%s",
		DESCRIPTORS_A_CPU, enough ? "" : ": CpiInit may fail");
	if (!enough)
		finding_todo(n, "ulimit -n %" PRIu64 "%s", least,
			l->descriptors_hard < least ? " (as root: the hard limit is less)" : "");
}

static void file_size(struct findings *f, const struct limit_facts *l, uint64_t wanted)
{
	struct finding *n;

	if (l->file_size >= wanted)
		return;
	n = finding(f, "limits.file_size", FINDING_BAD, "a file may have %" PRIu64 " KiB",
		l->file_size >> 10);
	finding_means(
		n, "trace buffers are a file of %" PRIu64 " KiB: swtrace init fails", wanted >> 10);
	finding_todo(n, "ulimit -f unlimited");
}

void doctor_limits(struct findings *f, const struct doctor_facts *m)
{
	doctor_check_descriptors(f, &m->limits, m->pmu.cpus);
	file_size(f, &m->limits, m->memory.wanted);
}
