/*
 * libcpidecode for C++17: cpidecode.h with handles that close themselves, exceptions for its codes,
 * and ranges for its iterators.
 *
 *	cpidecode::trace t("trace.bin");
 *	for (const cpidecode::interval &iv : t.intervals())
 *		std::cout << iv.label_text() << ' ' << iv.elapsed_ns() << '\n';
 *	std::cout << t.report("summary");
 *
 * The comments of cpidecode.h hold here too: units, unmeasured values, threads, how long pointers
 * are valid. A range is read once, from its begin(); its items are valid until the next step. A
 * trace must outlive its ranges and columns.
 */
#ifndef CPIDECODE_HPP
#define CPIDECODE_HPP

#include <cerrno>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cpidecode.h"

namespace cpidecode
{

/* A CPIDECODE_E code; system_error() is errno if the code says that errno has the cause. */
class error : public std::runtime_error
{
      public:
	error(const std::string &about, int code, int system_error = 0)
	    : std::runtime_error(message(about, code, system_error)), code_(code),
	      system_error_(system_error)
	{
	}
	int code() const noexcept
	{
		return code_;
	}
	int system_error() const noexcept
	{
		return system_error_;
	}

      private:
	static std::string message(const std::string &about, int code, int system_error)
	{
		std::string text = about + ": " + cpidecode_strerror(code);

		if (system_error)
			text += ": " + std::generic_category().message(system_error);
		return text;
	}
	int code_, system_error_;
};

namespace detail
{

struct closer {
	void operator()(cpidecode_trace *t) const noexcept
	{
		cpidecode_close(t);
	}
	void operator()(cpidecode_hooks *it) const noexcept
	{
		cpidecode_hooks_close(it);
	}
	void operator()(cpidecode_interval_stream *s) const noexcept
	{
		cpidecode_interval_stream_close(s);
	}
	void operator()(cpidecode_columns *c) const noexcept
	{
		cpidecode_columns_close(c);
	}
};

template <class T> using handle = std::unique_ptr<T, closer>;

inline int errno_of(int code) noexcept
{
	return code == CPIDECODE_EOPEN || code == CPIDECODE_EREAD || code == CPIDECODE_ESPOOL
		       ? errno
		       : 0;
}

inline void check(int code, const char *about)
{
	if (code < 0) {
		const int system_error = errno_of(code);

		throw error(about, code, system_error);
	}
}

inline std::string_view view(const char *text, std::size_t length) noexcept
{
	return text ? std::string_view(text, length) : std::string_view();
}

/* A range whose elements are read one after the other: Source has next(), which returns a pointer
 * to the next element, or nullptr at the end. */
template <class Source, class T> class input_range
{
      public:
	class iterator
	{
	      public:
		using iterator_category = std::input_iterator_tag;
		using value_type = T;
		using difference_type = std::ptrdiff_t;
		using pointer = const T *;
		using reference = const T &;

		iterator() = default;
		explicit iterator(Source *source) : source_(source), at_(source->next())
		{
		}
		reference operator*() const noexcept
		{
			return *at_;
		}
		pointer operator->() const noexcept
		{
			return at_;
		}
		iterator &operator++()
		{
			at_ = source_->next();
			return *this;
		}
		void operator++(int)
		{
			++*this;
		}
		friend bool operator==(const iterator &a, const iterator &b) noexcept
		{
			return a.at_ == b.at_;
		}
		friend bool operator!=(const iterator &a, const iterator &b) noexcept
		{
			return !(a == b);
		}

	      private:
		Source *source_ = nullptr;
		const T *at_ = nullptr;
	};

	explicit input_range(std::unique_ptr<Source> source) : source_(std::move(source))
	{
	}
	iterator begin()
	{
		return iterator(source_.get());
	}
	iterator end() const noexcept
	{
		return iterator();
	}
	/* The iterator of cpidecode.h, for its other functions. */
	auto native() const noexcept
	{
		return source_->native();
	}

      private:
	std::unique_ptr<Source> source_;
};

} /* namespace detail */

/* A named value of an interval. */
struct value : cpidecode_value {
	std::string_view name_text() const noexcept
	{
		return detail::view(name, name_length);
	}
	std::string_view text_text() const noexcept
	{
		return detail::view(text, text_length);
	}
	bool is_argument() const noexcept
	{
		return kind == CPIDECODE_VALUE_ARGUMENT;
	}
};

/* An interval; the members are those of cpidecode_interval. */
struct interval : cpidecode_interval {
	bool has_label() const noexcept
	{
		return label != nullptr;
	}
	std::string_view label_text() const noexcept
	{
		return detail::view(label, label_length);
	}
	std::string_view task_text() const noexcept
	{
		return task ? std::string_view(task) : std::string_view();
	}
	/* By the times of its start and end. */
	std::int64_t elapsed_ns() const noexcept
	{
		return end_ns - start_ns;
	}
	/* Its named values. */
	std::vector<value> values() const
	{
		std::vector<value> found;
		value v;

		for (std::size_t i = 0; !cpidecode_interval_stream_value(stream, i, &v); i++)
			found.push_back(v);
		return found;
	}

	const cpidecode_interval_stream *stream = nullptr;
};

/* A count, or nothing if it is CPIDECODE_NOT_MEASURED. */
inline std::optional<std::uint64_t> measured(std::uint64_t count) noexcept
{
	return count == CPIDECODE_NOT_MEASURED ? std::nullopt : std::optional<std::uint64_t>(count);
}

/* A hook; the members are those of cpidecode_hook. */
struct hook : cpidecode_hook {
	std::uint32_t word(unsigned i) const noexcept
	{
		return cpidecode_hook_word(this, i);
	}
	std::string_view string(unsigned i) const noexcept
	{
		std::size_t length = 0;
		const char *text = cpidecode_hook_string(this, i, &length);

		return detail::view(text, length);
	}
	std::string_view name_text() const noexcept
	{
		return name ? std::string_view(name) : std::string_view();
	}
	/* The fields of its schema that were not read yet; once for each hook. */
	std::vector<cpidecode_field> fields() const
	{
		std::vector<cpidecode_field> found;
		cpidecode_field f;

		while (cpidecode_hooks_field(iterator, &f, nullptr) > 0)
			found.push_back(f);
		return found;
	}

	cpidecode_hooks *iterator = nullptr;
};

namespace detail
{

class interval_source
{
      public:
	explicit interval_source(handle<cpidecode_interval_stream> stream)
	    : stream_(std::move(stream))
	{
		at_.stream = stream_.get();
	}
	const interval *next()
	{
		const int rc = cpidecode_interval_stream_next(stream_.get(), &at_);

		check(rc, "intervals");
		return rc > 0 ? &at_ : nullptr;
	}
	cpidecode_interval_stream *native() const noexcept
	{
		return stream_.get();
	}

      private:
	handle<cpidecode_interval_stream> stream_;
	interval at_{};
};

class hook_source
{
      public:
	explicit hook_source(handle<cpidecode_hooks> it) : it_(std::move(it))
	{
		at_.iterator = it_.get();
	}
	const hook *next()
	{
		const cpidecode_hook *h;
		const int rc = cpidecode_hooks_next(it_.get(), &h);

		check(rc, "hooks");
		if (rc == 0)
			return nullptr;
		static_cast<cpidecode_hook &>(at_) = *h;
		return &at_;
	}
	cpidecode_hooks *native() const noexcept
	{
		return it_.get();
	}

      private:
	handle<cpidecode_hooks> it_;
	hook at_{};
};

} /* namespace detail */

using interval_range = detail::input_range<detail::interval_source, interval>;
using hook_range = detail::input_range<detail::hook_source, hook>;

/* Columns of intervals: see cpidecode_columns_open. */
class columns
{
      public:
	explicit columns(cpidecode_columns *c) : columns_(c)
	{
	}
	std::size_t size() const noexcept
	{
		return cpidecode_columns_count(columns_.get());
	}
	std::uint64_t rows() const noexcept
	{
		return cpidecode_columns_rows(columns_.get());
	}
	cpidecode_column_info info(std::size_t i) const
	{
		cpidecode_column_info found;

		detail::check(cpidecode_columns_info(columns_.get(), i, &found), "columns");
		return found;
	}
	/* Fills the next rows of a buffer for each column. Returns how many; 0: none are left. */
	std::size_t read(const std::vector<cpidecode_column_buffer> &to, std::size_t rows)
	{
		if (to.size() != size())
			throw error("columns", CPIDECODE_EINVAL);
		const int rc = cpidecode_columns_read(columns_.get(), to.data(), rows);

		detail::check(rc, "columns");
		return static_cast<std::size_t>(rc);
	}
	/* Of a code that was read; empty for CPIDECODE_NO_TEXT. */
	std::string_view text(std::uint32_t code) const noexcept
	{
		std::size_t length = 0;
		const char *found = cpidecode_columns_text(columns_.get(), code, &length);

		return detail::view(found, length);
	}
	cpidecode_columns *native() const noexcept
	{
		return columns_.get();
	}

      private:
	detail::handle<cpidecode_columns> columns_;
};

/* One or several files, merged by time. Movable, not copyable. */
class trace
{
      public:
	explicit trace(const std::string &path) : trace(std::vector<std::string>{path})
	{
	}
	explicit trace(const std::vector<std::string> &paths)
	{
		std::vector<const char *> names;
		cpidecode_trace *t = nullptr;
		cpidecode_open_error failed{};

		for (const std::string &path : paths)
			names.push_back(path.c_str());
		const int rc =
			cpidecode_open_with(names.data(), names.size(), nullptr, &t, &failed);
		if (rc < 0)
			throw error(failed.file < paths.size() ? paths[failed.file] : "no trace",
				rc, failed.system_error);
		trace_.reset(t);
	}
	/* The bytes are borrowed. */
	static trace of_memory(std::string_view bytes)
	{
		cpidecode_trace *t = nullptr;

		detail::check(cpidecode_open_memory(bytes.data(), bytes.size(), &t), "memory");
		return trace(t);
	}

	std::size_t files() const noexcept
	{
		return cpidecode_files(trace_.get());
	}
	cpidecode_file_info file(std::size_t i = 0) const
	{
		cpidecode_file_info info;

		detail::check(cpidecode_file(trace_.get(), i, &info), "file");
		return info;
	}
	/* The META lines of a file. */
	std::vector<std::pair<std::string_view, std::string_view>> meta(std::size_t file = 0) const
	{
		std::vector<std::pair<std::string_view, std::string_view>> lines;
		const char *key, *value;
		std::size_t key_length, value_length;

		for (std::size_t i = 0; !cpidecode_meta(
			     trace_.get(), file, i, &key, &key_length, &value, &value_length);
			i++)
			lines.emplace_back(
				detail::view(key, key_length), detail::view(value, value_length));
		return lines;
	}
	/* By start, longer first: those that overlap [from_ns, to_ns]. */
	interval_range intervals(
		std::int64_t from_ns = INT64_MIN, std::int64_t to_ns = INT64_MAX) const
	{
		cpidecode_interval_stream *s = nullptr;

		detail::check(cpidecode_interval_stream_open(trace_.get(), from_ns, to_ns, &s),
			"intervals");
		return interval_range(std::make_unique<detail::interval_source>(
			detail::handle<cpidecode_interval_stream>(s)));
	}
	/* In order of time. */
	hook_range hooks() const
	{
		cpidecode_hooks *it = nullptr;

		detail::check(cpidecode_hooks_open(trace_.get(), &it), "hooks");
		return hook_range(
			std::make_unique<detail::hook_source>(detail::handle<cpidecode_hooks>(it)));
	}
	/* names: empty for all; where: a condition, empty for none. */
	cpidecode::columns columns(const std::vector<std::string> &names,
		const std::string &where = {}, std::int64_t from_ns = 0,
		std::int64_t to_ns = 0) const
	{
		std::vector<const char *> list;
		cpidecode_columns *c = nullptr;
		cpidecode_columns_error failed{};
		cpidecode_columns_options options{};

		for (const std::string &name : names)
			list.push_back(name.c_str());
		options.size = sizeof options;
		options.from_ns = from_ns;
		options.to_ns = to_ns;
		options.where = where.empty() ? nullptr : where.c_str();
		const int rc = cpidecode_columns_open(trace_.get(),
			list.empty() ? nullptr : list.data(), list.size(), &options, &c, &failed);
		if (rc < 0) {
			const int system_error = detail::errno_of(rc);

			throw error(failed.reason[0] ? failed.reason : "columns", rc, system_error);
		}
		return cpidecode::columns(c);
	}
	/* The bytes of a report, as the command writes them. */
	std::string report(const char *name = nullptr, const char *format = nullptr) const
	{
		cpidecode_report_options options{};

		options.report = name;
		options.format = format;
		return report(options);
	}
	/* size is set here. */
	std::string report(cpidecode_report_options options) const
	{
		std::string bytes;

		options.size = sizeof options;
		detail::check(cpidecode_report(trace_.get(), &options, append, &bytes, nullptr),
			"report");
		return bytes;
	}
	cpidecode_trace *native() const noexcept
	{
		return trace_.get();
	}

      private:
	explicit trace(cpidecode_trace *t) : trace_(t)
	{
	}
	/* No exception passes through the library. */
	static int append(void *to, const void *bytes, std::size_t n) noexcept
	{
		try {
			static_cast<std::string *>(to)->append(static_cast<const char *>(bytes), n);
			return 0;
		} catch (const std::exception &) {
			return 1;
		}
	}
	detail::handle<cpidecode_trace> trace_;
};

} /* namespace cpidecode */

#endif
