/*
 * A writer of Thrift's compact protocol, as far as Parquet needs it: structs of integers, strings,
 * lists and structs. Fields come in ascending order of their numbers.
 */
#ifndef SWT_DECODER_SINK_PARQUET_THRIFT_H
#define SWT_DECODER_SINK_PARQUET_THRIFT_H

#include "../out.h"

enum thrift_type {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

enum { THRIFT_DEPTH = 8 }; /* structs that may be open at once */

struct thrift {
	struct out *o;
	unsigned last[THRIFT_DEPTH]; /* field of each open struct */
	unsigned depth;
};

/* Starts a struct that is no field: the outermost one, or a list's element. */
void thrift_begin(struct thrift *t);
void thrift_end(struct thrift *t);
void thrift_i32(struct thrift *t, unsigned field, int32_t v);
void thrift_i64(struct thrift *t, unsigned field, int64_t v);
void thrift_binary(struct thrift *t, unsigned field, const void *bytes, size_t n);
/* Begins a struct, which thrift_end ends. */
void thrift_struct(struct thrift *t, unsigned field);
/* Begins a list, which n elements follow. */
void thrift_list(struct thrift *t, unsigned field, enum thrift_type type, size_t n);
/* Elements of a list. */
void thrift_element_i32(struct thrift *t, int32_t v);
void thrift_element_binary(struct thrift *t, const void *bytes, size_t n);

#endif
