/*
 * swtrace.h - light intervals: mark a part of a program, without a handle and without CpiInit. Link
 * with libswtrace. Needs GCC or Clang; C99 or C++11.
 *
 *	SWTRACE_SCOPE("parse");				to the end of the block
 *	SWTRACE_SCOPE("get", SWT_U64("size", n), SWT_STR("key", k));
 *	SwtraceBegin("parse"); ... SwtraceEnd();	across functions, nested, per thread
 *	CpiArg(handle, SWT_U64("size", n));		arguments of a CPI interval
 *
 * A light interval is one hook, written at its end (major SWTRACE_SCOPE_MAJOR; its layout is in
 * trace-file.5). It holds the elapsed time, whether the thread left its processor meanwhile, the
 * label and the arguments; reports treat it like an interval of CpiGetAndTrace, whose counts it
 * lacks. Light intervals and those of instances nest in each other.
 *
 * Costs: with tracing off, or the major disabled, a load and a branch at each end, and arguments
 * are not evaluated. Labels and names of arguments are written once for the life of the session's
 * rings (16 MiB in all), also in wrap mode; hooks hold their numbers. A literal label finds its
 * number by one comparison, any other one by a hash of its text. Once the 16 MiB are full, hooks
 * hold the texts. A label of more than 64 KiB is left out: the interval has none.
 *
 * An interval is recorded if tracing was on for all of it, and if it ends on the thread and in the
 * process that began it. Turning tracing off, disabling a major and fork drop open intervals:
 * of an interval that is open at a fork the child records nothing, the parent everything. A thread
 * that ends drops its open ones. Labels need not outlive the call: an object that defines some
 * may be unloaded.
 *
 * Threads: any thread may call these. So may signal handlers, but for CpiArg, and but for a
 * thread's first interval, which opens an event of the thread and allocates. A thread that uses
 * arguments or SwtraceBegin has 64 KiB for them until it ends.
 *
 * Nothing here fails visibly or sets errno: hooks that are lost are counted (see swtrace info).
 */
#ifndef SWTRACE_H
#define SWTRACE_H

#include "perfutil.h"

#ifdef __cplusplus
#include <initializer_list>

extern "C" {
#endif

#define SWTRACE_SCOPE_MAJOR 0xC2

/* Arguments of one interval; the macros accept no more. */
#define SWT_ARGS_MAX 16
/* Bytes of a text argument; the rest is cut off. */
#define SWT_TEXT_MAX 1024
/* Intervals of SwtraceBegin that a thread may have open at once; deeper ones are not recorded. */
#define SWT_DEPTH_MAX 128

/* ------------------------------------------------------------------- arguments */

/* Internal: a label or a name, and its number once known. */
typedef struct {
	const char *text;
	UINT32 length;
	UINT64 number;
} swtrace_label_;

typedef struct {
	swtrace_label_ *name;
	UINT32 type; /* internal */
	UINT32 length;
	union {
		UINT64 u;
		INT64 i;
		double f;
		const void *text;
	} value;
} SWT_ARG;

#define SWTRACE_LABEL_(literal)                                                                    \
	{                                                                                          \
		"" literal, sizeof(literal) - 1, 0                                                 \
	}

/* The static label of a literal, at each place that names it. */
#define SWTRACE_NAME_(literal)                                                                     \
	__extension__({                                                                            \
		static swtrace_label_ swtrace_name_ = SWTRACE_LABEL_(literal);                     \
		&swtrace_name_;                                                                    \
	})

static inline SWT_ARG swtrace_arg_(swtrace_label_ *name, UINT32 type)
{
	SWT_ARG a;

	a.name = name;
	a.type = type;
	a.length = 0;
	a.value.u = 0;
	return a;
}

static inline SWT_ARG swtrace_u64_(swtrace_label_ *name, UINT64 v)
{
	SWT_ARG a = swtrace_arg_(name, 1);

	a.value.u = v;
	return a;
}

static inline SWT_ARG swtrace_i64_(swtrace_label_ *name, INT64 v)
{
	SWT_ARG a = swtrace_arg_(name, 2);

	a.value.i = v;
	return a;
}

static inline SWT_ARG swtrace_f64_(swtrace_label_ *name, double v)
{
	SWT_ARG a = swtrace_arg_(name, 3);

	a.value.f = v;
	return a;
}

static inline SWT_ARG swtrace_bytes_(swtrace_label_ *name, const void *bytes, UINT64 length)
{
	SWT_ARG a = swtrace_arg_(name, 4);

	a.value.text = bytes;
	a.length = length > 0xffffffffu ? 0xffffffffu : (UINT32)length;
	return a;
}

static inline SWT_ARG swtrace_str_(swtrace_label_ *name, const char *text)
{
	return swtrace_bytes_(name, text, text ? __builtin_strlen(text) : 0);
}

/* The name is a literal. Values are copied when the interval begins. Text: NUL-terminated, or any
 * bytes of that length; NULL is an empty text. */
#define SWT_U64(name, v) swtrace_u64_(SWTRACE_NAME_(name), v)
#define SWT_I64(name, v) swtrace_i64_(SWTRACE_NAME_(name), v)
#define SWT_F64(name, v) swtrace_f64_(SWTRACE_NAME_(name), v)
#define SWT_STR(name, v) swtrace_str_(SWTRACE_NAME_(name), v)
#define SWT_BYTES(name, v, length) swtrace_bytes_(SWTRACE_NAME_(name), v, length)

/* ------------------------------------------------------------------------ scopes */

/* Internal: an open interval. Programs have it in their blocks, so that its size is for good. */
typedef struct {
	UINT64 start; /* 0: not to be recorded */
	UINT64 period, life[5], serial;
	swtrace_label_ *label;
	UINT32 writer, number, kept, text; /* kept, text: in the thread's memory */
	UINT64 begin;			   /* of the begin hook, if kept and text say so */
	UINT64 cost;			   /* of the begin; 0: not measured */
} swtrace_scope_;

SWTRACE_HANDLER_API void swtrace_scope_begin_(
	swtrace_scope_ *scope, swtrace_label_ *label, UINT32 nargs, const SWT_ARG *args);
SWTRACE_HANDLER_API void swtrace_scope_end_(const swtrace_scope_ *scope);

/*
 * Internal: not 0 while the calling thread may keep an event open of which its context switches
 * pay. The first begin or end that finds tracing off closes it.
 */
SWTRACE_API extern __thread UINT32 swtrace_awake_ __attribute__((tls_model("initial-exec")));
SWTRACE_HANDLER_API int swtrace_rest_(void); /* 1 */

static inline int swtrace_scope_is_off_(void)
{
	return swtrace_hook_is_off(SWTRACE_SCOPE_MAJOR) &&
	       (__builtin_expect(swtrace_awake_ == 0, 1) || swtrace_rest_());
}

static inline void swtrace_scope_leave_(swtrace_scope_ *scope)
{
	if (__builtin_expect(scope->start != 0, 0))
		swtrace_scope_end_(scope);
}

#define SWTRACE_CAT_(a, b) SWTRACE_CAT2_(a, b)
#define SWTRACE_CAT2_(a, b) a##b
/* 1 for one argument, else N. */
#define SWTRACE_COUNT_(...)                                                                        \
	SWTRACE_COUNT2_(__VA_ARGS__, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, 1, 0)
#define SWTRACE_COUNT2_(                                                                           \
	a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, n, ...)        \
	n

static inline void swtrace_scope_args_(swtrace_scope_ *scope, UINT32 nargs, const SWT_ARG *args)
{
	swtrace_scope_begin_(scope, scope->label, nargs, args);
}

/* Calls begin(..., arguments) while what the arguments refer to lives: in C++ a temporary ends with
 * its full expression. */
#ifdef __cplusplus
#define SWTRACE_PASS_(list, begin, first, ...) list(first, {__VA_ARGS__})
#else
#define SWTRACE_PASS_(list, begin, first, ...)                                                     \
	do {                                                                                       \
		const SWT_ARG swtrace_args_[] = {__VA_ARGS__};                                     \
		begin(first, sizeof swtrace_args_ / sizeof *swtrace_args_, swtrace_args_);         \
	} while (0)
#endif

/* Clears the start alone: an initialiser of the scope would clear all its words, also while tracing
 * is off. That of the variable after it lets compilers warn of jumps past both. */
#define SWTRACE_SCOPE_OPEN_(id, literal)                                                           \
	static swtrace_label_ SWTRACE_CAT_(swtrace_label_, id) = SWTRACE_LABEL_(literal);          \
	__attribute__((cleanup(swtrace_scope_leave_), unused))                                     \
	swtrace_scope_ SWTRACE_CAT_(swtrace_scope_, id);                                           \
	__attribute__((unused)) UINT64 SWTRACE_CAT_(swtrace_none_, id) =                           \
		SWTRACE_CAT_(swtrace_scope_, id).start = 0
#define SWTRACE_SCOPE_1_(id, literal)                                                              \
	SWTRACE_SCOPE_OPEN_(id, literal);                                                          \
	if (!swtrace_scope_is_off_())                                                              \
	swtrace_scope_begin_(                                                                      \
		&SWTRACE_CAT_(swtrace_scope_, id), &SWTRACE_CAT_(swtrace_label_, id), 0, 0)
#define SWTRACE_SCOPE_N_(id, literal, ...)                                                         \
	SWTRACE_SCOPE_OPEN_(id, literal);                                                          \
	SWTRACE_CAT_(swtrace_scope_, id).label = &SWTRACE_CAT_(swtrace_label_, id);                \
	if (!swtrace_scope_is_off_())                                                              \
	SWTRACE_PASS_(swtrace_scope_list_, swtrace_scope_args_, &SWTRACE_CAT_(swtrace_scope_, id), \
		__VA_ARGS__)

/*
 * SWTRACE_SCOPE(literal, arguments...): from here to the end of the block, however it is left, C++
 * exceptions included. Not after longjmp, which leaves no blocks: the interval is then not
 * recorded. A declaration: it cannot be the only statement of an `if`.
 */
#define SWTRACE_SCOPE(...)                                                                         \
	SWTRACE_CAT_(SWTRACE_CAT_(SWTRACE_SCOPE_, SWTRACE_COUNT_(__VA_ARGS__)), _)                 \
	(__COUNTER__, __VA_ARGS__)

/* -------------------------------------------------------------------- begin, end */

/*
 * SwtraceBegin(label, arguments...) and SwtraceEnd(): what the thread began last ends. The label is
 * any NUL-terminated string. An end without a begin does nothing.
 */
SWTRACE_HANDLER_API void swtrace_begin_(const char *label, UINT32 nargs, const SWT_ARG *args);
SWTRACE_HANDLER_API void SwtraceEnd(void);

#define SWTRACE_BEGIN_1_(label) (swtrace_scope_is_off_() ? (void)0 : swtrace_begin_(label, 0, 0))
#define SWTRACE_BEGIN_N_(label, ...)                                                               \
	__extension__({                                                                            \
		if (!swtrace_scope_is_off_())                                                      \
			SWTRACE_PASS_(swtrace_begin_list_, swtrace_begin_, label, __VA_ARGS__);    \
		(void)0;                                                                           \
	})
#define SwtraceBegin(...)                                                                          \
	SWTRACE_CAT_(SWTRACE_CAT_(SWTRACE_BEGIN_, SWTRACE_COUNT_(__VA_ARGS__)), _)(__VA_ARGS__)
#define SwtraceEnd() (swtrace_scope_is_off_() ? (void)0 : (SwtraceEnd)())

/*
 * The number of intervals that SwtraceBegin has open on this thread, and dropping all but so many
 * without recording them: for a longjmp over their ends. The depth counts from when tracing was
 * turned on last.
 */
SWTRACE_HANDLER_API UINT32 SwtraceDepth(void);
SWTRACE_HANDLER_API void SwtraceUnwind(UINT32 depth);

/* ---------------------------------------------------------------- of CPI intervals */

/*
 * Adds arguments to the groups that Gets of this instance write, until its next CpiStart. Of two
 * with one name the last one counts. Errors: PU_ERR_NULL_PTR, PU_ERR_NOT_INITIALIZED,
 * PU_ERROR_NOT_ENOUGH_MEMORY, PU_ERROR_INVALID_PARAMETER (more than SWT_ARGS_MAX since CpiStart).
 */
SWTRACE_API int CpiArgs(void *handle, UINT32 nargs, const SWT_ARG *args);
#ifdef __cplusplus
#define CpiArg(handle, ...) swtrace_cpi_list_(handle, {__VA_ARGS__})
#else
#define CpiArg(handle, ...)                                                                        \
	__extension__({                                                                            \
		const SWT_ARG swtrace_args_[] = {__VA_ARGS__};                                     \
		CpiArgs(handle, sizeof swtrace_args_ / sizeof *swtrace_args_, swtrace_args_);      \
	})
#endif

#ifdef __cplusplus
}

static inline void swtrace_scope_list_(swtrace_scope_ *scope, std::initializer_list<SWT_ARG> args)
{
	swtrace_scope_args_(scope, (UINT32)args.size(), args.begin());
}

static inline void swtrace_begin_list_(const char *label, std::initializer_list<SWT_ARG> args)
{
	swtrace_begin_(label, (UINT32)args.size(), args.begin());
}

static inline int swtrace_cpi_list_(void *handle, std::initializer_list<SWT_ARG> args)
{
	return CpiArgs(handle, (UINT32)args.size(), args.begin());
}
#endif

#endif
