#include "student.h"

#include <math.h>

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);

	d = 1 / (fabs(d) < tiny ? tiny : d);
	double f = d;
	for (int m = 1; m < 300; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		for (int half = 0; half < 2; half++) {
			double term = half ? odd : even;

			d = 1 + term * d;
			c = 1 + term / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			f *= c * d;
		}
		if (fabs(c * d - 1) < 1e-15)
			break;
	}
	return f;
}

/* The regularised incomplete beta function I_x(a, b). */
static double student_incomplete_beta(double a, double b, double x)
{
	int sign;

	if (x <= 0 || x >= 1)
		return x > 0;
	double front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) +
			   a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_above(double t, double df)
{
	if (isinf(t))
		return t < 0;
	double both = student_incomplete_beta(df / 2, 0.5, df / (df + t * t));
	return t > 0 ? both / 2 : 1 - both / 2;
}

double student_quantile(double chance, double df)
{
	double low = 0, high = 1;

	while (student_above(high, df) > chance && high < 1e300)
		high *= 2;
	for (unsigned i = 0; i < 200 && low < high; i++) {
		double middle = low + (high - low) / 2;

		if (middle == low || middle == high)
			break;
		if (student_above(middle, df) > chance)
			low = middle;
		else
			high = middle;
	}
	return high;
}
