#include "offer.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../../formats/base/time_ns.h"
#include "../../guid.h"

/* On a page that fork wipes: HOME_WIPED shows a process that it is a new child. */
enum home { HOME_WIPED = 0, HOME_TAKEN = 1, HOME_HERE = 2 };
static uint32_t *home;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct offered_provider offered[OFFER_PROVIDERS];
static struct offered_set *spare_sets;
static sigset_t forking; /* the forking thread's signal mask */

/* -------------------------------------------------------------------------- fork */

/*
 * The providers belong to the parent. Leaks their memory: the copy may be in the middle of a
 * change, and a handler may have forked during a call that continues in the child.
 */
static void offer_reset_in_child(void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	uint32_t wiped = HOME_WIPED;

	/* Acquire and release: the child's other threads see the reset complete.
	 * tests/litmus/fork-epoch.litmus */
	if (!__atomic_compare_exchange_n(
		    home, &wiped, HOME_TAKEN, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		while (__atomic_load_n(home, __ATOMIC_ACQUIRE) == HOME_TAKEN)
			sched_yield();
		return;
	}
	memcpy(&lock, &fresh, sizeof lock);
	for (int i = 0; i < OFFER_PROVIDERS; i++) {
		struct offered_provider *p = &offered[i];

		if (p->serial % 2) {
			offer_file_forget(&p->file);
			p->nsets = 0;
			p->names = NULL;
			__atomic_store_n(&p->serial, p->serial + 1, __ATOMIC_RELAXED);
		}
	}
	spare_sets = NULL;
	__atomic_store_n(home, HOME_HERE, __ATOMIC_RELEASE);
}

/* -------------------------------------------------------------------------- lock */

void offer_enter(sigset_t *saved)
{
	uint32_t *p = __atomic_load_n(&home, __ATOMIC_ACQUIRE);
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
	if (p && __atomic_load_n(p, __ATOMIC_ACQUIRE) != HOME_HERE)
		offer_reset_in_child();
	pthread_mutex_lock(&lock);
}

void offer_leave(const sigset_t *saved)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

/*
 * Holds the lock over the fork: no thread is changing providers, or making a file whose lock the
 * child would inherit. Blocks signals, since a handler that forks would deadlock.
 */
static void offer_before_fork(void)
{
	sigset_t saved;

	offer_enter(&saved);
	forking = saved;
}

static void after_fork_parent(void)
{
	sigset_t saved = forking;

	offer_leave(&saved);
}

static void after_fork_child(void)
{
	sigset_t saved = forking;

	/* For kernels without MADV_WIPEONFORK. */
	__atomic_store_n(home, HOME_WIPED, __ATOMIC_RELAXED);
	offer_reset_in_child();
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

static void make_home(void)
{
	long page = sysconf(_SC_PAGESIZE);
	uint32_t *p = mmap(
		NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	madvise(p, (size_t)page, MADV_WIPEONFORK);
	*p = HOME_HERE;
	__atomic_store_n(&home, p, __ATOMIC_RELEASE);
	pthread_atfork(offer_before_fork, after_fork_parent, after_fork_child);
}

/* ----------------------------------------------------------------------- handles */

static HANDLE handle_of(const struct offered_provider *p)
{
	return (HANDLE)((uintptr_t)p->serial << 8 | (uintptr_t)(p - offered));
}

struct offered_provider *offer_find(HANDLE handle)
{
	uint32_t *p = __atomic_load_n(&home, __ATOMIC_ACQUIRE);
	uintptr_t at = (uintptr_t)handle & 0xff, serial = (uintptr_t)handle >> 8;

	/* Acquire: a started provider's file is mapped. tests/litmus/fork-epoch.litmus */
	if (at >= OFFER_PROVIDERS || serial % 2 == 0 || !p ||
		__atomic_load_n(p, __ATOMIC_ACQUIRE) != HOME_HERE ||
		__atomic_load_n(&offered[at].serial, __ATOMIC_ACQUIRE) != serial)
		return NULL;
	return &offered[at];
}

struct offered_set *offer_find_set(struct offered_provider *p, const GUID *set)
{
	for (uint32_t i = 0; i < p->nsets; i++)
		if (guid_equal(&p->set[i]->guid, set))
			return p->set[i];
	return NULL;
}

static struct prov_header *offer_header(struct offered_provider *p)
{
	return (struct prov_header *)(void *)p->file.base;
}

/* ------------------------------------------------------------------------ blocks */

void *offer_block(struct offered_provider *p, const struct prov_block *block, uint32_t *status)
{
	struct prov_block *to = &offer_header(p)->block[p->blocks];
	uint32_t end = p->end + block->bytes;

	*status = ERROR_NOT_ENOUGH_MEMORY;
	if (p->blocks == PROV_BLOCKS || block->bytes > PROV_FILE_MAX || end > PROV_FILE_MAX)
		return NULL;
	*status = offer_file_grow(&p->file, end);
	if (*status)
		return NULL;
	*to = *block;
	to->offset = p->end;
	return p->file.base + p->end;
}

void offer_publish(struct offered_provider *p)
{
	uint32_t bytes = offer_header(p)->block[p->blocks].bytes;

	p->end += (bytes + PROV_LINE - 1) & ~(uint32_t)(PROV_LINE - 1);
	p->blocks++;
	/* Release: pairs with image_read's fence. A reader that sees the count sees the block.
	 * tests/litmus/image-count.litmus */
	__atomic_store_n(&offer_header(p)->blocks, p->blocks, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------------ memory */

static void offer_free_names(struct offered_provider *p)
{
	while (p->names) {
		struct offered_name *n = p->names;

		p->names = n->next;
		free(n->name);
		free(n->help);
		free(n);
	}
}

struct offered_set *offer_obtain_set(uint32_t counters, const uint32_t *id, const uint32_t *size)
{
	struct offered_set **at = &spare_sets, *set;

	while ((set = *at) != NULL &&
		(set->counters != counters || memcmp(set->id, id, counters * sizeof *id) != 0 ||
			memcmp(set->size, size, counters * sizeof *size) != 0))
		at = &set->next;
	if (set) {
		*at = set->next;
		return set;
	}
	set = calloc(1, sizeof *set);
	if (!set)
		return NULL;
	set->counters = counters;
	memcpy(set->id, id, counters * sizeof *id);
	memcpy(set->size, size, counters * sizeof *size);
	return set;
}

void offer_give_set(struct offered_set *set)
{
	for (size_t n = 0; n < set->nall; n++) {
		struct offered_instance *i = set->all[n];

		__atomic_store_n(&i->owner, 0, __ATOMIC_RELAXED);
		i->next = set->room[i->room].idle;
		set->room[i->room].idle = i;
	}
	free(set->all);
	hash_index_free(&set->by_name);
	set->all = NULL;
	set->nall = set->all_room = set->indexed = 0;
	set->instances = set->slots = 0;
	for (int room = 0; room < OFFER_ROOMS; room++) {
		set->room[room].freed = NULL;
		set->room[room].fresh_left = set->room[room].slots = 0;
	}
	set->next = spare_sets;
	spare_sets = set;
}

struct offered_instance *offer_obtain_instance(struct offered_set *set, enum offer_room room)
{
	struct offered_instance *i = set->room[room].idle;

	if (i) {
		set->room[room].idle = i->next;
		i->state = 0;
		return i;
	}
	i = calloc(1, sizeof *i + (room == OFFER_SHORT ? PROV_ROOM_SHORT : PROV_ROOM_LONG) + 8);
	if (!i)
		return NULL;
	i->set = set;
	i->room = room;
	return i;
}

/* ----------------------------------------------------------------- start and stop */

static uint32_t offer_start_provider(const GUID *guid, HANDLE *handle)
{
	struct offered_provider *p = NULL;
	struct prov_header *h;
	uint32_t rc;

	for (int i = OFFER_PROVIDERS - 1; i >= 0; i--) {
		if (offered[i].serial % 2 == 0)
			p = &offered[i];
		else if (guid_equal(&offered[i].guid, guid))
			return ERROR_ALREADY_EXISTS;
	}
	if (!p)
		return ERROR_NOT_ENOUGH_MEMORY;
	rc = offer_file_make(&p->file, guid);
	if (rc)
		return rc;
	p->guid = *guid;
	p->blocks = 0;
	p->end = PROV_HEADER_BYTES;
	h = offer_header(p);
	h->version = PROV_VERSION;
	h->started = time_ns_monotonic();
	memcpy(h->guid, guid, sizeof h->guid);
	h->pid = (uint32_t)getpid();
	strncpy(h->program, program_invocation_short_name, sizeof h->program - 1);
	/* Release: consumers accept the file from here on. tests/litmus/image-count.litmus */
	__atomic_store_n(&h->magic, PROV_MAGIC, __ATOMIC_RELEASE);
	__atomic_store_n(&p->serial, p->serial + 1, __ATOMIC_RELEASE);
	*handle = handle_of(p);
	return ERROR_SUCCESS;
}

ULONG PerfStartProvider(LPCGUID provider, void *reserved, PHANDLE handle)
{
	sigset_t saved;
	uint32_t rc;

	if (!provider || reserved || !handle)
		return ERROR_INVALID_PARAMETER;
	pthread_once(&once, make_home);
	if (!home)
		return ERROR_NOT_ENOUGH_MEMORY;
	offer_enter(&saved);
	rc = offer_start_provider(provider, handle);
	offer_leave(&saved);
	return rc;
}

static void offer_stop_provider(struct offered_provider *p)
{
	/* Invalidate handles first, so that late increments are refused. */
	__atomic_store_n(&p->serial, p->serial + 1, __ATOMIC_RELEASE);
	offer_file_remove(&p->file);
	for (uint32_t i = 0; i < p->nsets; i++)
		offer_give_set(p->set[i]);
	p->nsets = 0;
	offer_free_names(p);
}

ULONG PerfStopProvider(HANDLE provider)
{
	struct offered_provider *p;
	sigset_t saved;

	offer_enter(&saved);
	p = offer_find(provider);
	if (p)
		offer_stop_provider(p);
	offer_leave(&saved);
	return p ? ERROR_SUCCESS : ERROR_INVALID_HANDLE;
}

ULONG PerfShareProvider(HANDLE provider, int everyone)
{
	struct offered_provider *p;
	sigset_t saved;
	uint32_t rc;

	offer_enter(&saved);
	p = offer_find(provider);
	rc = p ? offer_file_share(&p->file, everyone != 0) : ERROR_INVALID_HANDLE;
	offer_leave(&saved);
	return rc;
}
