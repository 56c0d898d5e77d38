/* Student's t distribution. */
#ifndef SWT_DECODER_MODEL_STATS_STUDENT_H
#define SWT_DECODER_MODEL_STATS_STUDENT_H

/* The chance of a value above t, for df > 0 degrees of freedom. */
double student_above(double t, double df);
/* The value exceeded with that chance, 0 < chance <= 1/2. */
double student_quantile(double chance, double df);

#endif
