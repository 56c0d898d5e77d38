/*
 * The two halves of the continuous benchmark.
 */
#ifndef BENCH_CONTINUOUS_H
#define BENCH_CONTINUOUS_H

/* The traced program, see continuous_writer.c. */
int traced(char **arguments);

/* This program's file: a constant string. */
char *own_path(void);

#endif
