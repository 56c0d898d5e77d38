/* Files that no provider made: nothing of them is handed on that breaks a rule. */
#include "shared.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum {
	TABLE = offsetof(struct prov_header, block),
	BLOCKS = 3, /* of the image below: a set, long slots, short slots */
	TABLE_END = TABLE + BLOCKS * (int)sizeof(struct prov_block),
};

static struct seen seen;
static uint8_t *image;
static size_t bytes;
static int fd;

/* A real provider's file, copied; the copy is ours, alive, and to be changed. */
static void begin(void)
{
	struct flock fl = {.l_type = F_WRLCK, .l_len = 1};
	GUID set = guid_of(2);
	char path[512], name[100];
	struct stat st;
	HANDLE h;

	shared_begin();
	h = offer_provider(1);
	offer_counters(h, 1, 2, PERF_COUNTERSET_MULTI_INSTANCES);
	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = 0;
	for (uint32_t i = 0; i < 3; i++)
		PerfSetULongLongCounterValue(h,
			PerfCreateInstance(h, &set, i ? i == 1 ? "a" : "b" : name, i), REQUESTS, i);
	ck_assert_int_eq(shared_files(path), 1);
	fd = open(path, O_RDONLY);
	ck_assert_int_eq(fstat(fd, &st), 0);
	bytes = (size_t)st.st_size;
	image = malloc(bytes);
	ck_assert_int_eq(pread(fd, image, bytes, 0), (ssize_t)bytes);
	close(fd);
	PerfStopProvider(h);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &fl), 0);
	ck_assert_int_eq(pwrite(fd, image, bytes, 0), (ssize_t)bytes);
}

static void end(void)
{
	close(fd);
	free(image);
	shared_end();
}

static struct prov_header *header(void)
{
	return (struct prov_header *)(void *)image;
}

static struct prov_set *the_set(void)
{
	return (struct prov_set *)(void *)(image + header()->block[0].offset);
}

static void put_image(void)
{
	ck_assert_int_eq(pwrite(fd, image, bytes, 0), (ssize_t)bytes);
}

/* A consumer's look at all there is; the rules are checked on the way. Rows of all sets, or -1:
 * none is seen; -2: one is and cannot be read. */
static int count_rows(void)
{
	struct seen all;
	int rows = -1;

	seen_open(&all);
	for (uint32_t i = 0; i < all.n; i++) {
		uint32_t rc = seen_collect(&all, all.sets[i]);

		ck_assert_msg(rc == ERROR_SUCCESS || rc == ERROR_INVALID_DATA ||
				      rc == ERROR_WMI_GUID_NOT_FOUND,
			"%u", rc);
		rows = rc ? -2 : (int)all.rows.used + (rows > 0 ? rows : 0);
	}
	seen_close(&all);
	return rows;
}

START_TEST(the_image_is_a_good_one)
{
	ck_assert_uint_eq(header()->blocks, BLOCKS);
	ck_assert_int_eq(count_rows(), 3);
}
END_TEST

/* A place that is read and not like many others: all but the rest of the table, of a long name's
 * room and of the slots. Of these some. */
static bool is_of_interest(size_t at)
{
	const struct prov_block *l = &header()->block[1], *s = &header()->block[2];
	const size_t name = l->offset + sizeof(struct prov_instance) + 128;

	if (at < TABLE_END || (at >= PROV_HEADER_BYTES && at < name) ||
		(at >= l->offset + prov_values_offset(PROV_ROOM_LONG) &&
			at < l->offset + prov_slot_bytes(PROV_ROOM_LONG, 4)) ||
		(at >= s->offset && at < s->offset + 2 * prov_slot_bytes(PROV_ROOM_SHORT, 4)))
		return true;
	return at % 211 == 0;
}

START_TEST(every_byte_is_changed)
{
	unsigned refused = 0, failed = 0, seen_all = 0;

	for (size_t at = 0; at < bytes; at++) {
		if (!is_of_interest(at))
			continue;
		for (int how = 0; how < 3; how++) {
			uint8_t b = how == 0   ? (uint8_t)(image[at] ^ 1 << at % 8)
				    : how == 1 ? 0
					       : 0xff;
			int rows;

			ck_assert_int_eq(pwrite(fd, &b, 1, (off_t)at), 1);
			rows = count_rows();
			refused += rows == -1;
			failed += rows == -2;
			seen_all += rows == 3;
		}
		ck_assert_int_eq(pwrite(fd, &image[at], 1, (off_t)at), 1);
	}
	/* All of it happens. */
	ck_assert_uint_gt(refused, 100);
	ck_assert_uint_gt(failed, 10);
	ck_assert_uint_gt(seen_all, 100);
	ck_assert_int_eq(count_rows(), 3);
}
END_TEST

START_TEST(every_truncation_is_no_provider_or_an_error)
{
	const struct prov_block *last = &header()->block[2];
	size_t whole = last->offset + last->bytes;

	for (size_t at = bytes; at-- > 0;) {
		if (at > PROV_HEADER_BYTES && at % 13 && at > header()->block[1].offset + 256)
			continue;
		if (at < PROV_HEADER_BYTES - 8 && at % 1009 && at > 8)
			continue;
		ck_assert_int_eq(ftruncate(fd, (off_t)at), 0);
		int rows = count_rows();
		if (at < header()->block[0].offset + header()->block[0].bytes)
			ck_assert_int_eq(rows, -1);
		else if (at < whole)
			ck_assert_int_eq(rows, -2);
	}
}
END_TEST

/* Each of these by itself makes the file none. */
#define is_refused(change)                                                                         \
	do {                                                                                       \
		uint8_t *good = malloc(bytes);                                                     \
		memcpy(good, image, bytes);                                                        \
		change;                                                                            \
		put_image();                                                                       \
		ck_assert_msg(count_rows() == -1, "%s", #change);                                  \
		memcpy(image, good, bytes);                                                        \
		free(good);                                                                        \
	} while (0)

START_TEST(tables_that_make_no_sense_are_refused)
{
	struct prov_header *h = header();
	struct prov_block *b = h->block;

	is_refused(h->magic++);
	is_refused(h->version++);
	is_refused(h->version = 0);
	is_refused(h->blocks = PROV_BLOCKS + 1);
	is_refused(h->blocks = UINT32_MAX);
	is_refused(h->blocks = 4);
	is_refused(b[0].kind = 0);
	is_refused(b[1].kind = 3);
	is_refused(b[0].set = 1);
	is_refused(b[1].set = 1);
	is_refused(b[1].set = UINT32_MAX);
	is_refused(b[0].offset -= 64);
	is_refused(b[0].offset += 8);
	is_refused(b[0].offset = 0);
	is_refused(b[0].offset = UINT32_MAX - 63);
	is_refused(b[1].offset = b[0].offset);
	is_refused(b[1].offset -= 64);
	is_refused(b[2].offset = PROV_FILE_MAX);
	is_refused(b[0].bytes = 0);
	is_refused(b[0].bytes = sizeof(struct prov_set) - 1);
	is_refused(b[0].bytes = PROV_SET_MAX + 1);
	is_refused(b[0].bytes = UINT32_MAX);
	is_refused(b[1].bytes = UINT32_MAX);
	is_refused(b[1].bytes--);
	is_refused(b[0].slots = 1);
	is_refused(b[1].slots = 0);
	is_refused(b[1].slots = PROV_INSTANCES + 1);
	is_refused(b[1].slots = UINT32_MAX);
	is_refused(b[0].name_room = 48);
	is_refused(b[1].name_room = 0);
	is_refused(b[1].name_room = 56);
	is_refused(b[1].name_room = UINT32_MAX);
	/* Another set there would be fine; the same one twice is not. */
	b[2] = b[0];
	b[2].set = 1;
	b[2].offset = b[1].offset + b[1].bytes;
	memcpy(image + b[2].offset, image + b[0].offset, b[0].bytes);
	is_refused((void)0);
	is_refused(b[2].offset = b[0].offset);
	image[b[2].offset]++;
	put_image();
	ck_assert_int_eq(count_rows(), 1);
}
END_TEST

START_TEST(countersets_that_make_no_sense_are_refused)
{
	struct prov_set *s = the_set();
	const uint32_t size = header()->block[0].bytes;

	is_refused(s->type = 1);
	is_refused(s->type = UINT32_MAX);
	is_refused(s->counters = 0);
	is_refused(s->counters = PROV_COUNTERS + 1);
	is_refused(s->counters = UINT32_MAX);
	is_refused(s->counters = (size - 64) / 48 + 1);
	is_refused(s->name.offset = size);
	is_refused(s->name.offset = UINT32_MAX);
	is_refused(s->name.bytes = 0);
	is_refused(s->name.bytes = PROV_NAME_MAX + 1);
	is_refused(s->help.bytes = UINT32_MAX);
	is_refused(s->help.bytes = PROV_HELP_MAX + 1);
	is_refused(image[header()->block[0].offset + s->name.offset] = 0);
	is_refused(s->counter[0].id = s->counter[1].id);
	is_refused(s->counter[1].id = s->counter[3].id + 1);
	is_refused(s->counter[3].id = PERF_WILDCARD_COUNTER);
	is_refused(s->counter[0].type ^= 0x200);
	is_refused(s->counter[0].attrib = PERF_ATTRIB_BY_REFERENCE);
	is_refused(s->counter[0].scale = 11);
	is_refused(s->counter[0].scale = INT32_MIN);
	is_refused(s->counter[0].base = s->counter[0].id);
	is_refused(s->counter[0].base = 3);
	is_refused(s->counter[0].aggregate = PERF_AGGREGATE_MAX + 1);
	is_refused(s->counter[2].name.bytes = 0);
	is_refused(s->counter[2].name.offset = size - 1);
	is_refused(s->counter[2].help.offset = size + 1);
	put_image();
	ck_assert_int_eq(count_rows(), 3);
}
END_TEST

START_TEST(texts_are_repaired)
{
	struct prov_set *s = the_set();
	char *name = (char *)image + header()->block[0].offset + s->name.offset;
	struct prov_instance *i =
		(struct prov_instance *)(void *)(image + header()->block[1].offset);

	memcpy(name, "S\x1b\xff\xc2\x85z", 6);
	memset(header()->program, 0xff, sizeof header()->program);
	i->name_bytes = 4;
	memcpy(i->name, "\xe2\x82x\0", 4);
	put_image();
	seen_open(&seen);
	ck_assert_str_eq(seen.sets[0]->definition->name, "S\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
	ck_assert_uint_eq(strlen(seen.sets[0]->definition->provider_name), 64 * 3);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
	ck_assert_int_ge(seen_row(&seen, "\xef\xbf\xbd\xef\xbf\xbdx", i->id), 0);
	seen_close(&seen);
}
END_TEST

/* A change between the look at the definition and the one at the values. */
#define fails_later(change)                                                                        \
	do {                                                                                       \
		uint8_t *good = malloc(bytes);                                                     \
		memcpy(good, image, bytes);                                                        \
		put_image();                                                                       \
		seen_open(&seen);                                                                  \
		ck_assert_uint_eq(seen.n, 1);                                                      \
		change;                                                                            \
		put_image();                                                                       \
		ck_assert_msg(                                                                     \
			seen_collect(&seen, seen.sets[0]) == ERROR_INVALID_DATA, "%s", #change);   \
		seen_close(&seen);                                                                 \
		memcpy(image, good, bytes);                                                        \
		free(good);                                                                        \
	} while (0)

START_TEST(instances_that_make_no_sense_fail_the_query)
{
	struct prov_header *h = header();
	struct prov_block *b = h->block;
	struct prov_instance *i = (struct prov_instance *)(void *)(image + b[2].offset);

	fails_later(i->name_bytes = PROV_ROOM_SHORT + 1);
	fails_later(i->name_bytes = UINT32_MAX);
	fails_later(i->name_bytes = 0);
	fails_later(i->name[0] = 0);
	fails_later(i->id = PERF_ANY_INSTANCE_ID);
	i = (struct prov_instance *)(void *)(image + b[1].offset);
	fails_later(i->name_bytes = PROV_INSTANCE_NAME_MAX + 1);
	/* Slots of the size that other counters would need. */
	fails_later((b[2].slots = 1, b[2].bytes = prov_slot_bytes(PROV_ROOM_SHORT, 200)));
	/* A definition that changes is not asked again. */
	seen_open(&seen);
	the_set()->counters = 1;
	the_set()->type = 99;
	put_image();
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
	ck_assert_uint_eq(seen.rows.used, 3);
	seen_close(&seen);
}
END_TEST

START_TEST(a_single_instance_set_has_one_slot)
{
	the_set()->type = PERF_COUNTERSET_SINGLE_INSTANCE;
	put_image();
	ck_assert_int_eq(count_rows(), -2);
}
END_TEST

START_TEST(only_regular_files_of_their_owner_are_read)
{
	char path[512], other[600];

	ck_assert_int_eq(shared_files(path), 1);
	snprintf(other, sizeof other, "%s/../%s.x", shared_dir, strrchr(shared_dir, '/') + 1);
	ck_assert_int_eq(fchmod(fd, 0620), 0);
	ck_assert_int_eq(count_rows(), -1);
	ck_assert_int_eq(fchmod(fd, 0602), 0);
	ck_assert_int_eq(count_rows(), -1);
	ck_assert_int_eq(fchmod(fd, 0644), 0);
	ck_assert_int_eq(count_rows(), 3);
	ck_assert_int_eq(chmod(shared_dir, 0775), 0);
	ck_assert_int_eq(count_rows(), -1);
	ck_assert_int_eq(chmod(shared_dir, 0755), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(fchown(fd, 61234, 61234), 0);
		ck_assert_int_eq(count_rows(), -1);
		ck_assert_int_eq(fchown(fd, 0, 0), 0);
	}
	ck_assert_int_eq(rename(path, other), 0);
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert_int_eq(count_rows(), -1);
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(count_rows(), -1);
	unlink(path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(count_rows(), -1);
	rmdir(path);
	if (geteuid() == 0 && mknod(path, S_IFCHR | 0600, makedev(1, 5)) == 0) {
		ck_assert_int_eq(count_rows(), -1);
		unlink(path);
	}
	ck_assert_int_eq(rename(other, path), 0);
	ck_assert_int_eq(count_rows(), 3);
}
END_TEST

START_TEST(without_its_lock_it_is_dead)
{
	struct flock fl = {.l_type = F_UNLCK, .l_len = 1};

	seen_open(&seen);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &fl), 0);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_WMI_GUID_NOT_FOUND);
	ck_assert_int_eq(count_rows(), -1);
	/* Who can only read it cannot make it live. */
	fl.l_type = F_RDLCK;
	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &fl), 0);
	ck_assert_int_eq(count_rows(), -1);
	fl.l_type = F_WRLCK;
	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &fl), 0);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
	seen_close(&seen);
}
END_TEST

START_TEST(a_replaced_file_is_a_new_one)
{
	struct flock fl = {.l_type = F_WRLCK, .l_len = 1};
	char path[512];
	int other;

	ck_assert_int_eq(shared_files(path), 1);
	seen_open(&seen);
	unlink(path);
	other = open(path, O_CREAT | O_RDWR, 0600);
	ck_assert_int_eq(fcntl(other, F_OFD_SETLK, &fl), 0);
	ck_assert_int_eq(pwrite(other, image, bytes, 0), (ssize_t)bytes);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_WMI_GUID_NOT_FOUND);
	seen_refresh(&seen);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
	/* Begun anew in the same file, too. */
	header()->started++;
	ck_assert_int_eq(pwrite(other, image, bytes, 0), (ssize_t)bytes);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_WMI_GUID_NOT_FOUND);
	seen_close(&seen);
	close(other);
}
END_TEST

START_TEST(a_huge_file_costs_no_more)
{
	ck_assert_int_eq(ftruncate(fd, (off_t)1 << 40), 0);
	ck_assert_int_eq(count_rows(), 3);
	/* As many instances as may be, of which none is there. */
	struct prov_block *b = &header()->block[2];
	b->slots = PROV_INSTANCES - header()->block[1].slots;
	b->bytes = b->slots * prov_slot_bytes(b->name_room, 4);
	put_image();
	ck_assert_int_eq(count_rows(), 3);
}
END_TEST

/* The provider's own file among others: those that are too many are not seen. */
START_TEST(too_many_files_are_not_all_read)
{
	struct flock fl = {.l_type = F_WRLCK, .l_len = 1};
	enum { FILES = 300 };
	int other[FILES];
	char path[512];

	for (uint32_t i = 0; i < FILES; i++) {
		snprintf(path, sizeof path, "%s/5a5a0063-0000-0000-0102-030000000000.%u",
			shared_dir, i);
		other[i] = open(path, O_CREAT | O_RDWR, 0600);
		ck_assert_int_eq(fcntl(other[i], F_OFD_SETLK, &fl), 0);
		the_set()->guid[0] = (uint8_t)i;
		the_set()->guid[1] = (uint8_t)(i >> 8);
		ck_assert_int_eq(pwrite(other[i], image, bytes, 0), (ssize_t)bytes);
	}
	seen_open(&seen);
	ck_assert_uint_eq(seen.n, 256);
	seen_close(&seen);
	for (uint32_t i = 0; i < FILES; i++)
		close(other[i]);
	for (uint32_t i = 0; i < 2000; i++) {
		snprintf(path, sizeof path, "%s/5a5a0063-0000-0000-0102-030000000000.9%u",
			shared_dir, i);
		close(open(path, O_CREAT | O_RDWR, 0600));
	}
	seen_open(&seen);
	ck_assert_uint_le(seen.n, 1);
	seen_close(&seen);
}
END_TEST

/* A consumer that lives long, and files that do not. */
START_TEST(the_table_of_seen_files_is_bounded)
{
	uint32_t most = 0;

	seen_open(&seen);
	for (uint32_t i = 0; i < 1100; i++) {
		header()->started++;
		ck_assert_int_eq(pwrite(fd, image, TABLE, 0), TABLE);
		seen_refresh(&seen);
		most += seen.n;
	}
	ck_assert_uint_eq(most, 1024 - 1);
	seen_close(&seen);
}
END_TEST

Suite *hostile_suite(void)
{
	return SUITE("shared: hostile", .set_up = begin, .tear_down = end, .timeout = 60,
		TESTS(the_image_is_a_good_one, every_byte_is_changed,
			every_truncation_is_no_provider_or_an_error,
			tables_that_make_no_sense_are_refused,
			countersets_that_make_no_sense_are_refused, texts_are_repaired,
			instances_that_make_no_sense_fail_the_query,
			a_single_instance_set_has_one_slot,
			only_regular_files_of_their_owner_are_read, without_its_lock_it_is_dead,
			a_replaced_file_is_a_new_one, a_huge_file_costs_no_more,
			too_many_files_are_not_all_read, the_table_of_seen_files_is_bounded));
}
