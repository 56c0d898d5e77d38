/*
 * Other programs' countersets: which files are examined, and their contents.
 *
 * Examines the directories of this user and of root, and for root those of all users, in this
 * order; or only the one that SWTRACE_COUNTERSETS names. Within a directory, files sort by their
 * provider's start time, and of several countersets with the same GUID the first wins.
 *
 * A directory's cost to a consumer is bounded: at each refresh, DIRECTORY_NAMES names and the
 * headers of DIRECTORY_FILES files of running providers; while the consumer runs, DIRECTORY_BYTES
 * of definitions and DIRECTORY_KNOWN files and countersets, since definitions stay valid. In all
 * there are at most DIRECTORIES directories and SETS countersets. The rest is ignored.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/compare.h"
#include "../../../formats/base/number.h"
#include "../guid.h"
#include "image.h"
#include "directory.h"

enum {
	DIRECTORIES = 64,
	DIRECTORY_FILES = 256,
	DIRECTORY_KNOWN = 1024,
	DIRECTORY_BYTES = 2 << 20,
	SETS = 4096,	    /* given to callers */
	ROOT_NAMES = 16384, /* entries of /dev/shm that root reads to find directories */
};

struct known_set {
	struct counterset set;
	struct counterset_definition *definition;
	struct known_file *file;
	uint32_t number; /* in the file */
};

/* A file that was read before. Its name may belong to another file by now; device, inode and start
 * time identify it. */
struct known_file {
	struct known_file *next;
	struct known_directory *directory;
	char name[DIRECTORY_NAME_BYTES];
	dev_t device;
	ino_t inode;
	uint64_t started;
	uint32_t blocks; /* blocks read */
	uint32_t nsets;
	struct known_set *set[PROV_SETS];
};

struct known_directory {
	struct known_directory *next;
	struct providers *providers;
	uid_t owner; /* (uid_t)-1: the directory that SWTRACE_COUNTERSETS names */
	struct known_file *files;
	uint32_t nfiles, sets;
	size_t bytes;
	/* In the current refresh: */
	struct known_file *alive[DIRECTORY_FILES];
	uint32_t nalive;
};

struct provider_found {
	const struct counterset *set;
	uint32_t rank;
};

struct providers {
	int environment; /* result of directory_of_environment */
	struct session_location named;
	struct known_directory *directories;
	struct known_directory
		*examined[DIRECTORIES]; /* directories of the current refresh, in order */
	uint32_t nexamined;
	struct provider_found *found;
	const struct counterset **sets; /* given to callers */
	uint32_t nsets;
	size_t found_room, sets_room;
	uint32_t status; /* of the current refresh */
	struct image image;
};

/* ------------------------------------------------------------------------- reaching */

static int providers_open_directory(const struct known_directory *directory, uid_t *owner)
{
	struct session_location at;
	int dir;

	if (directory->owner == (uid_t)-1)
		at = directory->providers->named;
	else
		directory_of_user(&at, directory->owner);
	dir = session_open_dir(&at, NULL);
	*owner = at.owner;
	return dir;
}

/* Opens the file of a running provider and reads its header. Returns -1 if there is none. */
static int providers_open_file(
	struct providers *p, int dir, const char *name, uid_t owner, struct stat *st)
{
	int fd = session_open_file(dir, name, O_RDONLY, owner, 0, PROV_HEADER_BYTES, NULL);

	if (fd < 0)
		return -1;
	if (directory_is_alive(fd) && fstat(fd, st) == 0 && image_read(fd, &p->image) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool is_file(const struct known_file *f, const struct providers *p, const struct stat *st)
{
	return f->device == st->st_dev && f->inode == st->st_ino &&
	       f->started == p->image.header.started;
}

static int providers_reach_file(struct providers *p, const struct known_file *f)
{
	struct stat st;
	uid_t owner;
	int dir = providers_open_directory(f->directory, &owner), fd;

	if (dir < 0)
		return -1;
	fd = providers_open_file(p, dir, f->name, owner, &st);
	close(dir);
	if (fd >= 0 && !is_file(f, p, &st)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ------------------------------------------------------------------------ countersets */

static uint32_t providers_collect_rows(const struct counterset *set, void *state,
	const uint64_t *wanted, const struct sample_time *time, struct rows *rows)
{
	const struct known_set *k = set->context;
	struct providers *p = k->file->directory->providers;
	int fd = providers_reach_file(p, k->file);
	uint32_t rc;

	(void)state, (void)time;
	if (fd < 0) {
		rows_begin(rows, set->definition->ncounters);
		return ERROR_WMI_GUID_NOT_FOUND;
	}
	rc = image_rows(fd, &p->image, k->number, set->definition, wanted, rows);
	if (rc)
		rows_begin(rows, set->definition->ncounters);
	close(fd);
	return rc;
}

static uint32_t providers_list_instances(const struct counterset *set, struct rows *rows)
{
	return providers_collect_rows(set, NULL, NULL, NULL, rows);
}

static const struct counterset_operations providers_operations = {
	.instances = providers_list_instances, .collect = providers_collect_rows};

static bool providers_add_set(struct known_file *f, struct counterset_definition *d)
{
	struct known_set *k = calloc(1, sizeof *k);

	if (!k)
		return false;
	k->definition = d;
	k->file = f;
	k->number = f->nsets;
	k->set = (struct counterset){
		.definition = d, .operations = &providers_operations, .context = k};
	f->set[f->nsets++] = k;
	return true;
}

/* Whether the file has a counterset with this GUID already: the second one is invalid. */
static bool is_twice(const struct known_file *f, const GUID *guid)
{
	for (uint32_t i = 0; i < f->nsets; i++)
		if (guid_equal(&f->set[i]->definition->guid, guid))
			return true;
	return false;
}

static uint32_t providers_read_set(
	struct known_directory *directory, struct known_file *f, int fd, uint32_t block)
{
	struct counterset_definition *d;
	size_t bytes;
	uint32_t rc;

	if (directory->sets >= DIRECTORY_KNOWN || directory->bytes >= DIRECTORY_BYTES)
		return ERROR_INVALID_DATA;
	rc = image_definition(fd, &directory->providers->image, block, &d, &bytes);
	if (rc)
		return rc;
	if (is_twice(f, &d->guid))
		rc = ERROR_INVALID_DATA;
	else if (!providers_add_set(f, d))
		rc = ERROR_OUTOFMEMORY;
	if (rc) {
		free(d);
		return rc;
	}
	directory->sets++;
	directory->bytes += bytes;
	return ERROR_SUCCESS;
}

/* Reads the sets added since the last refresh. False if one is invalid. */
static bool providers_read_sets(struct known_directory *directory, struct known_file *f, int fd)
{
	struct providers *p = directory->providers;

	for (; f->blocks < p->image.header.blocks; f->blocks++) {
		uint32_t rc = p->image.header.block[f->blocks].kind == PROV_SET
				      ? providers_read_set(directory, f, fd, f->blocks)
				      : ERROR_SUCCESS;

		if (rc == ERROR_OUTOFMEMORY)
			p->status = rc;
		if (rc)
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------------------ files */

static struct known_file *know_file(
	struct known_directory *directory, const char *name, const struct stat *st)
{
	struct known_file *f = directory->files;

	while (f && !is_file(f, directory->providers, st))
		f = f->next;
	if (f || directory->nfiles >= DIRECTORY_KNOWN)
		return f;
	f = calloc(1, sizeof *f);
	if (!f) {
		directory->providers->status = ERROR_OUTOFMEMORY;
		return NULL;
	}
	f->directory = directory;
	snprintf(f->name, sizeof f->name, "%s", name);
	f->device = st->st_dev;
	f->inode = st->st_ino;
	f->started = directory->providers->image.header.started;
	f->next = directory->files;
	directory->files = f;
	directory->nfiles++;
	return f;
}

struct visit {
	struct known_directory *directory;
	uid_t owner;
};

static bool visit_file(void *ctx, int dir, const char *name)
{
	const struct visit *v = ctx;
	struct known_directory *directory = v->directory;
	struct known_file *f;
	struct stat st;
	int fd = providers_open_file(directory->providers, dir, name, v->owner, &st);

	if (fd < 0)
		return true;
	f = know_file(directory, name, &st);
	if (f && providers_read_sets(directory, f, fd) && f->nsets)
		directory->alive[directory->nalive++] = f;
	close(fd);
	return directory->nalive < DIRECTORY_FILES;
}

static int by_start(const void *a, const void *b)
{
	const struct known_file *x = *(struct known_file *const *)a;
	const struct known_file *y = *(struct known_file *const *)b;

	int c = compare_u64(x->started, y->started);

	return c ? c : strcmp(x->name, y->name);
}

static void visit_directory(struct known_directory *directory)
{
	struct visit v = {.directory = directory};
	int dir = providers_open_directory(directory, &v.owner);

	directory->nalive = 0;
	if (dir < 0)
		return;
	directory_each_file(dir, visit_file, &v);
	close(dir);
	qsort(directory->alive, directory->nalive, sizeof *directory->alive, by_start);
}

/* ----------------------------------------------------------------------------- directories */

static void providers_add_directory(struct providers *p, uid_t owner)
{
	struct known_directory *directory = p->directories;

	for (uint32_t i = 0; i < p->nexamined; i++)
		if (p->examined[i]->owner == owner)
			return;
	while (directory && directory->owner != owner)
		directory = directory->next;
	if (!directory && p->nexamined < DIRECTORIES) {
		directory = calloc(1, sizeof *directory);
		if (!directory) {
			p->status = ERROR_OUTOFMEMORY;
			return;
		}
		directory->providers = p;
		directory->owner = owner;
		directory->next = p->directories;
		p->directories = directory;
	}
	if (directory && p->nexamined < DIRECTORIES)
		p->examined[p->nexamined++] = directory;
}

static int by_owner(const void *a, const void *b)
{
	const struct known_directory *x = *(struct known_directory *const *)a;
	const struct known_directory *y = *(struct known_directory *const *)b;

	return compare_u64(x->owner, y->owner);
}

/* Adds the directories of all users, for root. */
static void providers_add_users(struct providers *p)
{
	const size_t prefix = strlen(PROV_DIR_PREFIX);
	const uint32_t before = p->nexamined;
	DIR *d = opendir(PROV_ROOT);
	struct dirent *e;

	for (int i = 0; d && i < ROOT_NAMES && (e = readdir(d)) != NULL; i++) {
		struct known_directory probe = {.providers = p};
		uint64_t number;
		uid_t owner;
		int dir;

		if (strncmp(e->d_name, PROV_DIR_PREFIX, prefix) != 0 ||
			!number_parse(e->d_name + prefix, 10, (uid_t)-1, &number))
			continue;
		probe.owner = (uid_t)number;
		dir = probe.owner == (uid_t)-1 ? -1 : providers_open_directory(&probe, &owner);
		if (dir < 0)
			continue;
		close(dir);
		providers_add_directory(p, probe.owner);
	}
	if (d)
		closedir(d);
	qsort(p->examined + before, p->nexamined - before, sizeof *p->examined, by_owner);
}

static void choose_directories(struct providers *p)
{
	p->nexamined = 0;
	if (p->environment > 0) {
		providers_add_directory(p, (uid_t)-1);
		return;
	}
	providers_add_directory(p, geteuid());
	providers_add_directory(p, 0);
	if (geteuid() == 0)
		providers_add_users(p);
}

/* ----------------------------------------------------------------------- results */

static bool providers_reserve_sets(struct providers *p, uint32_t n)
{
	return array_reserve(&p->found, &p->found_room, n, sizeof *p->found) &&
	       array_reserve(&p->sets, &p->sets_room, n, sizeof(struct counterset *));
}

static int by_guid(const void *a, const void *b)
{
	const struct provider_found *x = a, *y = b;
	int c = memcmp(&x->set->definition->guid, &y->set->definition->guid, sizeof(GUID));

	return c ? c : compare_u64(x->rank, y->rank);
}

static int by_rank(const void *a, const void *b)
{
	const struct provider_found *x = a, *y = b;

	return compare_u64(x->rank, y->rank);
}

/* Keeps the first counterset of each GUID. */
static bool providers_gather_sets(struct providers *p)
{
	uint32_t n = 0, kept = 0;

	for (uint32_t i = 0; i < p->nexamined; i++) {
		for (uint32_t f = 0; f < p->examined[i]->nalive; f++) {
			const struct known_file *file = p->examined[i]->alive[f];

			if (!providers_reserve_sets(p, n + file->nsets))
				return false;
			for (uint32_t s = 0; s < file->nsets; s++, n++)
				p->found[n] = (struct provider_found){
					.set = &file->set[s]->set, .rank = n};
		}
	}
	if (n)
		qsort(p->found, n, sizeof *p->found, by_guid);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || !guid_equal(&p->found[i].set->definition->guid,
				      &p->found[kept - 1].set->definition->guid))
			p->found[kept++] = p->found[i];
	if (kept)
		qsort(p->found, kept, sizeof *p->found, by_rank);
	if (kept > SETS)
		kept = SETS;
	for (uint32_t i = 0; i < kept; i++)
		p->sets[i] = p->found[i].set;
	p->nsets = kept;
	return true;
}

/* -------------------------------------------------------------------------- functions */

struct providers *providers_open(void)
{
	struct providers *p =
		aligned_alloc(PROV_LINE, (sizeof *p + PROV_LINE - 1) / PROV_LINE * PROV_LINE);

	if (!p)
		return NULL;
	memset(p, 0, sizeof *p);
	p->environment = directory_of_environment(&p->named);
	return p;
}

uint32_t providers_refresh(struct providers *p, const struct counterset *const **sets, uint32_t *n)
{
	*sets = p->sets;
	*n = 0;
	if (p->environment < 0)
		return ERROR_INVALID_PARAMETER;
	p->status = ERROR_SUCCESS;
	choose_directories(p);
	for (uint32_t i = 0; i < p->nexamined; i++)
		visit_directory(p->examined[i]);
	if (p->status || !providers_gather_sets(p))
		return ERROR_OUTOFMEMORY;
	*sets = p->sets;
	*n = p->nsets;
	return ERROR_SUCCESS;
}

static void free_directory(struct known_directory *directory)
{
	struct known_file *f;

	while ((f = directory->files) != NULL) {
		directory->files = f->next;
		for (uint32_t i = 0; i < f->nsets; i++) {
			free(f->set[i]->definition);
			free(f->set[i]);
		}
		free(f);
	}
	free(directory);
}

void providers_close(struct providers *p)
{
	struct known_directory *directory;

	if (!p)
		return;
	while ((directory = p->directories) != NULL) {
		p->directories = directory->next;
		free_directory(directory);
	}
	free(p->found);
	free(p->sets);
	free(p);
}
