/*
 * For builds without a fuzzer: runs a target on the given files and folders, so that every compiler
 * repeats inputs that once failed. Fails if there are no inputs.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "fuzz.h"

static unsigned long inputs;

static void run_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct bytes b = {0};
	uint8_t chunk[4096];
	size_t n;

	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	while ((n = fread(chunk, 1, sizeof chunk, file)))
		bytes_put(&b, chunk, n);
	fclose(file);
	uint8_t *exact = exact_copy(b.p, b.n);
	/* Names the file in the log of a crash. */
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(exact, b.n);
	inputs++;
	free(exact);
	bytes_free(&b);
}

static void run_path(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		run_file(path);
		return;
	}
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char *inner;

		if (names[i]->d_name[0] != '.' &&
			asprintf(&inner, "%s/%s", path, names[i]->d_name) > 0) {
			run_path(inner);
			free(inner);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	printf("%lu inputs\n", inputs);
	return inputs ? 0 : 1;
}
