/*
 * Maps a CPI to a colour: pale yellow (low) to dark red (high). The steps keep their order for
 * every kind of colour vision and in grey.
 */
#ifndef SWT_DECODER_FLAME_COLOUR_H
#define SWT_DECODER_FLAME_COLOUR_H

#include <stdbool.h>
#include <stddef.h>

struct flame_scale {
	double low, high;
	bool logarithmic; /* the CPIs span more than a factor of four */
	bool empty;	  /* no frame has a CPI */
};

/* The scale from the lowest CPI above 0 to the highest; high 0: there is no CPI. */
struct flame_scale flame_scale_of(double low, double high);
/* 0 at the low end of the scale, 1 at the high one. */
double flame_scale_fraction(const struct flame_scale *s, double cpi);
double flame_scale_value(const struct flame_scale *s, double place);
/* 0xRRGGBB */
unsigned flame_colour(double place);
/* From -1, all blue, over grey at 0 to 1, all red. */
unsigned flame_colour_of_change(double place);
/* One of eight light colours, always the same for a name. */
unsigned flame_colour_of_name(const char *name, size_t n);
/* Whether white text reads better than black on it. */
bool flame_colour_is_dark(unsigned rgb);

#endif
