#include "tiled.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char tiled_page[] = ".html";

static const char *const tiled_suffixes[] = {
	[PAGE_TILES_FILE] = ".tiles", [PAGE_TILES_FOLDER] = "-tiles"};

/* trace.html becomes trace.tiles; another name gets the suffix appended. NULL: no memory. */
static char *tiled_path(const char *page, const char *suffix)
{
	const size_t n = strlen(page), cut = strlen(tiled_page);
	const bool has_suffix = n > cut && strcmp(page + n - cut, tiled_page) == 0;
	const size_t kept = has_suffix ? n - cut : n;
	char *path = malloc(kept + strlen(suffix) + 1);

	if (path) {
		memcpy(path, page, kept);
		strcpy(path + kept, suffix);
	}
	return path;
}

static int tiled_refuse(struct report *r, const char *path, const char *why)
{
	report_note(r, "--format html: %s: %s", path, why);
	return CPIDECODE_EINVAL;
}

static int tiled_refuse_error(struct report *r, const char *path, int error)
{
	switch (error) {
	case ENOMEM:
		return CPIDECODE_ENOMEM;
	case EFBIG:
		return tiled_refuse(r, path,
			"more than 2000 scripts of 1 MiB (use --tiles, or choose with --from and "
			"--to, --label or --where)");
	case ENOTEMPTY:
		return tiled_refuse(r, path,
			"there is something in it (remove it, or give the page another name with "
			"-o)");
	default:
		return tiled_refuse(r, path, strerror(error));
	}
}

/* The user did not name this file, so replace it only if it holds tiles. */
static bool tiled_may_replace(const char *path)
{
	char magic[sizeof TILES_MAGIC - 1];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return errno == ENOENT;
	bool may = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		   (!st.st_size || (read(fd, magic, sizeof magic) == sizeof magic &&
					   memcmp(magic, TILES_MAGIC, sizeof magic) == 0));
	close(fd);
	return may;
}

static int tiled_begin(struct tiled *t, struct report *r, const char *path)
{
	const bool is_folder = t->kind == PAGE_TILES_FOLDER;

	if (!is_folder && !tiled_may_replace(path))
		return tiled_refuse(r, path,
			"not a file of tiles, which would replace it (move it away, or give the "
			"page another name with -o)");
	int error = is_folder ? chunks_open(&t->chunks, path) : -out_open(&t->out, path);
	t->to = is_folder ? &t->chunks.out : &t->out;
	return error ? tiled_refuse_error(r, path, error) : 0;
}

static int tiled_begin_beside(struct tiled *t, struct report *r)
{
	if (!r->out->temp) {
		report_note(r,
			"--format html: tiles go next to the page: give the page a file with -o");
		r->is_misused = true;
		return CPIDECODE_EINVAL;
	}
	char *path = tiled_path(r->out->path, tiled_suffixes[t->kind]);
	int rc = path ? tiled_begin(t, r, path) : CPIDECODE_ENOMEM;
	free(path);
	return rc;
}

int tiled_open(struct tiled *t, struct report *r, enum page_tiles kind, uint64_t intervals)
{
	int64_t first, last;
	int rc = 0;

	t->kind = kind;
	out_memory(&t->out);
	if (kind == PAGE_TILES_FOLDER)
		t->chunks.folder.fd = -1;
	if (kind == PAGE_TILES_SERVED)
		t->to = r->tiles_out;
	else
		rc = tiled_begin_beside(t, r);
	if (rc)
		return rc;
	trace_span(r->trace, &first, &last);
	t->tiles = tiles_new(t->to, last > first ? (uint64_t)last - (uint64_t)first : 0, intervals);
	return t->tiles ? 0 : CPIDECODE_ENOMEM;
}

static const char *tiled_name(const struct tiled *t)
{
	if (t->kind == PAGE_TILES_FOLDER)
		return t->chunks.folder.path;
	/* The server's name for them: cmd/serve.h. */
	return t->kind == PAGE_TILES_FILE ? t->out.path : "tiles";
}

int tiled_end(struct tiled *t, struct report *r)
{
	int error = tiles_end(t->tiles, &t->summary);

	if (!error)
		error = t->kind == PAGE_TILES_FOLDER ? chunks_place(&t->chunks) : -out_close(t->to);
	return error ? tiled_refuse_error(r, tiled_name(t), error) : 0;
}

void tiled_about(const struct tiled *t, const struct cells *cells, struct json *j)
{
	const char *name = tiled_name(t), *slash = strrchr(name, '/');

	json_member_open(j, "tiles", '{');
	json_member_text(j, "name", slash ? slash + 1 : name);
	if (t->kind == PAGE_TILES_FOLDER)
		json_member_u64(j, "chunk", CHUNKS_BYTES);
	if (t->kind == PAGE_TILES_SERVED)
		json_member_bool(j, "served", true);
	json_key(j, "means");
	cells_write_numeric(cells, j, true);
	json_member_u64(j, "bytes", t->summary.bytes);
	json_member_u64(j, "check", t->summary.check);
	json_close(j, '}');
}

void tiled_close(struct tiled *t)
{
	/* The thread that packs blocks writes to the stream until then. */
	tiles_free(t->tiles);
	if (t->kind == PAGE_TILES_FILE)
		out_discard(&t->out);
	if (t->kind == PAGE_TILES_FOLDER)
		chunks_discard(&t->chunks);
}
