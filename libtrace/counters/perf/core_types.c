#include "core_types.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/number.h"
#include "../../core/file.h"

static struct core_types types;
static pthread_once_t core_types_once = PTHREAD_ONCE_INIT;

static bool core_types_read_file(const char *dir, const char *name, char *text, size_t size)
{
	char path[512];
	ssize_t n;

	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
		return false;
	n = file_read_once(path, text, size - 1);
	if (n <= 0)
		return false;
	text[n] = 0;
	return true;
}

static bool read_type(const char *dir, uint32_t *type)
{
	char text[32];
	const char *at = text;
	uint64_t v;

	if (!core_types_read_file(dir, "type", text, sizeof text) ||
		!number_scan(&at, at + strlen(at), 10, INT32_MAX, &v))
		return false;
	*type = (uint32_t)v;
	return *at == '\n' || *at == 0;
}

/* "event=0x02\n" */
static bool read_event(const char *dir, const char *name, uint64_t *config)
{
	char text[64];
	const char *at = text + 6;

	if (!core_types_read_file(dir, name, text, sizeof text) || strncmp(text, "event=", 6) != 0)
		return false;
	return number_scan_prefixed(&at, at + strlen(at), UINT64_MAX, config) &&
	       (*at == '\n' || *at == 0);
}

static void read_msr(const char *dir)
{
	types.has_mperf = read_type(dir, &types.mperf_pmu) &&
			  read_event(dir, "events/mperf", &types.mperf_config);
	types.has_aperf = types.has_mperf && read_event(dir, "events/aperf", &types.aperf_config);
}

/* Only processors' PMUs have this file; uncore PMUs have a cpumask. */
static bool read_core_type(const char *dir, const char *name, struct core_type *t)
{
	char text[4096];

	if (strlen(name) >= sizeof t->name || !core_types_read_file(dir, "cpus", text, sizeof text))
		return false;
	strcpy(t->name, name);
	return cpu_set_parse(&t->cpus, text, strlen(text)) && read_type(dir, &t->pmu);
}

static int by_first_cpu(const void *a, const void *b)
{
	const struct core_type *x = a, *y = b;

	for (uint32_t cpu = 0; cpu < ONLINE_MAX; cpu++)
		if (cpu_set_has(&x->cpus, cpu) != cpu_set_has(&y->cpus, cpu))
			return cpu_set_has(&x->cpus, cpu) ? -1 : 1;
	return 0;
}

void core_types_read(const char *sysfs)
{
	char devices[256], dir[512];
	struct dirent *entry;
	DIR *d;

	memset(&types, 0, sizeof types);
	snprintf(devices, sizeof devices, "%s/bus/event_source/devices", sysfs);
	d = opendir(devices);
	if (!d)
		return;
	while ((entry = readdir(d)) != NULL) {
		if (*entry->d_name == '.')
			continue;
		snprintf(dir, sizeof dir, "%s/%s", devices, entry->d_name);
		if (strcmp(entry->d_name, "msr") == 0)
			read_msr(dir);
		else if (types.count < CORE_TYPES_MAX &&
			 read_core_type(dir, entry->d_name, &types.type[types.count]))
			types.count++;
	}
	closedir(d);
	qsort(types.type, types.count, sizeof *types.type, by_first_cpu);
}

static void read_once(void)
{
	core_types_read("/sys");
}

const struct core_types *core_types(void)
{
	pthread_once(&core_types_once, read_once);
	return &types;
}

unsigned core_type_of(uint32_t cpu)
{
	const struct core_types *t = core_types();

	for (unsigned i = 0; i < t->count; i++)
		if (cpu_set_has(&t->type[i].cpus, cpu))
			return i;
	return 0;
}
