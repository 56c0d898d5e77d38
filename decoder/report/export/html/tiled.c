#include "tiled.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char tiled_page[] = ".html", tiled_suffix[] = ".tiles";

/* trace.html: trace.tiles. Another name gets the suffix. NULL: no memory. */
static char *tiled_path(const char *page)
{
	const size_t n = strlen(page), cut = strlen(tiled_page);
	const bool has_suffix = n > cut && strcmp(page + n - cut, tiled_page) == 0;
	const size_t kept = has_suffix ? n - cut : n;
	char *path = malloc(kept + sizeof tiled_suffix);

	if (path) {
		memcpy(path, page, kept);
		memcpy(path + kept, tiled_suffix, sizeof tiled_suffix);
	}
	return path;
}

static int tiled_refuse(struct report *r, const char *path, const char *why)
{
	report_note(r, "--format html: %s: %s", path, why);
	return CPIDECODE_EINVAL;
}

/* Nobody named the file, so only tiles are replaced. */
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
	if (!tiled_may_replace(path))
		return tiled_refuse(r, path,
			"not a file of tiles, which would replace it (move it away, or give the "
			"page another name with -o)");
	int error = out_open(&t->out, path);
	if (error)
		return tiled_refuse(r, path, strerror(-error));
	t->tiles = tiles_new(&t->out);
	if (t->tiles)
		return 0;
	out_discard(&t->out);
	return CPIDECODE_ENOMEM;
}

int tiled_open(struct tiled *t, struct report *r)
{
	if (!r->out->temp) {
		report_note(r,
			"--format html: --tiles writes a second file beside the page: give the "
			"page a file with -o");
		r->is_misused = true;
		return CPIDECODE_EINVAL;
	}
	char *path = tiled_path(r->out->path);
	int rc = path ? tiled_begin(t, r, path) : CPIDECODE_ENOMEM;
	free(path);
	return rc;
}

int tiled_end(struct tiled *t, struct report *r)
{
	int error = tiles_end(t->tiles, &t->summary);

	if (!error)
		error = -out_close(&t->out);
	if (error == ENOMEM)
		return CPIDECODE_ENOMEM;
	return error ? tiled_refuse(r, out_name(&t->out), strerror(error)) : 0;
}

void tiled_about(const struct tiled *t, struct json *j)
{
	const char *slash = strrchr(t->out.path, '/');

	json_member_open(j, "tiles", '{');
	json_member_text(j, "name", slash ? slash + 1 : t->out.path);
	json_member_u64(j, "bytes", t->summary.bytes);
	json_member_u64(j, "check", t->summary.check);
	json_close(j, '}');
}

void tiled_close(struct tiled *t)
{
	tiles_free(t->tiles);
	/* A closed one has nothing to discard but its names; one that was not opened has no file.
	 */
	if (t->tiles)
		out_discard(&t->out);
}
