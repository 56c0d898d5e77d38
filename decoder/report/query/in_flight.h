/*
 * How many intervals were in flight in each bucket of time, for series of them. Starts and ends are
 * sorted outside of memory, and then swept. Times are half-open: of two intervals, one of which
 * starts when the other ends, one is in flight.
 */
#ifndef SWT_DECODER_REPORT_QUERY_IN_FLIGHT_H
#define SWT_DECODER_REPORT_QUERY_IN_FLIGHT_H

#include <stdint.h>

#include "../../base/exact.h"
#include "../../base/sorter/sorter.h"

enum { IN_FLIGHT_ROWS = 1 << 20 };

/* A time's key: the time in ns with its sign bit inverted, so that keys are in order. */
#define IN_FLIGHT_SIGN (UINT64_C(1) << 63)

struct in_flight_row {
	uint32_t series;
	int64_t bucket;
	exact_sum sum;	  /* ns, of all that were in flight */
	uint64_t busy_ns; /* at least one was */
	uint64_t most;	  /* at one time */
};

/* How many rows there would be with longer buckets. */
struct in_flight_longer {
	uint64_t width_ns;
	uint64_t rows; /* not counted beyond IN_FLIGHT_ROWS + 1 */
	uint32_t series;
	__int128 end; /* of the last bucket, after the origin */
};

/* Starts zeroed but for the first two. */
struct in_flight {
	int64_t origin_ns; /* where bucket 0 begins */
	uint64_t width_ns;
	struct sorter *sorter; /* of starts and ends, each a record */
	uint64_t added;
	/* State of in_flight_move. */
	uint64_t flying;
	int64_t since;
	struct in_flight_row *rows; /* by series and bucket; buckets without any have none */
	size_t count, room;
	struct in_flight_longer *longer; /* NULL: the rows are not too many */
	size_t nlonger;
};

/* All return 0 or a CPIDECODE_E code. */
int in_flight_begin(struct in_flight *f);
int in_flight_add(struct in_flight *f, uint32_t series, int64_t start_ns, int64_t end_ns);
/* After the last one, with in_flight_settle. */
int in_flight_sweep(struct in_flight *f);
/* 1 for a start, -1 for an end. */
int64_t in_flight_more(const struct sorter_record *r);
/*
 * Alternative to these: adds the change of the number in flight at a key. Series follow each other,
 * each with its keys in order, and each ends with none in flight.
 */
int in_flight_move(struct in_flight *f, uint32_t series, uint64_t key, int64_t more);
/* After the last one. CPIDECODE_EINVAL: more rows than IN_FLIGHT_ROWS. */
int in_flight_settle(const struct in_flight *f);
/* The shortest bucket, of 2, 5, 10, 20, ... of them, with which there are not; 0: none. */
uint64_t in_flight_least_width(const struct in_flight *f);
void in_flight_free(struct in_flight *f);

#endif
