/*
 * Lower bounds of a drain's steps, by the sections of a file of `swtrace record --compress
 * none`: the kernel's copies and the library functions alone, without anything of ours.
 *
 *	floors FILE SCRATCH
 *
 * FILE and SCRATCH, which is made and removed, are in tmpfs. Prints lines for report.awk, see
 * writer.c: ns of processor time per hook, and million hooks a second.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "../../formats/bytes.h"
#include "../../formats/trace_file.h"

enum { SECTIONS_MAX = 1 << 16, REPETITIONS = 5 };

struct part {
	off_t at;
	uint32_t bytes, hooks, stored;
};

static struct part part[SECTIONS_MAX];
static unsigned parts;
static uint64_t hooks, raw, stored;
static uint32_t largest;
static int fd;
static char *bytes, *packed;

static uint64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void read_part(const struct part *p)
{
	if (pread(fd, bytes, p->bytes, p->at) != (ssize_t)p->bytes)
		die("cannot read the trace: %s", strerror(errno));
}

static void find_parts(const char *path)
{
	uint8_t header[TF_SECTION_SIZE];
	off_t at = TF_HEADER_SIZE;

	fd = open(path, O_RDONLY);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	while (pread(fd, header, sizeof header, at) == (ssize_t)sizeof header) {
		uint32_t size = get_le32(header + TF_S_STORED);

		if (get_le16(header + TF_S_TYPE) == TF_TYPE_HOOKS && size > 32768 &&
			header[TF_S_CODEC] == TF_CODEC_NONE && parts < SECTIONS_MAX) {
			part[parts++] = (struct part){.at = at + TF_SECTION_SIZE,
				.bytes = size,
				.hooks = get_le32(header + TF_S_HOOKS)};
			hooks += get_le32(header + TF_S_HOOKS);
			raw += size;
			largest = size > largest ? size : largest;
		}
		at += TF_SECTION_SIZE + (off_t)((size + TF_ALIGN - 1) / TF_ALIGN * TF_ALIGN);
	}
	if (!parts)
		die("%s has no sections of hooks", path);
}

static void print_sample(const char *id, uint64_t ns)
{
	printf("sample\tfloor.%s\t%.4g\n", id, (double)ns / (double)hooks);
}

static uint64_t time_looks(int looks)
{
	uint64_t start = thread_ns();

	for (unsigned i = 0; i < parts; i++)
		for (int k = 0; k < looks; k++)
			read_part(&part[i]);
	return thread_ns() - start;
}

/* Codec and checksum, with the section in the processor's cache as it is after two looks. */
static void time_codec(uint64_t *codec, uint64_t *checksum)
{
	uint64_t sum = 0;

	*codec = *checksum = stored = 0;
	for (unsigned i = 0; i < parts; i++) {
		struct part *p = &part[i];

		read_part(p);
		uint64_t start = thread_ns();
		p->stored = (uint32_t)LZ4_compress_default(
			bytes, packed, (int)p->bytes, LZ4_compressBound((int)largest));
		uint64_t middle = thread_ns();
		sum += XXH3_64bits(packed, p->stored);
		*codec += middle - start;
		*checksum += thread_ns() - middle;
		stored += p->stored;
	}
	if (sum == 1)
		puts(""); /* keeps the sum */
}

/* As many bytes as are stored, into pages that the file did not have. */
static uint64_t time_writes(const char *scratch)
{
	int to = open(scratch, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (to < 0 || unlink(scratch) != 0)
		die("%s: %s", scratch, strerror(errno));
	uint64_t start = thread_ns();
	for (unsigned i = 0; i < parts; i++)
		if (write(to, packed, part[i].stored) != (ssize_t)part[i].stored)
			die("%s: %s", scratch, strerror(errno));
	uint64_t used = thread_ns() - start;
	close(to);
	return used;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		die("see the first lines of floors.c");
	find_parts(argv[1]);
	bytes = malloc(largest);
	packed = malloc((size_t)LZ4_compressBound((int)largest));
	if (!bytes || !packed)
		die("no memory");
	for (int i = 0; i < REPETITIONS; i++) {
		uint64_t codec, checksum;
		uint64_t once = time_looks(1), looks = time_looks(2);

		time_codec(&codec, &checksum);
		uint64_t writes = time_writes(argv[2]);
		print_sample("look", once);
		print_sample("looks", looks);
		print_sample("lz4", codec);
		print_sample("checksum", checksum);
		print_sample("write", writes);
		printf("sample\tfloor.rate\t%.4g\n",
			(double)hooks * 1e3 / (double)(looks + checksum + writes));
		printf("sample\tfloor.rate_lz4\t%.4g\n",
			(double)hooks * 1e3 / (double)(looks + codec + checksum + writes));
		printf("sample\tfloor.stored\t%.4g\n", (double)stored / (double)hooks);
	}
	return fflush(stdout) ? 1 : 0;
}
