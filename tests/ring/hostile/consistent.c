#include "consistent.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../formats/base/utf8.h"
#include "../../../libtrace/dump/meta_lines.h"
#include "../../lib/trace_build.h"

struct found {
	uint32_t hooks, torn;
	uint64_t first, last;
};

static bool is_whole(const uint8_t *record, uint32_t size)
{
	uint64_t at = REC_DATA + 4 * (uint64_t)get_le16(record + REC_NWORDS);

	for (unsigned i = 0; i < record[REC_NSTRINGS]; i++) {
		if (at + 4 > size)
			return false;
		at += rec_string_bytes(get_le32(record + at));
	}
	return at <= size;
}

static const char *record_of(struct found *f, const uint8_t *record, uint32_t room)
{
	uint32_t control = get_le32(record), size = control & REC_SIZE_MASK;
	uint32_t kind = control & REC_KIND_MASK;
	uint64_t stamp;

	if (control & ~(REC_COMMITTED | REC_SIZE_MASK | REC_KIND_MASK))
		return "reserved bits of a control word";
	if (size < (kind == REC_KIND_HOOK ? REC_HEADER_SIZE : 8) || size > room)
		return "a record's size";
	if (kind != REC_KIND_HOOK)
		return kind == REC_KIND_PAD && (control & REC_COMMITTED) ? NULL : "a kind";
	if (!(control & REC_COMMITTED)) {
		f->torn++;
		return NULL;
	}
	if (!is_whole(record, size))
		return "words beyond a record";
	stamp = get_le64(record + REC_STAMP);
	if (f->hooks && stamp < f->last)
		return "a stamp that goes back";
	f->first = f->hooks++ ? f->first : stamp;
	f->last = stamp;
	return NULL;
}

static const char *hooks(const uint8_t *header, const uint8_t *payload, uint32_t bytes)
{
	struct found f = {0};
	const char *why = NULL;

	for (uint32_t at = 0; at < bytes && !why; at += get_le32(payload + at) & REC_SIZE_MASK)
		why = bytes - at < 8 ? "a rest" : record_of(&f, payload + at, bytes - at);
	if (why)
		return why;
	if (f.hooks != get_le32(header + TF_S_HOOKS))
		return "the number of hooks";
	if (f.torn != get_le32(header + TF_S_TORN))
		return "the number of torn records";
	if (f.hooks && (f.first != get_le64(header + TF_S_FIRST) ||
			       f.last != get_le64(header + TF_S_LAST)))
		return "the first or last stamp";
	return NULL;
}

static const char *text(const uint8_t *bytes, uint32_t size, const char *why)
{
	for (uint32_t at = 0; at < size;) {
		size_t n = utf8_length(bytes + at, size - at);

		if (n == 0)
			return why;
		at += (uint32_t)n;
	}
	return NULL;
}

static const char *tasks(const uint8_t *bytes, uint32_t size)
{
	const char *why = size % TF_TASK_SIZE ? "a task that is cut short" : NULL;

	for (uint32_t at = 0; at < size && !why; at += TF_TASK_SIZE) {
		const uint8_t *name = bytes + at + TF_TASK_NAME;

		why = text(name, TF_TASK_NAME_SIZE, "a task's name");
		for (int i = 0; i < TF_TASK_NAME_SIZE && name[i]; i++)
			why = name[i] < 0x20 || name[i] == 0x7f ? "a control character" : why;
	}
	return why;
}

static const char *section(const uint8_t *header, const uint8_t *payload)
{
	uint32_t raw = get_le32(header + TF_S_RAW);

	if (header[TF_S_CODEC] != TF_CODEC_NONE)
		return NULL;
	switch (get_le16(header + TF_S_TYPE)) {
	case TF_TYPE_HOOKS:
		return hooks(header, payload, raw);
	case TF_TYPE_META:
		return text(payload, raw, "META");
	case TF_TYPE_SCHEMA:
		return text(payload, raw, "SCHEMA");
	case TF_TYPE_TASKS:
		return tasks(payload, raw);
	default:
		return NULL;
	}
}

static const char *sections(const uint8_t *file, uint64_t size)
{
	uint64_t at = TF_HEADER_SIZE;
	const char *why = NULL;

	while (!why && at + TF_SECTION_SIZE <= size) {
		uint64_t next = at + section_step(file + at);

		if (next > size)
			return "a section that is cut short";
		why = section(file + at, file + at + TF_SECTION_SIZE);
		at = next;
	}
	return why;
}

const char *consistent_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *why = "no file";
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
		uint8_t *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		why = file == MAP_FAILED ? "no memory" : sections(file, (uint64_t)st.st_size);
		if (file != MAP_FAILED)
			munmap(file, (size_t)st.st_size);
	}
	if (fd >= 0)
		close(fd);
	return why;
}
