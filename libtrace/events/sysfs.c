/*
 * PMUs as the kernel shows them: /sys/bus/event_source/devices/PMU/{type,format/,events/}.
 * No name can leave that directory.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "../core/file.h"
#include "../core/online.h"

#define SYSFS "/sys"
#define DEVICES "bus/event_source/devices"

static char root[PATH_MAX - 512] = SYSFS;

void event_sysfs_set(const char *path)
{
	snprintf(root, sizeof root, "%s", path ? path : SYSFS);
}

bool event_sysfs_is_ours(void)
{
	return strcmp(root, SYSFS) == 0;
}

/* Whether the name of a PMU, a term or an event is one file name, and not a hidden one. */
static bool good_name(const char *name)
{
	size_t n =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");

	return n > 0 && n < 64 && name[n] == 0 && name[0] != '.';
}

int event_pmu_file(const struct event_pmu *pmu, const char *path, char *text, size_t size)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof whole, "%s/" DEVICES "/%s/%s", root, pmu->name, path);
	ssize_t n = file_read_once(whole, text, size - 1);
	if (n < 0 || n == (ssize_t)size - 1)
		return -1;
	text[n] = 0;
	if (n && text[n - 1] == '\n')
		text[n - 1] = 0;
	return 0;
}

int event_pmu_open(const char *name, struct event_pmu *pmu)
{
	char text[32];
	uint64_t type;

	*pmu = (struct event_pmu){.type = 0};
	if (!good_name(name))
		return -EINVAL;
	snprintf(pmu->name, sizeof pmu->name, "%s", name);
	if (event_pmu_file(pmu, "type", text, sizeof text))
		return -ENOENT;
	if (!event_number(text, &type) || type > UINT32_MAX)
		return -ENOENT;
	pmu->type = (uint32_t)type;
	return 0;
}

bool event_pmu_field(const struct event_pmu *pmu, const char *term, struct event_field *field)
{
	char path[80], text[256];

	for (const struct event_format *f = pmu->formats; f && f->term; f++)
		if (strcmp(f->term, term) == 0)
			return event_field_parse(f->spec, field);
	if (pmu->formats || !good_name(term))
		return false;
	snprintf(path, sizeof path, "format/%s", term);
	return event_pmu_file(pmu, path, text, sizeof text) == 0 && event_field_parse(text, field);
}

/* ------------------------------------------------------------------------- directories */

static int sysfs_is_visible(const struct dirent *e)
{
	return good_name(e->d_name);
}

/* The files that describe the scale of an event's count. */
static int sysfs_is_event(const struct dirent *e)
{
	static const char *const about[] = {".scale", ".unit", ".snapshot", ".per-pkg"};
	const char *dot = strrchr(e->d_name, '.');

	for (size_t i = 0; dot && i < sizeof about / sizeof *about; i++)
		if (strcmp(dot, about[i]) == 0)
			return 0;
	return sysfs_is_visible(e);
}

static int sysfs_walk_folder(const char *path, int (*wanted)(const struct dirent *e),
	int (*visit)(void *user, const char *name), void *user)
{
	struct dirent **list;
	int n = scandir(path, &list, wanted, alphasort), rc = 0;

	if (n < 0)
		return 0;
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = visit(user, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return rc;
}

int event_pmu_walk_terms(
	const struct event_pmu *pmu, int (*visit)(void *user, const char *term), void *user)
{
	char path[PATH_MAX];
	int rc = 0;

	for (const struct event_format *f = pmu->formats; f && f->term && rc == 0; f++)
		rc = visit(user, f->term);
	if (pmu->formats)
		return rc;
	snprintf(path, sizeof path, "%s/" DEVICES "/%s/format", root, pmu->name);
	return sysfs_walk_folder(path, sysfs_is_visible, visit, user);
}

int event_pmu_walk_events(
	const struct event_pmu *pmu, int (*visit)(void *user, const char *event), void *user)
{
	char path[PATH_MAX];

	if (pmu->formats)
		return 0;
	snprintf(path, sizeof path, "%s/" DEVICES "/%s/events", root, pmu->name);
	return sysfs_walk_folder(path, sysfs_is_event, visit, user);
}

int event_walk_pmus(int (*visit)(void *user, const char *pmu), void *user)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/" DEVICES, root);
	return sysfs_walk_folder(path, sysfs_is_visible, visit, user);
}

bool event_pmu_counts_on(const char *pmu, uint32_t cpu)
{
	static const char *const files[] = {"cpumask", "cpus"};
	char path[sizeof root + 128], text[4096];
	struct cpu_set set;

	for (int i = 0; good_name(pmu) && i < 2; i++) {
		snprintf(path, sizeof path, "%s/" DEVICES "/%s/%s", root, pmu, files[i]);
		ssize_t n = file_read_once(path, text, sizeof text);
		if (n > 0 && cpu_set_parse(&set, text, (size_t)n))
			return cpu_set_has(&set, cpu);
	}
	return true;
}
