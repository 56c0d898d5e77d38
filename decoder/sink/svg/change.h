/* Parts of a differential flame graph instead of CPIs: colours, legend, runs and their change. */
#ifndef SWT_DECODER_SINK_SVG_CHANGE_H
#define SWT_DECODER_SINK_SVG_CHANGE_H

#include "../flame.h"

/* The colour of a frame, by the change of its mean total a run. */
unsigned svg_change_colour(const struct flame *f, const struct flame_frame *frame);
/* Lines of a frame's tooltip, after its name. */
void svg_change_tooltip(struct out *o, const struct flame *f, const struct flame_frame *frame);
/* Instead of the legend. */
void svg_change_legend(struct out *o);
/* The two lines under the title: each side's runs. y: of the first. */
void svg_change_runs(struct out *o, const struct flame *f, unsigned y, unsigned line);
/* A sentence on frames that only the runs before have; nothing if none. */
void svg_change_gone(struct out *o, const struct flame *f);

#endif
