#include "sets_tests.h"
#include "../lib/folder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------- asking */

struct asked asked;

void ask_open(const struct counterset *set)
{
	memset(&asked, 0, sizeof asked);
	asked.set = set;
	memset(asked.wanted, 0xff, sizeof asked.wanted);
	ck_assert_uint_eq(set->operations->open(set, &asked.state), ERROR_SUCCESS);
}

void ask_close(void)
{
	if (!asked.set)
		return;
	asked.set->operations->close(asked.set, asked.state);
	rows_free(&asked.rows);
	asked.set = NULL;
}

void read_rows(int64_t time)
{
	asked.time =
		(struct sample_time){.ticks = time / 10, .frequency = 1000000, .time_100ns = time};
	rows_begin(&asked.rows, asked.set->definition->ncounters);
	ck_assert_uint_eq(asked.set->operations->collect(
				  asked.set, asked.state, asked.wanted, &asked.time, &asked.rows),
		ERROR_SUCCESS);
}

const char *name_of(uint32_t row)
{
	return asked.rows.names + asked.rows.row[row].name;
}

static uint32_t find_row(const char *name)
{
	uint32_t row = 0;

	while (row < asked.rows.used && strcmp(name_of(row), name) != 0)
		row++;
	return row;
}

bool has_row(const char *name)
{
	return find_row(name) < asked.rows.used;
}

uint32_t row_of(const char *name)
{
	uint32_t row = find_row(name);

	ck_assert_msg(row < asked.rows.used, "no instance %s", name);
	return row;
}

bool is_known(const char *instance, uint32_t column)
{
	return asked.rows.known[(size_t)row_of(instance) * asked.rows.columns + column];
}

uint64_t value(const char *instance, uint32_t column)
{
	ck_assert_msg(is_known(instance, column), "%s has no %s", instance,
		asked.set->definition->counter[column].name);
	return asked.rows.value[(size_t)row_of(instance) * asked.rows.columns + column];
}

void check_definition(const struct counterset_definition *d)
{
	ck_assert_uint_le(d->ncounters, COUNTERSET_COUNTERS);
	ck_assert(d->name && d->help && strlen(d->name) < COUNTERSET_NAME_BYTES &&
		  strlen(d->help) < COUNTERSET_HELP_BYTES);
	for (uint32_t i = 0; i < d->ncounters; i++) {
		const struct counter_definition *c = &d->counter[i];

		ck_assert_ptr_nonnull(c->name);
		ck_assert_ptr_nonnull(c->help);
		ck_assert(strlen(c->name) < COUNTERSET_NAME_BYTES);
		ck_assert(i == 0 || c->id > d->counter[i - 1].id);
		ck_assert(c->base == PERF_NO_COUNTER || counterset_column(d, c->base) >= 0);
		ck_assert(c->detail == PERF_DETAIL_NOVICE || c->detail == PERF_DETAIL_ADVANCED);
		for (uint32_t k = 0; k < i; k++)
			ck_assert_str_ne(c->name, d->counter[k].name);
	}
}

/* ---------------------------------------------------------------------- made-up files */

static char root[64];

static void remove_all(void)
{
	folder_remove(root);
}

const char *made_up_root(void)
{
	if (!*root) {
		strcpy(root, "/tmp/swtrace-sets-XXXXXX");
		ck_assert_ptr_nonnull(mkdtemp(root));
		atexit(remove_all);
	}
	return root;
}

void put_bytes(const char *name, const char *bytes, size_t length)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", made_up_root(), name);
	for (char *p = path + strlen(root); (p = strchr(p + 1, '/'));) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, length, f), length);
	fclose(f);
}

void write_file(const char *name, const char *format, ...)
{
	char text[4096];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	ck_assert(length >= 0 && (size_t)length < sizeof text);
	put_bytes(name, text, (size_t)length);
}

void put_away(const char *name)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", made_up_root(), name);
	ck_assert_int_eq(remove(path), 0);
}

int main(void)
{
	return suites_run(sets_parse_suite(), sets_processor_suite(), sets_counters_suite(),
		sets_cpi_suite(), sets_process_suite(), sets_query_suite(), NULL);
}
