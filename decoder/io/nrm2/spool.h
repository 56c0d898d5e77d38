/* The trace.bin that an NRM2 file becomes: written to a file without a name. */
#ifndef SWT_DECODER_IO_NRM2_SPOOL_H
#define SWT_DECODER_IO_NRM2_SPOOL_H

#include "../../../formats/base/buffer.h"
#include "../../../formats/section_header.h"

struct nrm2_spool {
	int fd; /* -1: not open */
	uint64_t at;
	struct buffer records, tasks, syncs, losses, meta, schema, labels;
	uint64_t labels_position;	     /* of the first one at hand */
	size_t label_at;		     /* in labels, the last one */
	struct tf_section_header of_records; /* at hand */
};

struct nrm2_spool_head {
	uint32_t cpus, clock, flags;
	uint64_t ticks_per_second;
	uint64_t sync[3];
	uint8_t trace_id[16];
};

/* All of these: 0 or CPIDECODE_ENOMEM, ESPOOL (errno is set). Close it whatever they return. */
int nrm2_spool_open(struct nrm2_spool *s);
void nrm2_spool_close(struct nrm2_spool *s); /* but not fd */

int nrm2_write_at(int fd, uint64_t at, const uint8_t *p, size_t n);

/* Empties it, and frees large memory. */
void nrm2_buffer_clear(struct buffer *b);

/* Room for a record; nrm2_spool_took says how long it is and when it was stamped. */
int nrm2_spool_room(struct nrm2_spool *s, size_t n, uint8_t **to);
void nrm2_spool_took(struct nrm2_spool *s, size_t n, uint64_t stamp);
/* Writes the records at hand as a HOOKS section; nothing if there are none and none are lost. */
int nrm2_spool_hooks(struct nrm2_spool *s);

int nrm2_spool_task(struct nrm2_spool *s, uint32_t tid, uint32_t pid, uint64_t first,
	const char *name, size_t n);
int nrm2_spool_sync(struct nrm2_spool *s, uint64_t ticks, uint64_t realtime, uint64_t monotonic);
/* Seven counts, in the order of a LOSS entry. */
int nrm2_spool_loss(struct nrm2_spool *s, uint32_t ring, const uint64_t counts[7]);
int nrm2_spool_meta(struct nrm2_spool *s, const char *line, size_t n);

/* A piece of a schema; `begins`: of the next one. */
int nrm2_spool_schema(struct nrm2_spool *s, bool begins, const char *text, size_t n);

/* A piece of a label; number 0: of the same one. */
int nrm2_spool_label(struct nrm2_spool *s, uint32_t number, const char *text, size_t n);

/* Writes the rest, END, and the header. */
int nrm2_spool_finish(struct nrm2_spool *s, const struct nrm2_spool_head *head);

#endif
