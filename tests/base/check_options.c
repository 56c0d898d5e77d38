/* The options of a table: how they are found, their --help, their completion. */
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/options.h"
#include "../lib/suites.h"

static const struct option_choice choices[] = {
	{"one", "the first"}, {"two", "another\n    of two lines"}, {0}};

static const struct option table[] = {{.help = "Text first.\n"},
	{1, "-s", .value = "MB", .help = "a size"},
	{2, "-ss", .value = "KB", .help = "another size"},
	{3, "-o", .longer = "--output", .value = "FILE", .help = "a file\n    and its second line"},
	{4, .name = "--csv"}, {5, "--json", .help = "for programs"},
	{6, "--on", .value = "[=NAME]", .help = "a value after = alone"},
	{7, "--hidden", .help = ""}, {8, "--as", .value = "one", .choices = choices},
	{.help = "Text last.\n"}, {0}};

/* ID:VALUE of each option, ID:ARGUMENT of the rest; an error is the last. */
static void say_all(char *said, size_t room, bool stop, char **argv)
{
	struct options_scan scan = {.table = table, .argv = argv};
	int id;

	while (argv[scan.argc])
		scan.argc++;
	*said = 0;
	while ((id = options_next(&scan)) != OPTIONS_END) {
		size_t n = strlen(said);
		const char *of = id > 0 ? scan.value : scan.text;

		snprintf(said + n, room - n, "%s%d:%s", n ? " " : "", id, of ? of : "");
		if (id <= OPTIONS_UNKNOWN)
			return;
		scan.only_operands = scan.only_operands || (stop && id == OPTIONS_OPERAND);
	}
}

START_TEST(options_and_operands_come_in_their_order)
{
	static const struct {
		char *argv[8];
		const char *said;
		bool stop;
	} cases[] = {
		{{"x"}, "", false},
		{{"x", "-s", "4", "a", "--json", "-"}, "1:4 -2:a 5: -2:-", false},
		{{"x", "-s4", "-ss64", "-ss", "-s", "-sx"}, "1:4 2:64 2:-s 1:x", false},
		{{"x", "-o", "--", "--output=f", "--output", "g", "-of", "--output="},
			"3:-- 3:f 3:g 3:f 3:", false},
		{{"x", "--on", "a", "--on=b", "--on="}, "6: -2:a 6:b 6:", false},
		{{"x", "a", "--", "-s", "--", "--json"}, "-2:a -2:-s -2:-- -2:--json", false},
		{{"x", "-s", "4", "run", "-s", "--", "-h"}, "1:4 -2:run -2:-s -2:-- -2:-h", true},
		{{"x", "--hidden", "-h", "--help"}, "7: -1:-h -1:--help", false},
		/* Unique prefixes of long names are accepted, those of hidden options are not. */
		{{"x", "--js", "--out", "f", "--ou=g"}, "5: 3:f 3:g", false},
		{{"x", "--o"}, "-3:--o", false},
		{{"x", "--hid"}, "-3:--hid", false},
		{{"x", "--jsonx"}, "-3:--jsonx", false},
		{{"x", "-z"}, "-3:-z", false},
		{{"x", "-s"}, "-4:-s", false},
		{{"x", "--output"}, "-4:--output", false},
		{{"x", "--json=1"}, "-5:--json=1", false},
	};
	char said[200];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *argv[9] = {NULL};

		memcpy(argv, cases[i].argv, sizeof cases[i].argv);
		say_all(said, sizeof said, cases[i].stop, argv);
		ck_assert_str_eq(said, cases[i].said);
	}
}
END_TEST

START_TEST(help_is_the_table)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	options_print_help(f, table, 16);
	fclose(f);
	ck_assert_str_eq(text, "Text first.\n"
			       "  -s MB         a size\n"
			       "  -ss KB        another size\n"
			       "  -o, --output FILE   a file\n    and its second line\n"
			       "  --csv, --json for programs\n"
			       "  --on[=NAME]   a value after = alone\n"
			       "  --as one      the first\n"
			       "       two      another\n    of two lines\n"
			       "Text last.\n");
	free(text);
}
END_TEST

static const struct option completed[] = {{.help = "Text first.\n"},
	{1, "-s", .value = "MB", .help = "a size"},
	{2, "--format", .value = "NAME", .help = "a format\n    or so", .words = "text|csv|tsv"},
	{3, "-c", .longer = "--codec", .value = "none|lz4"}, {4, "--fast", .help = "both"},
	{5, "--hidden", .help = ""}, {6, "--as", .value = "one", .choices = choices}, {0}};

START_TEST(completion_is_the_table)
{
	static const struct {
		char *argv[7];
		const char *operands, *printed;
	} cases[] = {
		{{"x", "--f"}, NULL, "--format\ta format\n--fast\tboth\n"},
		{{"x", "-c"}, NULL, "-c\tboth\n"},
		{{"x", "--h"}, NULL, "--help\tthe options\n"},
		{{"x", "--format", ""}, "a|b", "text\ncsv\ntsv\n"},
		{{"x", "--format=t"}, NULL, "--format=text\n--format=tsv\n"},
		{{"x", "--codec", "l"}, NULL, "lz4\n"},
		{{"x", "--as=t"}, NULL, "--as=two\n"},
		{{"x", "--a"}, NULL, "--as\tthe first\n"},
		{{"x", "-s", "--f"}, NULL, ""},
		{{"x", "--no-such=t"}, NULL, ""},
		{{"x", "-s", "4", "l"}, "list|lot|show", "list\nlot\n"},
		{{"x", "list", "l"}, "list|lot|show", ""},
		{{"x", "list", "--fa"}, "list|lot|show", "--fast\tboth\n"},
		{{"x", "--", "--f"}, NULL, ""},
		/* Another command's line is its own. */
		{{"x", "--fast", "ls", "--f"}, OPTIONS_COMMAND, "\t2\n"},
		{{"x", "--fast", "--", "ls", "-"}, OPTIONS_COMMAND, "\t3\n"},
		{{"x", "--fast", "l"}, OPTIONS_COMMAND, "\t2\n"},
		{{"x", "--fast", "--", ""}, OPTIONS_COMMAND, "\t3\n"},
		{{"x", "--format", "c"}, OPTIONS_COMMAND, "csv\n"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *argv[8] = {NULL}, *text;
		int argc = 0;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		memcpy(argv, cases[i].argv, sizeof cases[i].argv);
		while (argv[argc])
			argc++;
		options_print_completion(f, completed, cases[i].operands, argc, argv);
		fclose(f);
		ck_assert_msg(strcmp(text, cases[i].printed) == 0, "case %zu: %s", i, text);
		free(text);
	}
}
END_TEST

int main(void)
{
	return suites_run(SUITE("options", .timeout = 60,
				  TESTS(options_and_operands_come_in_their_order, help_is_the_table,
					  completion_is_the_table)),
		NULL);
}
