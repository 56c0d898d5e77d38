#include "flame_colour.h"

#include <math.h>
#include <xxhash.h>

static const unsigned stops[] = {
	0xfff4b8, 0xffe48f, 0xfecb66, 0xfdaa48, 0xfb8435, 0xf25a26, 0xda2f20, 0xb11226, 0x7a0a26};

#define LAST_STOP ((int)(sizeof stops / sizeof *stops) - 1)

struct flame_scale flame_scale_of(double low, double high)
{
	struct flame_scale s = {.low = low, .high = high};

	s.empty = !(s.high > 0);
	if (s.empty)
		return s;
	s.logarithmic = s.high / s.low > 4;
	if (s.high / s.low < 1.02) {
		s.low *= 0.9;
		s.high *= 1.1;
	}
	return s;
}

double flame_scale_fraction(const struct flame_scale *s, double cpi)
{
	double place = s->logarithmic ? log(cpi / s->low) / log(s->high / s->low)
				      : (cpi - s->low) / (s->high - s->low);

	return fmin(fmax(place, 0), 1);
}

double flame_scale_value(const struct flame_scale *s, double place)
{
	if (s->logarithmic)
		return s->low * pow(s->high / s->low, place);
	return s->low + (s->high - s->low) * place;
}

static unsigned colour_mix_channel(unsigned a, unsigned b, unsigned shift, double part)
{
	double x = a >> shift & 255, y = b >> shift & 255;

	return (unsigned)lround(x + (y - x) * part) << shift;
}

unsigned flame_colour(double place)
{
	double at = place * LAST_STOP;
	int stop = (int)at;

	if (stop >= LAST_STOP)
		return stops[LAST_STOP];
	unsigned a = stops[stop], b = stops[stop + 1];
	return colour_mix_channel(a, b, 16, at - stop) | colour_mix_channel(a, b, 8, at - stop) |
	       colour_mix_channel(a, b, 0, at - stop);
}

unsigned flame_colour_of_change(double place)
{
	/* Blue and red stay apart for every kind of colour vision. */
	static const unsigned shrank[] = {0xf0efed, 0xc6dcec, 0x8dbfdd, 0x4a97c9, 0x2166ac};
	static const unsigned grew[] = {0xf0efed, 0xfbd3bd, 0xf3a481, 0xd9604d, 0xb2182b};
	const unsigned *side = place < 0 ? shrank : grew;
	const double at = fmin(fabs(place), 1) * 4;
	const int stop = at < 4 ? (int)at : 3;

	return colour_mix_channel(side[stop], side[stop + 1], 16, at - stop) |
	       colour_mix_channel(side[stop], side[stop + 1], 8, at - stop) |
	       colour_mix_channel(side[stop], side[stop + 1], 0, at - stop);
}

unsigned flame_colour_of_name(const char *name, size_t n)
{
	/* Okabe and Ito's colours, which every kind of colour vision distinguishes, lightened. */
	static const unsigned colours[] = {
		0xf2c879, 0xa7d3ee, 0x8fd0b5, 0xf5ec9b, 0x9fbfe0, 0xeaa98a, 0xe3bcd4, 0xcfcabb};

	return colours[XXH3_64bits(name, n) % (sizeof colours / sizeof *colours)];
}

static double colour_linear_channel(unsigned channel)
{
	double c = channel / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

bool flame_colour_is_dark(unsigned rgb)
{
	/* Relative luminance; at 0.18 black and white text have the same contrast. */
	return 0.2126 * colour_linear_channel(rgb >> 16 & 255) +
		       0.7152 * colour_linear_channel(rgb >> 8 & 255) +
		       0.0722 * colour_linear_channel(rgb & 255) <
	       0.18;
}
