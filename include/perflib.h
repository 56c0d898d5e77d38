/*
 * perflib.h - countersets that any program can query and provide, in the manner of Windows' PerfLib
 * version 2, for C on Linux. Link with libperflib. The manual page perflib(3) explains the
 * facility and its countersets; this header is the contract. Names, numbers and layouts of
 * structures are PerfLib's; anything without a counterpart there is marked "not in PerfLib".
 *
 * UTF-8 instead of UTF-16: strings are UTF-8, NUL-terminated, and their sizes are bytes. This is
 * the only difference in layout: a block with a string is the structure, the string with its NUL,
 * and zeros up to a multiple of 8 bytes.
 *
 * Errors: functions return ERROR_SUCCESS (0) or one of the ERROR_ codes below; those that return
 * a pointer return NULL and set errno (EINVAL, ENOMEM, EEXIST, ENOENT). If a buffer is too small,
 * they return ERROR_NOT_ENOUGH_MEMORY and store the required size, and nothing else.
 * Nothing here prints or ends the process.
 *
 * Untrusted providers: countersets of other programs come through shared memory that those
 * programs can write at any time. The library copies and checks everything before it returns it:
 * every size and offset within a block is valid, strings end and hold no control characters (U+FFFD
 * replaces each, in traces as well), and each value was read once. The values themselves
 * may be anything. Blocks pass every check that PerfLib's documentation asks of a consumer.
 *
 * Threads: any thread may call any function. One thread at a time may use a query handle or the
 * instances of a provider, except that the functions that set, increment and decrement are atomic.
 * fork: a child may query with handles of its own, not with its parent's, and provides nothing
 * until it starts a provider of its own.
 */
#ifndef PERFLIB_H
#define PERFLIB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PERFLIB_API __attribute__((visibility("default")))
#else
#define PERFLIB_API
#endif

/* --------------------------------------------------------- types that Linux lacks */

typedef uint32_t ULONG, DWORD, *LPDWORD, *PULONG;
typedef int32_t LONG;
typedef uint64_t ULONGLONG;
typedef int64_t LONGLONG;
typedef uint16_t WORD;
typedef void *HANDLE;
typedef HANDLE *PHANDLE;
typedef const char *LPCSTR; /* UTF-8 */

typedef struct _GUID {
	uint32_t Data1;
	uint16_t Data2, Data3;
	uint8_t Data4[8];
} GUID, *LPGUID;
typedef const GUID *LPCGUID;

typedef struct _SYSTEMTIME {
	WORD wYear, wMonth, wDayOfWeek, wDay, wHour, wMinute, wSecond, wMilliseconds;
} SYSTEMTIME; /* UTC */

/* Statuses: numbers and names of Windows' system error codes. */
#define ERROR_SUCCESS 0
#define ERROR_FILE_NOT_FOUND 2
#define ERROR_ACCESS_DENIED 5
#define ERROR_INVALID_HANDLE 6
#define ERROR_NOT_ENOUGH_MEMORY 8 /* of the caller's buffer */
#define ERROR_INVALID_DATA 13	  /* a provider's block or a trace is malformed */
#define ERROR_OUTOFMEMORY 14
#define ERROR_NOT_READY 21     /* a delta counter with only one sample */
#define ERROR_READ_FAULT 30    /* reading failed: errno says why */
#define ERROR_NOT_SUPPORTED 50 /* this machine cannot supply the counter */
#define ERROR_INVALID_PARAMETER 87
#define ERROR_INSUFFICIENT_BUFFER 122 /* a trace is full */
#define ERROR_ALREADY_EXISTS 183
#define ERROR_MORE_DATA 234
#define ERROR_NO_MORE_ITEMS 259 /* a trace has no further sample */
#define ERROR_NOT_FOUND 1168
#define ERROR_WMI_GUID_NOT_FOUND 4200	  /* no such counterset */
#define ERROR_WMI_INSTANCE_NOT_FOUND 4201 /* no matching instance */
#define ERROR_WMI_ITEMID_NOT_FOUND 4202	  /* no such counter */

/* Returns the name of a status ("ERROR_INVALID_DATA"), or "ERROR_UNKNOWN": a constant string. Not
 * in PerfLib. */
PERFLIB_API const char *PerfStatusName(ULONG status);

/* ------------------------------------------------------------------- counter types */

/*
 * Types and their formulas (PerfFormatCounterValue). N: counter value; B: base counter's value; T:
 * time stamp; F: its frequency; t: 100 ns time; 0 and 1: first and second sample. For the OBJ_TIME
 * types T is the object's clock, whose counter is registered as the base (and as PerfTimeId);
 * without such a counter, T is the time stamp.
 */
#define PERF_COUNTER_RAWCOUNT_HEX 0x00000000u	    /* N1 */
#define PERF_COUNTER_LARGE_RAWCOUNT_HEX 0x00000100u /* N1 */
#define PERF_COUNTER_RAWCOUNT 0x00010000u	    /* N1 */
#define PERF_COUNTER_LARGE_RAWCOUNT 0x00010100u	    /* N1 */
#define PERF_COUNTER_DELTA 0x00400400u		    /* N1-N0 */
#define PERF_COUNTER_LARGE_DELTA 0x00400500u	    /* N1-N0 */
#define PERF_COUNTER_COUNTER 0x10410400u	    /* (N1-N0) / ((T1-T0)/F) */
#define PERF_COUNTER_BULK_COUNT 0x10410500u	    /* the same, 64 bits */
#define PERF_SAMPLE_COUNTER 0x00410400u		    /* (N1-N0) / ((T1-T0)/F) */
#define PERF_COUNTER_TIMER 0x20410500u		    /* 100 (N1-N0) / (T1-T0) */
#define PERF_COUNTER_TIMER_INV 0x21410500u	    /* 100 (1 - (N1-N0)/(T1-T0)) */
#define PERF_100NSEC_TIMER 0x20510500u		    /* 100 (N1-N0) / (t1-t0) */
#define PERF_100NSEC_TIMER_INV 0x21510500u	    /* 100 (1 - (N1-N0)/(t1-t0)) */
#define PERF_OBJ_TIME_TIMER 0x20610500u		    /* 100 (N1-N0) / (T1-T0) */
/* N is the sum of the times of B1 components. The base is also registered as MultiId. */
#define PERF_COUNTER_MULTI_TIMER 0x22410500u	 /* 100 (N1-N0)/(T1-T0) / B1 */
#define PERF_COUNTER_MULTI_TIMER_INV 0x23410500u /* 100 (B1 - (N1-N0)/(T1-T0)) */
#define PERF_100NSEC_MULTI_TIMER 0x22510500u	 /* 100 (N1-N0)/(t1-t0) / B1 */
#define PERF_100NSEC_MULTI_TIMER_INV 0x23510500u /* 100 (B1 - (N1-N0)/(t1-t0)) */
#define PERF_COUNTER_MULTI_BASE 0x42030500u
/* Mean lengths of queues: N grows by the queue's length each tick. */
#define PERF_COUNTER_QUEUELEN_TYPE 0x00450400u		/* (N1-N0) / (T1-T0) */
#define PERF_COUNTER_LARGE_QUEUELEN_TYPE 0x00450500u	/* the same, 64 bits */
#define PERF_COUNTER_100NS_QUEUELEN_TYPE 0x00550500u	/* (N1-N0) / (t1-t0) */
#define PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE 0x00650500u /* (N1-N0) / (T1-T0) */
#define PERF_RAW_FRACTION 0x20020400u			/* 100 N1/B1 */
#define PERF_LARGE_RAW_FRACTION 0x20020500u		/* 100 N1/B1 */
#define PERF_RAW_BASE 0x40030403u
#define PERF_LARGE_RAW_BASE 0x40030500u
#define PERF_SAMPLE_FRACTION 0x20C20400u /* 100 (N1-N0)/(B1-B0) */
#define PERF_SAMPLE_BASE 0x40030401u
#define PERF_AVERAGE_TIMER 0x30020400u /* ((N1-N0)/F) / (B1-B0) */
#define PERF_AVERAGE_BASE 0x40030402u
#define PERF_AVERAGE_BULK 0x40020500u		/* (N1-N0)/(B1-B0) */
#define PERF_ELAPSED_TIME 0x30240500u		/* (T1-N1)/F */
#define PERF_PRECISION_SYSTEM_TIMER 0x20470500u /* 100 (N1-N0)/(B1-B0), B a time */
#define PERF_PRECISION_100NS_TIMER 0x20570500u
#define PERF_PRECISION_OBJECT_TIMER 0x20670500u
#define PERF_PRECISION_TIMESTAMP PERF_LARGE_RAW_BASE
/* These have no formula. */
#define PERF_COUNTER_TEXT 0x00000B00u
#define PERF_COUNTER_NODATA 0x40000200u
#define PERF_COUNTER_HISTOGRAM_TYPE 0x80000000u

#define PERF_SIZE_MASK 0x00000300u
#define PERF_SIZE_DWORD 0x00000000u
#define PERF_SIZE_LARGE 0x00000100u

#define PERF_WILDCARD_COUNTER 0xFFFFFFFFu
#define PERF_WILDCARD_INSTANCE "*"
#define PERF_ANY_INSTANCE_ID 0xFFFFFFFFu /* not in PerfLib: the value has no name there */
#define PERF_NO_COUNTER 0xFFFFFFFFu	 /* in PERF_COUNTER_REG_INFO: no such related counter */
#define PERF_MAX_INSTANCE_NAME 1024

/* ---------------------------------------------------------------------- consumers */

/* CounterSetType and InstanceType. */
#define PERF_COUNTERSET_SINGLE_INSTANCE 0u
#define PERF_COUNTERSET_MULTI_INSTANCES 2u

#define PERF_DETAIL_NOVICE 100u
#define PERF_DETAIL_ADVANCED 200u

#define PERF_ATTRIB_BY_REFERENCE 1u
#define PERF_ATTRIB_NO_DISPLAYABLE 2u
#define PERF_ATTRIB_NO_GROUP_SEPARATOR 4u
#define PERF_ATTRIB_DISPLAY_AS_REAL 8u
#define PERF_ATTRIB_DISPLAY_AS_HEX 16u

#define PERF_AGGREGATE_UNDEFINED 0u
#define PERF_AGGREGATE_TOTAL 1u
#define PERF_AGGREGATE_AVG 2u
#define PERF_AGGREGATE_MIN 3u
#define PERF_AGGREGATE_MAX 4u

typedef struct _PERF_INSTANCE_HEADER {
	ULONG Size; /* of the block: this, the name, zeros to a multiple of 8 */
	ULONG InstanceId;
} PERF_INSTANCE_HEADER, *PPERF_INSTANCE_HEADER;

typedef enum _PerfRegInfoType {
	PERF_REG_COUNTERSET_STRUCT = 1,	     /* PERF_COUNTERSET_REG_INFO, then all counters' */
	PERF_REG_COUNTER_STRUCT = 2,	     /* PERF_COUNTER_REG_INFO of one counter */
	PERF_REG_COUNTERSET_NAME_STRING = 3, /* a string, with its NUL */
	PERF_REG_COUNTERSET_HELP_STRING = 4,
	PERF_REG_COUNTER_NAME_STRINGS = 5, /* PERF_STRING_BUFFER_HEADER block */
	PERF_REG_COUNTER_HELP_STRINGS = 6,
	PERF_REG_PROVIDER_NAME = 7,	      /* a string */
	PERF_REG_PROVIDER_GUID = 8,	      /* a GUID */
	PERF_REG_COUNTERSET_ENGLISH_NAME = 9, /* the same as 3: names are never translated */
	PERF_REG_COUNTER_ENGLISH_NAMES = 10   /* the same as 5 */
} PerfRegInfoType;

typedef struct _PERF_COUNTERSET_REG_INFO {
	GUID CounterSetGuid;
	ULONG CounterSetType;
	ULONG DetailLevel;
	ULONG NumCounters;
	ULONG InstanceType;
} PERF_COUNTERSET_REG_INFO, *PPERF_COUNTERSET_REG_INFO;

typedef struct _PERF_COUNTER_REG_INFO {
	ULONG CounterId;
	ULONG Type;
	ULONGLONG Attrib;
	ULONG DetailLevel;
	LONG DefaultScale;
	ULONG BaseCounterId; /* PERF_NO_COUNTER: none; so the next three */
	ULONG PerfTimeId;
	ULONG PerfFreqId;
	ULONG MultiId;
	ULONG AggregateFunc;
	ULONG Reserved;
} PERF_COUNTER_REG_INFO, *PPERF_COUNTER_REG_INFO;

typedef struct _PERF_STRING_BUFFER_HEADER {
	DWORD dwSize; /* of the block: this, the headers, the strings, zeros to a multiple of 8 */
	DWORD dwCounters;
} PERF_STRING_BUFFER_HEADER, *PPERF_STRING_BUFFER_HEADER;

typedef struct _PERF_STRING_COUNTER_HEADER {
	DWORD dwCounterId;
	DWORD dwOffset; /* of the string, from the PERF_STRING_BUFFER_HEADER; 0xFFFFFFFF: none */
} PERF_STRING_COUNTER_HEADER, *PPERF_STRING_COUNTER_HEADER;

/* A specification: this, for a multi-instance counterset the pattern of instance names, zeros
 * to a multiple of 8. */
typedef struct _PERF_COUNTER_IDENTIFIER {
	GUID CounterSetGuid;
	ULONG Status;	  /* becomes this specification's result */
	ULONG Size;	  /* of the block */
	ULONG CounterId;  /* or PERF_WILDCARD_COUNTER */
	ULONG InstanceId; /* or PERF_ANY_INSTANCE_ID */
	ULONG Index;	  /* PerfQueryCounterInfo: of its result in PerfQueryCounterData */
	ULONG Reserved;
} PERF_COUNTER_IDENTIFIER, *PPERF_COUNTER_IDENTIFIER;

typedef struct _PERF_DATA_HEADER {
	ULONG dwTotalSize; /* of the block: this, the PERF_COUNTER_HEADER blocks */
	ULONG dwNumCounters;
	LONGLONG PerfTimeStamp;	  /* ticks of the time stamp clock */
	LONGLONG PerfTime100NSec; /* 100 ns since 1601-01-01 00:00 UTC */
	LONGLONG PerfFreq;	  /* ticks per second */
	SYSTEMTIME SystemTime;
} PERF_DATA_HEADER, *PPERF_DATA_HEADER;

typedef enum _PerfCounterDataType {
	PERF_ERROR_RETURN = 0,	     /* dwStatus says why; nothing follows */
	PERF_SINGLE_COUNTER = 1,     /* PERF_COUNTER_DATA */
	PERF_MULTIPLE_COUNTERS = 2,  /* PERF_MULTI_COUNTERS, PERF_COUNTER_DATA each */
	PERF_MULTIPLE_INSTANCES = 4, /* PERF_MULTI_INSTANCES; each: instance, PERF_COUNTER_DATA */
	PERF_COUNTERSET = 6	     /* PERF_MULTI_COUNTERS, PERF_MULTI_INSTANCES */
} PerfCounterDataType;

/*
 * A counter that is registered but that this machine cannot supply: a query for its id returns
 * PERF_ERROR_RETURN with ERROR_NOT_SUPPORTED; a query for PERF_WILDCARD_COUNTER omits it from the
 * PERF_MULTI_COUNTERS. A counter that only some instances have is a PERF_COUNTER_DATA of dwDataSize
 * 0 in the others. A result never shows a zero that was not counted.
 *
 * If no instance matches, a multi-instance counterset returns a result with 0 instances, a
 * single-instance one PERF_ERROR_RETURN with ERROR_WMI_INSTANCE_NOT_FOUND. A counterset that
 * has gone is PERF_ERROR_RETURN with ERROR_WMI_GUID_NOT_FOUND until it comes back.
 */
typedef struct _PERF_COUNTER_HEADER {
	ULONG dwStatus;
	PerfCounterDataType dwType;
	ULONG dwSize; /* of the block with its data, a multiple of 8 */
	ULONG Reserved;
} PERF_COUNTER_HEADER, *PPERF_COUNTER_HEADER;

typedef struct _PERF_MULTI_COUNTERS {
	ULONG dwSize; /* of the block: this, the ids (DWORD each), zeros to a multiple of 8 */
	ULONG dwCounters;
} PERF_MULTI_COUNTERS, *PPERF_MULTI_COUNTERS;

typedef struct _PERF_MULTI_INSTANCES {
	ULONG dwTotalSize; /* of the block with all instances */
	ULONG dwInstances;
} PERF_MULTI_INSTANCES, *PPERF_MULTI_INSTANCES;

typedef struct _PERF_COUNTER_DATA {
	ULONG dwDataSize; /* 4 or 8; 0: this instance has no such value */
	ULONG dwSize;	  /* of the block: this, the value, zeros: 16 */
} PERF_COUNTER_DATA, *PPERF_COUNTER_DATA;

/*
 * where: NULL or "" is this machine. A path that contains a '/', or the name of an existing file,
 * is a trace file (trace.bin): its recorded countersets and samples replace the machine's. Other
 * names, such as PerfLib's machine names: ERROR_NOT_SUPPORTED.
 */

/* Lists the GUIDs of all countersets. room and *actual count GUIDs; the order is stable while no
 * counterset comes or goes. */
PERFLIB_API ULONG PerfEnumerateCounterSet(LPCSTR where, GUID *ids, DWORD room, LPDWORD actual);

/* lang: the id of the counter for PERF_REG_COUNTER_STRUCT, otherwise ignored. bytes: size of info.
 * ERROR_WMI_GUID_NOT_FOUND, ERROR_WMI_ITEMID_NOT_FOUND. */
PERFLIB_API ULONG PerfQueryCounterSetRegistrationInfo(LPCSTR where, LPCGUID id,
	PerfRegInfoType request, DWORD lang, uint8_t *info, DWORD bytes, LPDWORD actual);

/* Lists the instances as PERF_INSTANCE_HEADER blocks. ERROR_INVALID_PARAMETER: a single-instance
 * counterset; ERROR_WMI_INSTANCE_NOT_FOUND: no instances. */
PERFLIB_API ULONG PerfEnumerateCounterSetInstances(
	LPCSTR where, LPCGUID id, PPERF_INSTANCE_HEADER instances, DWORD bytes, LPDWORD actual);

PERFLIB_API ULONG PerfOpenQueryHandle(LPCSTR where, PHANDLE query);
PERFLIB_API ULONG PerfCloseQueryHandle(HANDLE query);

/*
 * Each specification's Status becomes its result: ERROR_SUCCESS, ERROR_WMI_GUID_NOT_FOUND,
 * ERROR_WMI_ITEMID_NOT_FOUND, ERROR_INVALID_PARAMETER (a name where none is allowed, none where one
 * is required; invalid UTF-8), ERROR_ALREADY_EXISTS (the query already has it), ERROR_NOT_FOUND
 * (delete), or the reason why counting could not begin. Returns ERROR_SUCCESS if the sequence of
 * blocks itself is well-formed; otherwise ERROR_INVALID_PARAMETER, and no specification was
 * processed. Counters that are counted only while a query is open begin with PerfAddCounters.
 *
 * A pattern matches full instance names: '*' matches any characters, '?' matches one. Letters A to
 * Z match in either case (other letters do not: nothing here depends on a locale).
 */
PERFLIB_API ULONG PerfAddCounters(HANDLE query, PPERF_COUNTER_IDENTIFIER counters, DWORD bytes);
PERFLIB_API ULONG PerfDeleteCounters(HANDLE query, PPERF_COUNTER_IDENTIFIER counters, DWORD bytes);
PERFLIB_API ULONG PerfQueryCounterInfo(
	HANDLE query, PPERF_COUNTER_IDENTIFIER counters, DWORD bytes, LPDWORD actual);

/*
 * Reads one sample of all queries of the handle, all at the same moment as far as the sources
 * allow. On a trace: returns the next recorded sample, and ERROR_NO_MORE_ITEMS after the last one.
 * ERROR_NOT_ENOUGH_MEMORY loses nothing: the next call returns the same sample (on a live machine,
 * a new one).
 */
PERFLIB_API ULONG PerfQueryCounterData(
	HANDLE query, PPERF_DATA_HEADER data, DWORD bytes, LPDWORD actual);

/* -------------------------------------------------- formatted values; not in PerfLib */

/* A counter's value in one sample. */
typedef struct _PERF_SAMPLE {
	ULONGLONG Value, Base;	  /* Base: of BaseCounterId, if the type has one */
	LONGLONG PerfTimeStamp;	  /* from the PERF_DATA_HEADER, or the object's clock */
	LONGLONG PerfTime100NSec; /* from the PERF_DATA_HEADER; so the next */
	LONGLONG PerfFreq;
} PERF_SAMPLE;

/*
 * Computes the formatted value of a counter of this type from two samples (first is NULL for types
 * that need only one). 32-bit counters wrap, and so do bases of averages and sampled fractions if
 * both samples are within 32 bits. A 64-bit counter, a time or a larger base that decreases was
 * reset: ERROR_INVALID_DATA. ERROR_NOT_READY: a base or time that did not advance, 0 components, or
 * one sample where two are needed. Percentages of timers are clamped only within the rounding error
 * (below 0 and above 100 by less than one per cent). ERROR_NOT_SUPPORTED: unknown types, types
 * without a formula, and bases. *value is unchanged unless ERROR_SUCCESS is returned.
 */
PERFLIB_API ULONG PerfFormatCounterValue(
	ULONG type, const PERF_SAMPLE *first, const PERF_SAMPLE *second, double *value);

/*
 * Writes a sample of PerfQueryCounterData as hooks (major 0xC9, counters.hooks) into the trace
 * session of this program, so that a query of the dump steps through it.
 * The set's registration is written with the first sample of a handle and then once a minute.
 * Errors: ERROR_INVALID_PARAMETER (not a block of this handle), ERROR_NOT_READY (no session, or
 * tracing is off), ERROR_INSUFFICIENT_BUFFER (lost: the rings count it).
 */
PERFLIB_API ULONG PerfTraceCounterData(HANDLE query, const PERF_DATA_HEADER *data, DWORD bytes);

/* --------------------------------------------------------------------- providers */

/* A provider's template: this, then NumCounters PERF_COUNTER_INFO. */
typedef struct _PERF_COUNTERSET_INFO {
	GUID CounterSetGuid;
	GUID ProviderGuid;
	ULONG NumCounters;
	ULONG InstanceType; /* PERF_COUNTERSET_SINGLE_INSTANCE or _MULTI_INSTANCES */
} PERF_COUNTERSET_INFO, *PPERF_COUNTERSET_INFO;

typedef struct _PERF_COUNTER_INFO {
	ULONG CounterId;
	ULONG Type;
	ULONGLONG Attrib; /* PERF_ATTRIB_BY_REFERENCE: ERROR_NOT_SUPPORTED */
	ULONG Size;	  /* sizeof(PERF_COUNTER_INFO) */
	ULONG DetailLevel;
	LONG Scale;
	ULONG Offset; /* ignored */
} PERF_COUNTER_INFO, *PPERF_COUNTER_INFO;

typedef struct _PERF_COUNTERSET_INSTANCE {
	GUID CounterSetGuid;
	ULONG dwSize; /* of the block with the name */
	ULONG InstanceId;
	ULONG InstanceNameOffset;
	ULONG InstanceNameSize;
} PERF_COUNTERSET_INSTANCE, *PPERF_COUNTERSET_INSTANCE;

/*
 * Starts a provider: programs of the same user and of root can query its countersets until this
 * process stops it or ends. A counterset whose GUID a built-in one or another provider's already
 * has is hidden: the first one wins. reserved: NULL.
 * Errors: ERROR_ALREADY_EXISTS (this GUID, this process), ERROR_ACCESS_DENIED,
 * ERROR_NOT_ENOUGH_MEMORY (no space in /dev/shm, or 64 providers in this process),
 * ERROR_INVALID_PARAMETER (also if SWTRACE_COUNTERSETS is not an absolute path),
 * ERROR_NOT_SUPPORTED (no way to show other processes that this one is alive).
 */
PERFLIB_API ULONG PerfStartProvider(LPCGUID provider, void *reserved, PHANDLE handle);
/*
 * Also ends its instances. Threads that still count get ERROR_INVALID_HANDLE; a count under way
 * during the call is lost, or counted by a provider that is started right after.
 */
PERFLIB_API ULONG PerfStopProvider(HANDLE provider);

/*
 * Set names, which on Windows come from the manifest; call before PerfSetCounterSetInfo. counter:
 * PERF_WILDCARD_COUNTER names the counterset. base: the id of the base counter, or
 * PERF_NO_COUNTER. Not in PerfLib.
 */
PERFLIB_API ULONG PerfSetCounterSetName(HANDLE provider, LPCGUID set, LPCSTR name, LPCSTR help);
PERFLIB_API ULONG PerfSetCounterName(
	HANDLE provider, LPCGUID set, ULONG counter, ULONG base, LPCSTR name, LPCSTR help);
/* everyone: programs of other users may query too. They see root's providers at once, those of
 * others if SWTRACE_COUNTERSETS names the directory (perflib(3)). Not in PerfLib. */
PERFLIB_API ULONG PerfShareProvider(HANDLE provider, int everyone);

/* Publishes a counterset until the provider ends; ERROR_ALREADY_EXISTS the second time. Names
 * default to the GUID and "counter N". At most 32 sets, 256 counters. */
PERFLIB_API ULONG PerfSetCounterSetInfo(HANDLE provider, PPERF_COUNTERSET_INFO info, ULONG bytes);

/*
 * name: "" for a single-instance counterset, which has at most one instance; otherwise up to
 * PERF_MAX_INSTANCE_NAME - 1 bytes. id: not PERF_ANY_INSTANCE_ID. Values begin at 0. NULL: EINVAL,
 * EEXIST (name and id are in use), ENOMEM (no space, or 65536 instances); PerfQueryInstance:
 * EINVAL, ENOENT. The structure belongs to the library, and is valid until PerfDeleteInstance or
 * PerfStopProvider.
 */
PERFLIB_API PPERF_COUNTERSET_INSTANCE PerfCreateInstance(
	HANDLE provider, LPCGUID set, LPCSTR name, ULONG id);
PERFLIB_API PPERF_COUNTERSET_INSTANCE PerfQueryInstance(
	HANDLE provider, LPCGUID set, LPCSTR name, ULONG id);
PERFLIB_API ULONG PerfDeleteInstance(HANDLE provider, PPERF_COUNTERSET_INSTANCE instance);

/* Lock-free, async-signal-safe. ERROR_NOT_FOUND: no such counter; ERROR_INVALID_PARAMETER: the
 * counter has the other size. */
PERFLIB_API ULONG PerfSetULongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONG value);
PERFLIB_API ULONG PerfSetULongLongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONGLONG value);
PERFLIB_API ULONG PerfIncrementULongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONG value);
PERFLIB_API ULONG PerfIncrementULongLongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONGLONG value);
PERFLIB_API ULONG PerfDecrementULongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONG value);
PERFLIB_API ULONG PerfDecrementULongLongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONGLONG value);

#ifdef __cplusplus
}
#endif

#endif
