/*
 * The two halves of the continuous benchmark.
 */
#ifndef BENCH_CONTINUOUS_H
#define BENCH_CONTINUOUS_H

/* Main function of the traced program, in continuous_writer.c. */
int traced(char **arguments);

/* This program's path. Do not free it. */
char *own_path(void);

#endif
