/* A differential flame graph as a page, by page/change.js. Colours and text: svg/change.h. */
#include <errno.h>

#include "flame.h"
#include "json.h"
#include "page.h"
#include "svg/flame_colour.h"
#include "svg/change.h"

enum { LEGEND_STEPS = 8 };

static void page_change_about(struct json *j, const struct flame *f)
{
	const struct flame_change *c = f->change;

	json_member_text(j, "unit", f->unit);
	json_member_text(j, "weight", f->weight);
	json_member_open(j, "runs", '[');
	json_u64(j, c->runs[0]);
	json_u64(j, c->runs[1]);
	json_close(j, ']');
	json_member_open(j, "commands", '[');
	json_text(j, c->commands[0]);
	json_text(j, c->commands[1]);
	json_close(j, ']');
	json_member_u64(j, "lost", f->lost);
	json_member_bool(j, "scripted", f->scripted);
	json_member_u64(j, "leftOut", f->left_out);
	json_member_u64(j, "gone", c->gone);
	json_member_u64(j, "goneSum", c->gone_self);
	/* From half to double. */
	json_member_open(j, "legend", '[');
	for (int i = -LEGEND_STEPS; i <= LEGEND_STEPS; i++)
		json_u64(j, flame_colour_of_change((double)i / LEGEND_STEPS));
	json_close(j, ']');
}

/* [name, parent, sum before, sum after, colour, text] of each. */
static void page_change_frame(
	struct json *j, const struct flame *f, const struct flame_frame *frame, struct out *text)
{
	text->len = 0;
	out_str(text, frame->kind == FLAME_PROCESS ? "process\n"
		      : frame->kind == FLAME_TASK  ? "thread\n"
						   : "");
	svg_change_tooltip(text, f, frame);
	json_open(j, '[');
	json_string(j, frame->name, frame->name_len);
	json_u64(j, frame->parent);
	json_u64(j, frame->before);
	json_u64(j, frame->total);
	json_u64(j, svg_change_colour(f, frame));
	json_string(j, text->buf, text->len);
	json_close(j, ']');
}

void flame_change_page(struct out *o, const struct flame *f)
{
	struct page_packer *packer = page_packer_new();
	struct out block, text;
	struct json j = {.o = &block};

	out_memory(&block);
	out_memory(&text);
	json_open(&j, '{');
	page_change_about(&j, f);
	json_member_open(&j, "frames", '[');
	for (uint32_t i = 0; i < f->count; i++)
		page_change_frame(&j, f, &f->frames[i], &text);
	json_close(&j, ']');
	json_close(&j, '}');
	if (!packer || block.error || text.error) {
		if (!o->error)
			o->error = ENOMEM;
	} else {
		page_begin_change(o);
		page_put_block(packer, o, "change", block.buf, block.len);
		page_end(o);
	}
	out_discard(&block);
	out_discard(&text);
	page_packer_free(packer);
}
