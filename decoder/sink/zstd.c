#include "zstd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

/* Weak: a static program has none, and must not be linked with one for this. */
extern __typeof__(dlopen) dlopen __attribute__((weak));
extern __typeof__(dlsym) dlsym __attribute__((weak));

/* The part of libzstd's interface that is used, stable since 1.0. Compared where headers are. */
#define ZSTD_CALLS(X)                                                                              \
	X(compressBound, size_t, (size_t))                                                         \
	X(compress, size_t, (void *, size_t, const void *, size_t, int))                           \
	X(isError, unsigned, (size_t))

static struct {
#define ZSTD_CALL(name, result, arguments) result(*name) arguments;
	ZSTD_CALLS(ZSTD_CALL)
#undef ZSTD_CALL
} calls;

#if __has_include(<zstd.h>)
#include <zstd.h>
#define ZSTD_COMPARE(name, result, arguments)                                                      \
	_Static_assert(                                                                            \
		__builtin_types_compatible_p(__typeof__(calls.name), __typeof__(&ZSTD_##name)),    \
		"ZSTD_" #name);
#undef ZSTD_isError /* also a macro of some versions */
ZSTD_CALLS(ZSTD_COMPARE)
#undef ZSTD_COMPARE
#endif

/* Stands for the library's default level. */
enum { ZSTD_LEVEL_DEFAULT = 0 };

static bool is_usable;

static void zstd_load(void)
{
	void *library = dlopen && dlsym ? dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL) : NULL;
	bool all = library != NULL;

#define ZSTD_FIND(name, result, arguments)                                                         \
	if (all)                                                                                   \
		*(void **)&calls.name = dlsym(library, "ZSTD_" #name);                             \
	all = all && calls.name;
	ZSTD_CALLS(ZSTD_FIND)
#undef ZSTD_FIND
	is_usable = all;
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
	return calls.compressBound(n);
}

size_t zstd_compress(void *to, size_t room, const void *from, size_t n)
{
	const size_t size = calls.compress(to, room, from, n, ZSTD_LEVEL_DEFAULT);

	return calls.isError(size) ? 0 : size;
}
