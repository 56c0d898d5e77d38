#include "zstd.h"

#include <pthread.h>
#include <stdbool.h>

#include "../../formats/base/library.h"

/* The part of libzstd's interface in use, stable since 1.0. Checked against its header, if
 * installed. */
#define ZSTD_CALLS(X)                                                                              \
	X(compressBound, size_t, (size_t))                                                         \
	X(compress, size_t, (void *, size_t, const void *, size_t, int))                           \
	X(isError, unsigned, (size_t))

static struct {
#define ZSTD_CALL(name, result, arguments) result(*name) arguments;
	ZSTD_CALLS(ZSTD_CALL)
#undef ZSTD_CALL
} zstd_calls;

#if __has_include(<zstd.h>)
#include <zstd.h>
#define ZSTD_COMPARE(name, result, arguments)                                                      \
	_Static_assert(__builtin_types_compatible_p(                                               \
			       __typeof__(zstd_calls.name), __typeof__(&ZSTD_##name)),             \
		"ZSTD_" #name);
#undef ZSTD_isError /* also a macro of some versions */
ZSTD_CALLS(ZSTD_COMPARE)
#undef ZSTD_COMPARE
#endif

/* Selects the library's default level. */
enum { ZSTD_LEVEL_DEFAULT = 0 };

static bool is_usable;

static void zstd_load(void)
{
	static const struct library_call all[] = {
#define ZSTD_NAMED(name, result, arguments) {"ZSTD_" #name, &zstd_calls.name},
		ZSTD_CALLS(ZSTD_NAMED)
#undef ZSTD_NAMED
	};

	is_usable = library_load("libzstd.so.1", all, sizeof all / sizeof *all);
}

const char *zstd_find_lacking(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	return pthread_once(&once, zstd_load) == 0 && is_usable
		       ? NULL
		       : "libzstd.so.1 is not here (Debian: libzstd1)";
}

size_t zstd_bound(size_t n)
{
	return zstd_calls.compressBound(n);
}

size_t zstd_compress(void *to, size_t room, const void *from, size_t n)
{
	const size_t size = zstd_calls.compress(to, room, from, n, ZSTD_LEVEL_DEFAULT);

	return zstd_calls.isError(size) ? 0 : size;
}
