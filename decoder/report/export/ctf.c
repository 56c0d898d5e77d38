/*
 * The hooks as a CTF 1.8 trace: an event each, by their schemas, a stream for each ring of each
 * file, a packet for each section. Rings are read one part after the other, so one packet is in
 * memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/search.h"
#include "../../model/hooks/pass.h"
#include "../../sink/ctf.h"
#include "../hooks/where.h"
#include "../losses.h"
#include "../report.h"
#include "ctf_classes.h"

enum {
	CTF_PACKET = 1 << 20, /* a section that became more is several packets */
	CTF_RESTARTS = 100,   /* streams of a ring whose clock is set back; then times are held */
	CTF_MAGIC = (int)0xC1FC1FC1,
	/* Offsets in a packet. */
	PACKET_UUID = 4,
	PACKET_STREAM = PACKET_UUID + 16,
	PACKET_BEGIN = PACKET_STREAM + 4,
	PACKET_END = PACKET_BEGIN + 8,
	PACKET_CONTENT = PACKET_END + 8,
	PACKET_SIZE = PACKET_CONTENT + 8,
	PACKET_DISCARDED = PACKET_SIZE + 8,
	PACKET_OVERWRITTEN = PACKET_DISCARDED + 8,
	PACKET_TORN = PACKET_OVERWRITTEN + 8,
	PACKET_CPU = PACKET_TORN + 8,
	PACKET_RING = PACKET_CPU + 4,
	PACKET_FILE = PACKET_RING + 4,
	PACKET_EVENTS = PACKET_FILE + 4,
};

/* A ring of a file. */
struct ctf_ring {
	uint32_t stream;		  /* from 1; 0: none yet */
	uint32_t restarts;		  /* streams begun since */
	size_t section;			  /* that its last hook was in */
	bool begun;			  /* `section` counts */
	uint64_t next_section;		  /* position of the one after it; UINT64_MAX: none */
	uint64_t lost, torn, overwritten; /* up to it */
	uint64_t reported;		  /* the last packet's lost and torn */
	uint64_t last;			  /* its time */
};

struct ctf_export {
	struct report *r;
	struct folder folder;
	struct ctf_classes classes;
	struct ctf_ring *rings; /* of all files */
	size_t *first_ring;	/* of each file */
	struct out packet;	/* of `ring`, empty without an event */
	uint64_t begin, end;
	struct ctf_ring *ring; /* NULL: none */
	uint32_t file, number; /* `ring`'s */
	uint32_t streams;
	uint64_t before_1970, held;
	bool has_containers;
	int error; /* of the folder */
};

/* Rings are sorted by number. */
static size_t ctf_find_ring(const struct trace_file *f, uint32_t number)
{
	struct search s = {1, f->nrings};

	while (s.low < s.high)
		search_narrow(&s, f->rings[search_middle(&s)].ring <= number);
	return s.low - 1;
}

static void ctf_begin_packet(struct ctf_export *e)
{
	e->packet.len = 0;
	for (unsigned i = 0; i < PACKET_EVENTS; i++)
		ctf_u8(&e->packet, 0);
}

/* Writes the packet even without events, to report losses. */
static int ctf_end_packet(struct ctf_export *e)
{
	struct ctf_ring *ring = e->ring;
	struct out *p = &e->packet;

	if (p->error)
		return CPIDECODE_ENOMEM;
	uint8_t *at = (uint8_t *)p->buf;
	const bool is_guest = e->number & TF_GUEST_RING;
	put_le32(at, (uint32_t)CTF_MAGIC);
	memcpy(at + PACKET_UUID, trace_file(e->r->trace, 0)->header.trace_id, 16);
	put_le32(at + PACKET_STREAM, ring->stream);
	put_le64(at + PACKET_BEGIN, e->begin);
	put_le64(at + PACKET_END, e->end);
	put_le64(at + PACKET_CONTENT, (uint64_t)p->len * 8);
	put_le64(at + PACKET_SIZE, (uint64_t)p->len * 8);
	put_le64(at + PACKET_DISCARDED, ring->lost);
	put_le64(at + PACKET_OVERWRITTEN, ring->overwritten);
	put_le64(at + PACKET_TORN, ring->torn);
	put_le32(at + PACKET_CPU, is_guest ? UINT32_MAX : e->number);
	put_le32(at + PACKET_RING, e->number);
	put_le32(at + PACKET_FILE, e->file);
	e->error = ctf_append(&e->folder, ring->stream, p);
	ring->reported = ring->lost + ring->torn;
	ring->last = e->end;
	p->len = 0;
	return e->error ? CPIDECODE_ECANCELED : 0;
}

static int ctf_flush(struct ctf_export *e)
{
	return e->packet.len ? ctf_end_packet(e) : 0;
}

/*
 * A stream's first packet has no events: readers take its count of discarded events as the loss
 * before the trace.
 */
static int ctf_begin_stream(struct ctf_export *e, uint64_t time)
{
	const struct ctf_ring ring = *e->ring;

	e->begin = e->end = time;
	ctf_begin_packet(e);
	e->ring->stream = ++e->streams;
	if (!ring.stream)
		e->ring->lost = e->ring->torn = 0;
	int rc = ctf_end_packet(e);
	e->ring->lost = ring.lost;
	e->ring->torn = ring.torn;
	return rc;
}

/* Counts the losses of the sections up to the one that the hook is in. True: it is another one. */
static bool ctf_reach_section(struct ctf_export *e, const struct hook *h)
{
	const struct trace_file *f = trace_file(e->r->trace, h->file);
	struct ctf_ring *ring = e->ring;
	const size_t index = (size_t)(ring - e->rings) - e->first_ring[h->file];
	struct trace_section s;
	bool moved = false;

	ring->next_section = UINT64_MAX;
	while (trace_section(f, index, ring->section + ring->begun, &s)) {
		if (ring->begun && s.position > h->position) {
			ring->next_section = s.position;
			break;
		}
		ring->section += ring->begun;
		ring->begun = true;
		ring->lost += s.lost;
		ring->torn += s.torn;
		moved = true;
	}
	return moved;
}

static int ctf_choose_ring(struct ctf_export *e, const struct hook *h)
{
	const struct trace_file *f = trace_file(e->r->trace, h->file);

	if (e->ring && e->file == h->file && e->number == h->ring)
		return 0;
	int rc = ctf_flush(e);
	e->ring = &e->rings[e->first_ring[h->file] + ctf_find_ring(f, h->ring)];
	e->file = h->file;
	e->number = h->ring;
	return rc;
}

/* babeltrace2 2.0 shows an earlier string instead of an empty one: a thread always has a name. */
static void ctf_put_task_name(struct ctf_export *e, const struct hook *h)
{
	const char *name = report_task_name(h->task);
	const char *container = h->task ? h->task->container : NULL;
	struct out *p = &e->packet;

	if (name) {
		out_bytes(p, name, strlen(name) + 1);
	} else {
		out_str(p, "tid ");
		out_u64(p, h->tid);
		ctf_u8(p, 0);
	}
	if (!e->has_containers)
		return;
	ctf_u8(p, container && *container);
	if (container && *container)
		ctf_string(p, container, strlen(container));
}

static void ctf_put_hook_head(struct ctf_export *e, const struct hook *h, uint64_t time)
{
	uint8_t head[4 + 8 + 8 + 4 + 8], tail[1 + 4];

	put_le32(head, 0); /* the id, once it is known */
	put_le64(head + 4, time);
	put_le64(head + 12, h->ticks);
	put_le32(head + 20, h->tid);
	put_le64(head + 24, h->task ? h->task->pid : UINT64_MAX);
	out_bytes(&e->packet, head, sizeof head);
	ctf_put_task_name(e, h);
	tail[0] = h->major;
	put_le32(tail + 1, h->minor);
	out_bytes(&e->packet, tail, sizeof tail);
}

/* Whether the hook belongs in the open packet, as most do. */
static bool ctf_goes_on(const struct ctf_export *e, const struct hook *h, uint64_t time)
{
	return e->packet.len && e->packet.len <= CTF_PACKET && e->file == h->file &&
	       e->number == h->ring && h->position < e->ring->next_section && time >= e->end;
}

/* The packet of a hook at that time is open. */
static int ctf_reach(struct ctf_export *e, const struct hook *h, uint64_t *time)
{
	int rc = ctf_choose_ring(e, h);

	if (rc)
		return rc;
	const bool is_new = !e->ring->stream;
	const uint64_t last = e->packet.len ? e->end : e->ring->last;
	const bool is_back = !is_new && *time < last;
	const struct ctf_ring before = *e->ring;
	if (is_back && e->ring->restarts == CTF_RESTARTS) {
		e->held++;
		*time = last;
	}
	const bool moved = ctf_reach_section(e, h);
	if (e->packet.len && (moved || *time < last || e->packet.len > CTF_PACKET)) {
		const struct ctf_ring now = *e->ring;

		/* The packet's figures are those of its sections. */
		e->ring->lost = before.lost;
		e->ring->torn = before.torn;
		rc = ctf_end_packet(e);
		e->ring->lost = now.lost;
		e->ring->torn = now.torn;
	}
	if (!rc && (is_new || *time < last)) {
		e->ring->restarts += !is_new;
		rc = ctf_begin_stream(e, *time);
	}
	if (!rc && !e->packet.len) {
		ctf_begin_packet(e);
		e->begin = *time;
	}
	e->end = *time;
	return rc;
}

static int ctf_put_hook(struct ctf_export *e, const struct hook *h)
{
	uint64_t time = h->time_ns < 0 ? 0 : (uint64_t)h->time_ns;
	struct out *p = &e->packet;

	e->before_1970 += h->time_ns < 0;
	if (ctf_goes_on(e, h, time)) {
		e->end = time;
	} else {
		int rc = ctf_reach(e, h, &time);

		if (rc)
			return rc;
	}
	size_t at = p->len;
	ctf_put_hook_head(e, h, time);
	uint32_t id = ctf_classes_put(&e->classes, p, h);
	if (!id || p->error)
		return CPIDECODE_ENOMEM;
	put_le32((uint8_t *)p->buf + at, id);
	return 0;
}

static int ctf_read_slice(void *ctx, struct pass_slice *slice)
{
	struct ctf_export *e = ctx;
	struct filter_group group = {.trace = e->r->trace};
	const struct hook *h;
	int rc, failed = 0;

	while (!failed && (rc = pass_next(slice, &h)) > 0)
		if (hooks_select(e->r, h, &group))
			failed = ctf_put_hook(e, h);
	/* The next slice may be another ring's. */
	if (!failed && rc == 0)
		failed = ctf_flush(e);
	return failed ? failed : rc;
}

/* Facts from the end of the trace, in a last packet. */
static int ctf_end_rings(struct ctf_export *e)
{
	const struct trace *t = e->r->trace;
	int64_t first, last;
	int rc = 0;

	trace_span(t, &first, &last);
	for (size_t i = 0; i < trace_nfiles(t) && !rc; i++) {
		const struct trace_file *f = trace_file(t, i);

		for (size_t k = 0; k < f->nrings && !rc; k++) {
			struct losses l = {0};

			e->ring = &e->rings[e->first_ring[i] + k];
			e->file = (uint32_t)i;
			e->number = f->rings[k].ring;
			losses_add_ring(&l, &f->rings[k], findings_ring(e->r->found, i, k));
			e->ring->lost = losses_lost(&l);
			e->ring->torn = l.torn;
			if (!e->ring->stream && !(e->ring->lost + l.torn + l.overwritten))
				continue;
			if (!e->ring->stream)
				rc = ctf_begin_stream(e, last < 0 ? 0 : (uint64_t)last);
			else if (e->ring->reported == e->ring->lost + l.torn)
				continue;
			if (rc)
				break;
			e->begin = e->end = e->ring->last;
			ctf_begin_packet(e);
			rc = ctf_end_packet(e);
		}
	}
	return rc;
}

static void ctf_declare_uuid(struct out *o, const uint8_t id[16])
{
	out_str(o, "\tuuid = \"");
	for (unsigned i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out_char(o, '-');
		out_printf(o, "%02x", id[i]);
	}
	out_str(o, "\";\n");
}

/* META, of several files with the file's number. */
static void ctf_declare_environment(struct out *o, const struct trace *t)
{
	const bool several = trace_nfiles(t) > 1;

	out_str(o, "env {\n\tcreator = \"cpidecode " SWTRACE_VERSION "\";\n");
	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);

		for (size_t k = 0; k < f->nmeta; k++) {
			const struct trace_meta *m = &f->meta[k];

			if (several)
				out_printf(o, "\tfile_%zu_%zu_", i, k);
			else
				out_printf(o, "\tmeta_%zu_", k);
			ctf_identifier(o, m->key, m->key_length);
			out_str(o, " = \"");
			ctf_quote(o, m->value, m->value_length);
			out_str(o, "\";\n");
		}
	}
	out_str(o, "};\n\n");
}

static const char *const ctf_head =
	"/* CTF 1.8 */\n\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := int32;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := int64;\n"
	"typealias integer { size = 32; align = 8; signed = false; base = hex; } := hex32;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = hex; } := hex64;\n"
	"typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := real;\n\n"
	"trace {\n\tmajor = 1;\n\tminor = 8;\n";

static const char *const ctf_streams =
	"\tbyte_order = le;\n"
	"\tpacket.header := struct { uint32 magic; uint8 uuid[16]; uint32 stream_instance_id; };\n"
	"};\n\n";

static const char *const ctf_stream =
	"clock {\n\tname = realtime;\n\tdescription = \"CLOCK_REALTIME\";\n"
	"\tfreq = 1000000000;\n\toffset = 0;\n\tabsolute = TRUE;\n};\n\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.realtime.value; }"
	" := stamp;\n\n"
	"stream {\n"
	"\tpacket.context := struct {\n"
	"\t\tstamp timestamp_begin;\n\t\tstamp timestamp_end;\n"
	"\t\tuint64 content_size;\n\t\tuint64 packet_size;\n\t\tuint64 events_discarded;\n"
	"\t\tuint64 overwritten;\n\t\tuint64 torn;\n"
	"\t\tint32 cpu_id;\n\t\thex32 ring;\n\t\tuint32 file;\n\t};\n"
	"\tevent.header := struct { uint32 id; stamp timestamp; };\n"
	"\tevent.context := struct {\n"
	"\t\tuint64 _ticks;\n\t\tuint32 _tid;\n\t\tint64 _pid;\n\t\tstring _task;\n";

static const char *const ctf_containers =
	"\t\tuint8 __container_length;\n\t\tstring _container[__container_length];\n";

static const char *const ctf_stream_end = "\t\tuint8 _major;\n\t\tuint32 _minor;\n\t};\n};\n\n";

static int ctf_write_all_metadata(struct ctf_export *e)
{
	const struct flame_names *texts = &e->classes.texts;
	struct out text;

	out_memory(&text);
	out_str(&text, ctf_head);
	ctf_declare_uuid(&text, trace_file(e->r->trace, 0)->header.trace_id);
	out_str(&text, ctf_streams);
	ctf_declare_environment(&text, e->r->trace);
	out_str(&text, ctf_stream);
	if (e->has_containers)
		out_str(&text, ctf_containers);
	out_str(&text, ctf_stream_end);
	for (uint32_t i = 1; i < texts->used; i = flame_names_next(texts, i)) {
		struct flame_name class = flame_names_get(texts, i);

		out_printf(&text, "event {\n\tid = %" PRIu32 ";\n", i);
		out_bytes(&text, class.at, class.len);
		out_str(&text, "};\n\n");
	}
	int rc = text.error ? CPIDECODE_ENOMEM : 0;
	if (!rc && (e->error = ctf_write_metadata(&e->folder, &text)))
		rc = CPIDECODE_ECANCELED;
	out_discard(&text);
	return rc;
}

static void ctf_note(const struct ctf_export *e)
{
	const struct ctf_classes *c = &e->classes;
	const struct {
		uint64_t n;
		const char *one, *many;
	} notes[] = {
		{c->strings_cut, "string has a NUL, which ends it in CTF",
			"strings have a NUL, which ends them in CTF"},
		{c->misfits, "hook that its schema does not fit is an event of words and strings",
			"hooks that their schemas do not fit are events of words and strings"},
		{c->rounded, "number with four decimals is rounded to a double",
			"numbers with four decimals are rounded to doubles"},
		{e->before_1970, "hook is before 1970: its time is that",
			"hooks are before 1970: their time is that"},
		{e->held,
			"hook has the time of the one before it: the ring's clock is set back too often",
			"hooks have the time of the one before them: the ring's clock is set back too often"},
	};

	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
		if (notes[i].n)
			report_note(e->r, "%" PRIu64 " %s", notes[i].n,
				notes[i].n == 1 ? notes[i].one : notes[i].many);
}

static int ctf_find_rings(struct ctf_export *e)
{
	const struct trace *t = e->r->trace;
	size_t n = 0;

	e->first_ring = calloc(trace_nfiles(t) + 1, sizeof *e->first_ring);
	for (size_t i = 0; e->first_ring && i < trace_nfiles(t); i++) {
		e->first_ring[i] = n;
		n += trace_file(t, i)->nrings;
	}
	e->rings = calloc(n + 1, sizeof *e->rings);
	if (!e->first_ring || !e->rings)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < trace_nfiles(t); i++)
		for (size_t k = 0; k < trace_file(t, i)->nrings; k++) {
			struct losses l = {0};

			losses_add_ring(&l, &trace_file(t, i)->rings[k], NULL);
			e->rings[e->first_ring[i] + k].overwritten = l.overwritten;
		}
	return 0;
}

static int ctf_export_all(struct ctf_export *e)
{
	struct report *r = e->r;
	struct pass pass = report_pass(r, ctf_read_slice, e);
	int rc = ctf_find_rings(e);

	pass.threads = 1;
	if (!rc && (e->error = folder_open(&e->folder, r->folder)))
		rc = CPIDECODE_ECANCELED;
	if (!rc)
		rc = pass_run(&pass, r->found);
	if (!rc)
		rc = ctf_end_rings(e);
	if (!rc)
		rc = ctf_write_all_metadata(e);
	if (!rc && (e->error = folder_place(&e->folder)))
		rc = CPIDECODE_ECANCELED;
	return rc;
}

int report_ctf(struct report *r)
{
	struct ctf_export e = {
		.r = r, .folder.fd = -1, .has_containers = trace_has_containers(r->trace)};

	if (!r->folder) {
		report_note(r, "--format ctf: a trace of CTF is a folder: name one with -o");
		r->is_misused = true;
		return CPIDECODE_EINVAL;
	}
	out_memory(&e.packet);
	ctf_classes_init(&e.classes, r->trace);
	int rc = ctf_export_all(&e);
	if (e.error) {
		const char *file = e.folder.failed;

		report_note(r, "%s%s%s: cannot write: %s%s", r->folder, *file ? "/" : "", file,
			strerror(e.error),
			e.error == ENOTEMPTY || e.error == EEXIST
				? " (remove it, or name another one)"
				: "");
		rc = CPIDECODE_EINVAL;
	}
	if (!rc)
		ctf_note(&e);
	folder_discard(&e.folder);
	ctf_classes_free(&e.classes);
	out_discard(&e.packet);
	free(e.rings);
	free(e.first_ring);
	return rc;
}
