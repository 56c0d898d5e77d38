#include "events.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/interval_hooks.h"
#include "../../../formats/record.h"
#include "../../session/attach.h"

_Static_assert(INTERVAL_EVENTS_WORD_COUNT == 0 && INTERVAL_EVENTS_WORD_TEXTS == 1 &&
		       INTERVAL_EVENTS_WORD_ELAPSED == 2 && INTERVAL_EVENTS_WORD_FIRST == 4 &&
		       INTERVAL_EVENT_NAME == 0 && INTERVAL_EVENT_FLAGS == 1 &&
		       INTERVAL_EVENT_VALUE == 2 && INTERVAL_EVENT_ENABLED == 4 &&
		       INTERVAL_EVENT_RUNNING == 6 && INTERVAL_EVENT_WORDS == 8,
	"as this file lays them out");

const struct event_set *events_chosen;

static void events_choose_locked(void)
{
	const char *own = secure_getenv("SWTRACE_EVENTS");
	char list[SHM_EVENTS_BYTES], why[EVENT_WHY_MAX];
	const struct event_set *set = NULL;

	attach_read_events(list);
	/* An invalid list counts nothing; swtrace doctor reports it. */
	if (own && *own)
		set = event_set_of(own, why);
	else if (list[0])
		set = event_set_of(list, why);
	/* Release: pairs with the acquires of the set's readers. */
	__atomic_store_n(&events_chosen, set, __ATOMIC_RELEASE);
	/* For good: instances and threads may still have the events of an earlier list. */
	if (set)
		__atomic_fetch_or(&attach_extras, ATTACH_EVENTS_USED, __ATOMIC_RELAXED);
}

/* If another thread holds the lock, keeps the current event set. */
static void events_choose(void)
{
	int cancellation;

	/* It reads files: see core/lock.h. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
	if (event_sets_try_lock()) {
		events_choose_locked();
		event_sets_unlock();
	}
	pthread_setcancelstate(cancellation, NULL);
}

bool events_read_start(struct events **events)
{
	const struct event_set *set;
	int saved = errno;

	if (__atomic_load_n(&attach_extras, __ATOMIC_RELAXED) & ATTACH_EVENTS_NEW)
		events_choose();
	set = __atomic_load_n(&events_chosen, __ATOMIC_ACQUIRE);
	if (set && !*events)
		*events = calloc(1, sizeof **events);
	if (!*events)
		goto out;
	if ((*events)->set != set) {
		memset((*events)->label, 0, sizeof(*events)->label);
		(*events)->map = NULL;
	}
	(*events)->set = set;
	if (set)
		event_count_read(set, &(*events)->from, EVENT_AT_START);
	else
		event_count_rest();
out:
	errno = saved;
	return true;
}

bool events_rest(struct events *events)
{
	int saved = errno;

	if (events)
		events->set = NULL;
	event_count_rest();
	errno = saved;
	return true;
}

bool events_are_read(const struct events *e)
{
	return e->set && e->from.opening && e->from.opening == e->to.opening;
}

void events_free(struct events *events)
{
	free(events);
}

/* ---------------------------------------------------------------------------- the hook */

static uint32_t events_words(const struct events *e)
{
	return INTERVAL_EVENTS_WORD_FIRST + INTERVAL_EVENT_WORDS * e->set->count;
}

static void events_find_names(struct events *e)
{
	/* Load it first: if a signal handler attaches the thread to other rings meanwhile, the
	 * names are looked up again. */
	const struct ring_map *map = ring_self.map;

	e->texts = e->string_bytes = 0;
	for (unsigned i = 0; i < e->set->count; i++) {
		const char *name = e->set->event[i].name;
		uint32_t length = (uint32_t)strlen(name);

		e->name[i] = attach_find_label(name, length, &e->label[i]);
		if (e->name[i])
			continue;
		e->texts++;
		e->string_bytes += rec_string_bytes(length);
	}
	e->map = e->texts ? NULL : map;
}

void events_add(struct events *e, struct frame *f)
{
	if (!e->map || e->map != ring_self.map)
		events_find_names(e);
	frame_add_texts(f, events_words(e), e->string_bytes);
}

static void events_put_count(
	struct cursor *c, uint32_t name, const struct event_count *count, bool user_only)
{
	uint32_t flags = user_only ? INTERVAL_EVENT_USER_ONLY : 0;

	cursor_put_word(c, name);
	cursor_put_word(c, count->known ? flags | INTERVAL_EVENT_KNOWN : flags);
	cursor_put_count(c, count->value);
	cursor_put_count(c, count->enabled);
	cursor_put_count(c, count->running);
}

void events_write(struct events *e, struct frame *f, bool is_stale)
{
	const struct event_set *set = e->set;
	struct cursor c = frame_record_texts(f, INTERVAL_MAJOR, INTERVAL_MINOR_EVENTS,
		events_words(e), e->texts, e->string_bytes);

	cursor_put_word(&c, set->count);
	cursor_put_word(&c, e->texts);
	cursor_put_elapsed(&c, f);
	for (unsigned i = 0; i < set->count; i++) {
		struct event_count count = event_count_between(&e->from, &e->to, i);
		uint32_t name = e->name[i] && is_stale ? INTERVAL_LABEL_UNKNOWN : e->name[i];

		events_put_count(&c, name, &count, set->event[i].user_only);
	}
	for (unsigned i = 0; e->texts && i < set->count; i++)
		if (e->name[i] == 0)
			c.at = hook_string(
				c.at, set->event[i].name, (uint32_t)strlen(set->event[i].name));
}
