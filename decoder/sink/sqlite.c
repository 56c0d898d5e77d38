#include "sqlite.h"

#include <errno.h>
#include <pthread.h>

#include "../../formats/base/library.h"
#include "escapes.h"

/*
 * The part of SQLite's interface that is used. It is stable for all of version 3, so the build does
 * without its headers; where they are, they are compared.
 */
enum {
	SQLITE_FINE = 0,
	SQLITE_NO_MEMORY = 7,
	SQLITE_INPUT_OUTPUT = 10,
	SQLITE_NO_ROOM = 13,
	SQLITE_STEPPED = 101,
	SQLITE_WRITABLE = 2,
	SQLITE_ONE_THREAD = 0x8000,
};

typedef void (*sqlite_free_fn)(void *);
typedef int (*sqlite_row_fn)(void *, int, char **, char **);

/* X(name, arguments): as sqlite_calls.name for sqlite3_name. All return int. */
#define SQLITE_CALLS(X)                                                                            \
	X(open_v2, (const char *, struct sqlite3 **, int, const char *))                           \
	X(close, (struct sqlite3 *))                                                               \
	X(exec, (struct sqlite3 *, const char *, sqlite_row_fn, void *, char **))                  \
	X(prepare_v2,                                                                              \
		(struct sqlite3 *, const char *, int, struct sqlite3_stmt **, const char **))      \
	X(step, (struct sqlite3_stmt *))                                                           \
	X(reset, (struct sqlite3_stmt *))                                                          \
	X(finalize, (struct sqlite3_stmt *))                                                       \
	X(bind_null, (struct sqlite3_stmt *, int))                                                 \
	X(bind_int64, (struct sqlite3_stmt *, int, long long))                                     \
	X(bind_double, (struct sqlite3_stmt *, int, double))                                       \
	X(bind_text, (struct sqlite3_stmt *, int, const char *, int, sqlite_free_fn))              \
	X(system_errno, (struct sqlite3 *))

static struct {
#define SQLITE_CALL(name, arguments) int(*name) arguments;
	SQLITE_CALLS(SQLITE_CALL)
#undef SQLITE_CALL
} sqlite_calls;

#if __has_include(<sqlite3.h>)
#include <sqlite3.h>
#define SQLITE_COMPARE(name, arguments)                                                            \
	_Static_assert(__builtin_types_compatible_p(                                               \
			       __typeof__(sqlite_calls.name), __typeof__(&sqlite3_##name)),        \
		"sqlite3_" #name);
SQLITE_CALLS(SQLITE_COMPARE)
#undef SQLITE_COMPARE
_Static_assert((int)SQLITE_FINE == SQLITE_OK && (int)SQLITE_NO_MEMORY == SQLITE_NOMEM &&
		       (int)SQLITE_INPUT_OUTPUT == SQLITE_IOERR &&
		       (int)SQLITE_NO_ROOM == SQLITE_FULL && (int)SQLITE_STEPPED == SQLITE_DONE &&
		       (int)SQLITE_WRITABLE == SQLITE_OPEN_READWRITE &&
		       (int)SQLITE_ONE_THREAD == SQLITE_OPEN_NOMUTEX,
	"constants of SQLite");
#endif

/* Asks for a copy of the text. */
#define SQLITE_COPIED ((sqlite_free_fn)(intptr_t)-1)

static bool is_usable;

static void sqlite_load(void)
{
	static const struct library_call all[] = {
#define SQLITE_NAMED(name, arguments) {"sqlite3_" #name, &sqlite_calls.name},
		SQLITE_CALLS(SQLITE_NAMED)
#undef SQLITE_NAMED
	};

	is_usable = library_load("libsqlite3.so.0", all, sizeof all / sizeof *all);
}

const char *sqlite_find_lacking(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	return pthread_once(&once, sqlite_load) == 0 && is_usable
		       ? NULL
		       : "libsqlite3.so.0 is not here (Debian: libsqlite3-0)";
}

static void sqlite_fail(struct sqlite_file *f, int rc)
{
	int error = f->db && rc == SQLITE_INPUT_OUTPUT ? sqlite_calls.system_errno(f->db) : 0;

	if (f->error)
		return;
	if (rc == SQLITE_NO_MEMORY)
		error = ENOMEM;
	else if (rc == SQLITE_NO_ROOM)
		error = ENOSPC;
	f->error = error ? error : EIO;
}

static void sqlite_check(struct sqlite_file *f, int rc)
{
	if (rc != SQLITE_FINE && rc != SQLITE_STEPPED)
		sqlite_fail(f, rc & 0xFF);
}

void sqlite_run(struct sqlite_file *f, const char *sql)
{
	if (!f->error)
		sqlite_check(f, sqlite_calls.exec(f->db, sql, NULL, NULL, NULL));
}

void sqlite_open(struct sqlite_file *f, const char *path)
{
	struct out name;

	*f = (struct sqlite_file){0};
	out_memory(&f->text);
	out_memory(&name);
	/* A name that begins with file: would be an address. */
	if (*path != '/')
		out_str(&name, "./");
	out_bytes(&name, path, strlen(path) + 1);
	f->error = name.error;
	/* The file is temporary and not shared. Without locks it works on any file system. */
	if (!f->error)
		sqlite_check(f, sqlite_calls.open_v2(name.buf, &f->db,
					SQLITE_WRITABLE | SQLITE_ONE_THREAD, "unix-none"));
	out_discard(&name);
	sqlite_run(f, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		      "PRAGMA cache_size = -16384; BEGIN");
}

void sqlite_prepare(
	struct sqlite_file *f, struct sqlite_row *row, const char *table, unsigned columns)
{
	*row = (struct sqlite_row){.file = f};
	f->text.len = 0;
	out_printf(&f->text, "INSERT INTO %s VALUES(?", table);
	for (unsigned i = 1; i < columns; i++)
		out_str(&f->text, ",?");
	out_bytes(&f->text, ")", 2);
	if (!f->error)
		f->error = f->text.error;
	if (!f->error)
		sqlite_check(
			f, sqlite_calls.prepare_v2(f->db, f->text.buf, -1, &row->statement, NULL));
}

void sqlite_put_null(struct sqlite_row *row)
{
	if (!row->file->error)
		sqlite_check(row->file, sqlite_calls.bind_null(row->statement, ++row->put));
}

void sqlite_put_i64(struct sqlite_row *row, int64_t v)
{
	if (!row->file->error)
		sqlite_check(row->file, sqlite_calls.bind_int64(row->statement, ++row->put, v));
}

void sqlite_put_double(struct sqlite_row *row, double v)
{
	if (!row->file->error)
		sqlite_check(row->file, sqlite_calls.bind_double(row->statement, ++row->put, v));
}

void sqlite_put_text(struct sqlite_row *row, const char *s, size_t n)
{
	struct sqlite_file *f = row->file;

	if (f->error)
		return;
	f->text.len = 0;
	escape_utf8(&f->text, s, n);
	f->error = f->text.error;
	if (!f->error && f->text.len > INT32_MAX)
		f->error = EFBIG;
	if (!f->error)
		sqlite_check(f, sqlite_calls.bind_text(row->statement, ++row->put,
					n ? f->text.buf : "", (int)f->text.len, SQLITE_COPIED));
}

void sqlite_end_row(struct sqlite_row *row)
{
	row->put = 0;
	if (row->file->error)
		return;
	int rc = sqlite_calls.step(row->statement);
	sqlite_check(row->file, rc);
	sqlite_calls.reset(row->statement);
}

void sqlite_finish(struct sqlite_row *row)
{
	if (row->statement)
		sqlite_calls.finalize(row->statement);
	row->statement = NULL;
}

int sqlite_close(struct sqlite_file *f)
{
	sqlite_run(f, "COMMIT");
	if (f->db) {
		int rc = sqlite_calls.close(f->db);

		if (!f->error)
			sqlite_check(f, rc);
	}
	out_discard(&f->text);
	f->db = NULL;
	return f->error;
}

void sqlite_put_u64(struct sqlite_row *row, uint64_t v)
{
	if (v <= INT64_MAX) {
		sqlite_put_i64(row, (int64_t)v);
		return;
	}
	row->file->reals++;
	sqlite_put_double(row, (double)v);
}
