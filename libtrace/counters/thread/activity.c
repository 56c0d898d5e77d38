#include "activity.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "../../core/clock.h"
#include "../machine/rate.h"
#include "thread.h"

/* Migrations, which getrusage lacks, happen in the kernel: a kernel that counts user mode alone
 * refuses. Each further event would lengthen each context switch. */
static void open_group(struct perf_group *g)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_MIGRATIONS};

	perf_group_open(g, &attr, 1, 0, -1, NULL);
}

/* A group counts since its opening, the other sources since the thread's start. */
static bool has_group(struct thread_self *self)
{
	struct thread_group *g;

	if (!self->activity_tried) {
		self->activity_tried = true;
		g = thread_keep(self);
		if (g) {
			open_group(&g->activity);
			g->activity_opening++;
		}
	}
	return self->group && self->group->activity.count > 0;
}

static uint32_t activity_find_cpu(void)
{
	int cpu = sched_getcpu();

	return cpu >= 0 ? (uint32_t)cpu : COUNTER_NO_CPU;
}

static uint64_t activity_sum_switches(const struct rusage *u)
{
	return (uint64_t)u->ru_nvcsw + (uint64_t)u->ru_nivcsw;
}

static void read_usage(struct counter_activity *activity)
{
	struct rusage u;

	*activity = COUNTER_NO_ACTIVITY;
	if (getrusage(RUSAGE_THREAD, &u) == 0) {
		activity->switches = activity_sum_switches(&u);
		activity->faults = (uint64_t)u.ru_minflt + (uint64_t)u.ru_majflt;
	}
	activity->cpu = activity_find_cpu();
	/* Last: as close as possible to the ticks of the reading. */
	activity->on_cpu_ns = thread_time_ns();
}

void activity_read(struct thread_self *self, struct counter_activity *activity)
{
	struct perf_group_reading r;

	read_usage(activity);
	if (!has_group(self) || perf_group_read(&self->group->activity, &r) != 0)
		return;
	activity->migrations = r.count[0];
	activity->opening = self->group->activity_opening;
}

/* ------------------------------------------------------------------- the switch page */

/* A reading holds for a millisecond. */
enum { LASTS_PER_SECOND = 1000 };

static bool activity_has_page(const struct thread_self *self)
{
	return self->group && self->group->page_number % 2;
}

/* While it changes, readers treat the page as absent; signal handlers do not touch it. */
static bool activity_begin_change(struct thread_group *g)
{
	if (g->page_changes)
		return false;
	g->page_changes = true;
	atomic_signal_fence(memory_order_acq_rel);
	g->page_number += g->page_number % 2;
	atomic_signal_fence(memory_order_acq_rel);
	return true;
}

static void activity_end_change(struct thread_group *g)
{
	atomic_signal_fence(memory_order_acq_rel);
	g->page_number += g->page.is_open;
	atomic_signal_fence(memory_order_acq_rel);
	g->page_changes = false;
}

/* The page with the faults replaces one without. */
static bool activity_replace_page(struct thread_group *g, bool faults)
{
	bool opened;

	if (!activity_begin_change(g))
		return false;
	opened = switch_page_open(&g->page, faults);
	if (opened) {
		/* The first calls determine the rates, which is slow and acquires a lock: not in a
		 * signal handler, to which this is not a thread's first interval. */
		rate_ns_of_ticks(1);
		g->reading_lasts = clock_ticks_per_second() / LASTS_PER_SECOND;
	}
	activity_end_change(g);
	return opened;
}

static void activity_close_page(struct thread_group *g)
{
	if (g->page_number % 2 == 0 || !activity_begin_change(g))
		return;
	switch_page_close(&g->page);
	activity_end_change(g);
}

/* Tries each kind once. True if the thread has a page. */
static bool activity_open_page(struct thread_self *self, bool faults)
{
	bool page = !self->page_tried, with_faults = faults && !self->faults_tried;
	struct thread_group *g;

	if (!page && !with_faults)
		return activity_has_page(self);
	self->page_tried = true;
	self->faults_tried |= faults;
	g = thread_keep(self);
	if (g && !(with_faults && activity_replace_page(g, true)) && page)
		activity_replace_page(g, false);
	return activity_has_page(self);
}

void activity_rest_page(struct thread_self *self)
{
	int saved = errno;

	self->page_tried = self->faults_tried = false;
	if (activity_has_page(self))
		activity_close_page(self->group);
	errno = saved;
}

bool activity_rest(struct thread_self *self)
{
	struct thread_group *g = self->group;
	int saved;

	self->page_tried = self->faults_tried = self->activity_tried = false;
	if (!g || (g->page_number % 2 == 0 && !g->activity.count))
		return false;
	saved = errno;
	activity_close_page(g);
	if (g->activity.count)
		perf_group_close(&g->activity, false);
	errno = saved;
	return true;
}

/*
 * A signal handler that measures may come between any two steps: it finds the version odd and
 * leaves the reading alone, or replaces all of it, which changes the version.
 */
static void activity_store(
	struct thread_group *g, enum activity_reach reach, const struct activity_reading *r)
{
	if (g->version % 2)
		return;
	g->version++;
	atomic_signal_fence(memory_order_acq_rel);
	g->last[reach] = *r;
	atomic_signal_fence(memory_order_acq_rel);
	g->version++;
}

static bool activity_load(
	const struct thread_group *g, enum activity_reach reach, struct activity_reading *r)
{
	unsigned version = g->version;

	atomic_signal_fence(memory_order_acq_rel);
	*r = g->last[reach];
	atomic_signal_fence(memory_order_acq_rel);
	return version % 2 == 0 && g->version == version;
}

/* A tracer that stops the thread at each system call switches it in each reading. */
enum { ACTIVITY_TRIES = 100 };

/* False: the page does not change while the thread is switched, as after
 * PR_TASK_PERF_EVENTS_DISABLE, moves in each reading, or was closed by a signal handler. */
static bool activity_renew(
	struct thread_self *self, enum activity_reach reach, struct counter_sample *s)
{
	struct thread_group *g = self->group;
	struct activity_reading before, r;
	bool comparable = activity_load(g, reach, &before);
	int tries = 0;

	r.number = g->page_number;
	do {
		if (tries++ == ACTIVITY_TRIES)
			return false;
		r.lock = switch_page_lock(&g->page);
		if (reach == ACTIVITY_ALL)
			activity_read(self, &r.activity);
		else
			read_usage(&r.activity);
		r.switches = (uint32_t)r.activity.switches;
		r.cpu = r.activity.cpu;
		r.ticks = clock_now();
	} while (switch_page_lock(&g->page) != r.lock);
	activity_fill(g, &r, s);
	if (r.number % 2 == 0 || g->page_number != r.number)
		return false;
	if (comparable && before.number == r.number && before.lock == r.lock &&
		before.switches != r.switches)
		return false;
	activity_store(g, reach, &r);
	return true;
}

/* By the page, where there is one. */
static bool activity_read_lately(
	struct thread_self *self, enum activity_reach reach, struct counter_sample *s, uint64_t now)
{
	if (activity_recall(self->group, reach, s, now))
		return true;
	if (!activity_renew(self, reach, s)) {
		activity_close_page(self->group);
		s->page = 0;
		s->activity_ticks = 0;
		return false;
	}
	/* Both ends of an interval that asks the kernel do: see activity_stayed. */
	s->activity_source = reach == ACTIVITY_ALL ? INTERVAL_TIME_CLOCK : INTERVAL_TIME_PAGE;
	return true;
}

/* ------------------------------------------------------------------- light intervals */

uint64_t activity_begin(struct activity_start *s)
{
	struct thread_self *self = thread_self();
	struct thread_group *g;
	struct counter_sample sample;
	uint64_t start;

	s->page = 0;
	if (!activity_open_page(self, false))
		return clock_read();
	start = activity_begin_again(s);
	if (start)
		return start;
	s->group = g = self->group;
	if (activity_renew(self, ACTIVITY_TIME, &sample)) {
		s->page = sample.page;
		s->lock = sample.page_lock;
		s->on_cpu_ns = sample.activity.on_cpu_ns;
		s->switches = (uint32_t)sample.activity.switches;
		s->cpu = sample.activity.cpu;
		s->ticks = sample.activity_ticks;
	} else {
		activity_close_page(g);
		s->page = 0;
	}
	return clock_read();
}

bool activity_page_stopped(const struct activity_start *s)
{
	struct rusage u;

	return s->switches != (uint32_t)NOT_MEASURED && getrusage(RUSAGE_THREAD, &u) == 0 &&
	       (uint32_t)activity_sum_switches(&u) != s->switches && activity_stayed_since(s);
}

bool activity_read_since(
	const struct activity_start *s, uint64_t start, struct activity_since *since)
{
	struct thread_self *self = thread_self();
	struct counter_sample now;
	uint64_t most;

	if (!s->page || !activity_has_page(self) || !activity_renew(self, ACTIVITY_TIME, &now) ||
		now.activity.switches == NOT_MEASURED || now.activity.on_cpu_ns == NOT_MEASURED ||
		s->switches == (uint32_t)NOT_MEASURED || s->on_cpu_ns == NOT_MEASURED)
		return false;
	since->switches = (uint32_t)now.activity.switches - s->switches;
	since->on_cpu_ns =
		now.activity.on_cpu_ns - s->on_cpu_ns - rate_ns_of_ticks(start - s->ticks);
	since->ticks = now.activity_ticks;
	since->page = now.page;
	since->lock = now.page_lock;
	/* The clocks of thread and processor differ. */
	most = rate_ns_of_ticks(since->ticks - start);
	if (since->on_cpu_ns > most)
		since->on_cpu_ns = since->on_cpu_ns >> 63 ? 0 : most;
	return true;
}

/* ------------------------------------------------------------------------ a sample's */

static void activity_ask_kernel(
	struct thread_self *self, struct activity_wants wants, struct counter_sample *s)
{
	if (wants.all) {
		activity_read(self, &s->activity);
	} else {
		s->activity.on_cpu_ns = thread_time_ns();
		s->activity.cpu = activity_find_cpu();
	}
	if (s->activity.on_cpu_ns != NOT_MEASURED)
		s->activity_source = INTERVAL_TIME_CLOCK;
}

/* The thread's page, as it is now. */
static void activity_fill_page(const struct thread_group *g, struct counter_sample *s)
{
	const uint32_t number = g->page_number;

	atomic_signal_fence(memory_order_acq_rel);
	s->page_lock = switch_page_lock(&g->page);
	s->page_faults = g->page.has_faults ? switch_page_faults(&g->page) : NOT_MEASURED;
	s->page = number % 2 && g->page_number == number ? number : 0;
}

/* now: the moment up to which a reading has to hold. True: no system call was needed. */
static bool activity_read_sample(struct thread_self *self, struct activity_wants wants,
	struct counter_sample *s, bool page, uint64_t now)
{
	/* Without its faults a page saves no system call of those that read all. */
	bool lately = page && !wants.ask && (!wants.all || self->group->page.has_faults);

	if (lately && activity_read_lately(self, wants.all ? ACTIVITY_ALL : ACTIVITY_TIME, s, now))
		return s->activity_ticks <= now;
	if (page && wants.all)
		activity_fill_page(self->group, s);
	if (!wants.all && !wants.time)
		return true;
	activity_ask_kernel(self, wants, s);
	return false;
}

bool activity_read_start(struct thread_self *self, struct activity_wants wants,
	struct counter_sample *s, uint64_t now)
{
	uint32_t number = self->group ? self->group->page_number : 0;
	bool page = wants.freely ? activity_open_page(self, wants.all) : activity_has_page(self);

	return activity_read_sample(self, wants, s, page, now) &&
	       (!page || number == self->group->page_number);
}

uint32_t activity_read_lock(const struct thread_self *self)
{
	return activity_has_page(self) ? switch_page_lock(&self->group->page) : 0;
}

void activity_read_end(struct thread_self *self, struct activity_wants wants,
	struct counter_sample *s, uint32_t lock)
{
	activity_read_sample(self, wants, s, activity_has_page(self), s->ticks);
	if (s->page && s->page_lock != lock && s->activity_ticks > s->ticks)
		s->ticks = s->activity_ticks;
}

/* ------------------------------------------------------------------------ differences */

static uint64_t activity_count_since(uint64_t from, uint64_t to)
{
	return from == NOT_MEASURED || to == NOT_MEASURED || to < from ? NOT_MEASURED : to - from;
}

void activity_difference(const struct counter_activity *from, const struct counter_activity *to,
	struct counter_activity *out)
{
	out->opening = to->opening;
	out->cpu = from->cpu;
	out->on_cpu_ns = activity_count_since(from->on_cpu_ns, to->on_cpu_ns);
	out->switches = activity_count_since(from->switches, to->switches);
	out->migrations = from->opening == to->opening
				  ? activity_count_since(from->migrations, to->migrations)
				  : NOT_MEASURED;
	out->faults = activity_count_since(from->faults, to->faults);
}

/* Between a reading and the sample's ticks the thread has not left the processor. */
static uint64_t activity_time_at(const struct counter_sample *s)
{
	const uint64_t read = s->activity.on_cpu_ns;
	uint64_t since;

	if (read == NOT_MEASURED || s->activity_ticks == 0)
		return read;
	if (s->activity_ticks <= s->ticks)
		return read + rate_ns_of_ticks(s->ticks - s->activity_ticks);
	since = rate_ns_of_ticks(s->activity_ticks - s->ticks);
	return read > since ? read - since : 0;
}

void activity_of_none(struct counter_interval *out)
{
	out->activity = COUNTER_NO_ACTIVITY;
	out->activity_source = INTERVAL_TIME_NONE;
	out->page = 0;
	out->end_switches = out->end_on_cpu_ns = NOT_MEASURED;
	out->unexplained_ns = NOT_MEASURED;
	out->stayed = false;
}

/* All of the time. No switch explains a difference to the thread's clock; it is reported if the
 * clock was read for both ends. */
static void activity_stayed(const struct counter_sample *from, const struct counter_sample *to,
	uint64_t elapsed, struct counter_interval *out)
{
	bool read = from->activity_source == INTERVAL_TIME_CLOCK &&
		    to->activity_source == INTERVAL_TIME_CLOCK;
	uint64_t ran = read ? out->activity.on_cpu_ns : NOT_MEASURED;

	out->stayed = true;
	out->activity.on_cpu_ns = elapsed;
	out->activity.switches = 0;
	if (ran != NOT_MEASURED)
		out->unexplained_ns = elapsed > ran ? elapsed - ran : 0;
}

/* The faults between two samples, if one page counted them at both. */
static uint64_t activity_faults(const struct counter_sample *from, const struct counter_sample *to)
{
	return from->page == to->page ? activity_count_since(from->page_faults, to->page_faults)
				      : NOT_MEASURED;
}

void activity_of_interval(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out)
{
	bool same = from->page && from->page == to->page && from->page_lock == to->page_lock;
	uint64_t elapsed = rate_ns_of_ticks(to->ticks > from->ticks ? to->ticks - from->ticks : 0);
	uint64_t faults = activity_faults(from, to);

	out->page = to->page;
	out->page_lock = to->page_lock;
	out->activity_source = same ? INTERVAL_TIME_PAGE : to->activity_source;
	if (from->activity_source == INTERVAL_TIME_NONE ||
		to->activity_source == INTERVAL_TIME_NONE) {
		out->activity_source = INTERVAL_TIME_NONE;
		return;
	}
	activity_difference(&from->activity, &to->activity, &out->activity);
	out->end_switches = to->activity.switches;
	if (faults != NOT_MEASURED)
		out->activity.faults = faults;
	/* The usual case. activity_renew has compared the counts. */
	if (same && from->activity_source == INTERVAL_TIME_PAGE &&
		to->activity_source == INTERVAL_TIME_PAGE) {
		activity_stayed(from, to, elapsed, out);
		return;
	}
	/* A count is more precise than a page that does not change. */
	if (out->activity.switches == 0 || (same && out->activity.switches == NOT_MEASURED)) {
		activity_stayed(from, to, elapsed, out);
		return;
	}
	uint64_t begin = activity_time_at(from), end = activity_time_at(to);

	out->end_on_cpu_ns = end;
	/* The clocks of thread and processor differ: it left soon after a moment that was computed.
	 */
	if (begin > end && from->activity.on_cpu_ns <= to->activity.on_cpu_ns)
		begin = end;
	out->activity.on_cpu_ns = activity_count_since(begin, end);
	if (out->activity.on_cpu_ns != NOT_MEASURED && out->activity.on_cpu_ns > elapsed)
		out->activity.on_cpu_ns = elapsed;
}

bool activity_count_stays(const struct counter_interval *i)
{
	struct rusage u;

	return i->end_switches == NOT_MEASURED ||
	       (getrusage(RUSAGE_THREAD, &u) == 0 && activity_sum_switches(&u) == i->end_switches);
}

uint64_t activity_time_since_end(const struct counter_interval *i)
{
	uint64_t now = i->end_on_cpu_ns == NOT_MEASURED ? NOT_MEASURED : thread_time_ns();

	return now == NOT_MEASURED || now < i->end_on_cpu_ns ? 0 : now - i->end_on_cpu_ns;
}
