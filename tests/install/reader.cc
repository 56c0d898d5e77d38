// Reads a trace by cpidecode.hpp. usage: reader TRACE
#include <cpidecode.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <numeric>
#include <type_traits>

static int failures;

static void check(bool holds, const char *what)
{
	if (!holds) {
		failures++;
		std::printf("FAILED: %s\n", what);
	}
}

static_assert(std::is_move_constructible_v<cpidecode::trace> &&
		      !std::is_copy_constructible_v<cpidecode::trace>,
	"a trace has one owner");

static void read_columns(const cpidecode::trace &t, std::size_t intervals, std::uint64_t elapsed)
{
	cpidecode::columns c = t.columns({"elapsed_cycles", "label", "thread_cpi"});
	std::vector<std::uint64_t> cycles(c.rows());
	std::vector<std::uint32_t> labels(c.rows());
	const std::size_t rows =
		c.read({{cycles.data(), 0, nullptr, 0}, {labels.data(), 0, nullptr, 0},
			       {nullptr, 0, nullptr, 0}},
			c.rows());

	check(rows == intervals && c.size() == 3, "as many rows as intervals");
	check(std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0}) == elapsed,
		"the column has the intervals' cycles");
	check(!c.text(labels[0]).empty() && c.text(CPIDECODE_NO_TEXT).empty(), "codes have texts");
	check(c.info(1).type == CPIDECODE_COLUMN_CODE, "labels are codes");
	cpidecode::columns none = t.columns({"tid"}, "elapsed < 0ns");
	check(none.rows() == 0, "a condition chooses rows");
}

static void refuse(const cpidecode::trace &t)
{
	try {
		cpidecode::trace("/no/such/trace");
		check(false, "a file that is not there");
	} catch (const cpidecode::error &e) {
		check(e.code() == CPIDECODE_EOPEN && e.system_error() == ENOENT &&
				std::string(e.what()).find("/no/such/trace") == 0,
			"the error names the file and the reason");
	}
	try {
		t.columns({"no_such_column"});
		check(false, "a column that is not there");
	} catch (const cpidecode::error &e) {
		check(e.code() == CPIDECODE_EINVAL, "the error of a column");
	}
	try {
		t.report("no such report");
		check(false, "a report that is not there");
	} catch (const cpidecode::error &e) {
		check(e.code() == CPIDECODE_EINVAL, "the error of a report");
	}
}

int main(int, char **argv)
{
	cpidecode::trace opened(argv[1]), t(std::move(opened));
	std::size_t n = 0, hooks = 0, fields = 0;
	std::uint64_t elapsed = 0;

	for (const cpidecode::interval &iv : t.intervals()) {
		n++;
		elapsed += iv.elapsed;
		check(iv.has_label() && !iv.label_text().empty(), "intervals have labels");
		check(iv.values().empty() || !iv.values()[0].name_text().empty(),
			"values have names");
		check(!cpidecode::measured(CPIDECODE_NOT_MEASURED) && *cpidecode::measured(3) == 3,
			"measured");
	}
	check(n > 0, "there are intervals");
	auto range = t.intervals();
	check(std::all_of(range.begin(), range.end(),
		      [](const cpidecode::interval &iv) { return iv.elapsed_ns() >= 0; }),
		"an algorithm takes the range");
	for (const cpidecode::hook &h : t.hooks()) {
		hooks++;
		fields += h.fields().size();
	}
	check(hooks == t.file().hooks && fields > hooks, "all hooks, with their fields");
	check(t.files() == 1 && !t.meta().empty(), "the file");
	check(t.report("intervals", "json").find(R"("label":)") != std::string::npos, "a report");
	std::ifstream in(argv[1], std::ios::binary);
	const std::string bytes{std::istreambuf_iterator<char>(in), {}};
	check(cpidecode::trace::of_memory(bytes).report() == t.report(), "the same from memory");
	read_columns(t, n, elapsed);
	refuse(t);
	return failures > 0;
}
