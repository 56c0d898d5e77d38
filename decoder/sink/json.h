/*
 * A streaming JSON writer (RFC 8259), which places the commas. Reports write one object per
 * line, so that readers need not parse a million at once.
 */
#ifndef SWT_DECODER_JSON_H
#define SWT_DECODER_JSON_H

#include "out.h"
#include "fmt.h"

struct json {
	struct out *o;
	bool comma;  /* a value precedes the next one */
	bool spaced; /* a space after each comma and colon */
	bool broken; /* the next value begins a line; so does the closing bracket */
};

/* The slow path of json_begin_value. */
void json_begin_broken(struct json *j);

/* Begins a value that the caller writes to o. */
static inline void json_begin_value(struct json *j)
{
	if (j->spaced || j->broken) {
		json_begin_broken(j);
		return;
	}
	if (j->comma)
		out_char(j->o, ',');
	j->comma = true;
}

/* '{' or '['; or '"', for a caller that writes plain ASCII to o. */
void json_open(struct json *j, char bracket);
void json_close(struct json *j, char bracket);	     /* '}', ']' or '"' */
void json_key(struct json *j, const char *key);	     /* plain ASCII, written unchanged */
void json_key_text(struct json *j, const char *key); /* any text */
void json_key_bytes(struct json *j, const char *key, size_t n);
void json_null(struct json *j);
void json_bool(struct json *j, bool v);
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
/* v in units of 10^-decimals (0 to 9), exactly. */
void json_scaled(struct json *j, int64_t v, unsigned decimals);
void json_fixed(struct json *j, double v, unsigned decimals); /* NaN, infinity: null */
void json_double(struct json *j, double v);		      /* the same */
void json_general(struct json *j, double v, unsigned digits); /* likewise; as %.*g */
void json_string(struct json *j, const char *s, size_t n);
void json_text(struct json *j, const char *s); /* NULL: null */
/* A string in printf's format: plain text of at most 79 bytes. */
void json_format(struct json *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
void json_break(struct json *j); /* sets broken, for the values that follow */
void json_end_line(struct json *j);

/* A key and its value. */
static inline void json_member_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

/* null if it is not known. */
static inline void json_member_count(struct json *j, const char *key, bool is_known, uint64_t v)
{
	json_key(j, key);
	if (is_known)
		json_u64(j, v);
	else
		json_null(j);
}

static inline void json_member_i64(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	json_i64(j, v);
}

static inline void json_member_bool(struct json *j, const char *key, bool v)
{
	json_key(j, key);
	json_bool(j, v);
}

static inline void json_member_fixed(struct json *j, const char *key, double v, unsigned decimals)
{
	json_key(j, key);
	json_fixed(j, v, decimals);
}

static inline void json_member_text(struct json *j, const char *key, const char *s)
{
	json_key(j, key);
	json_text(j, s);
}

static inline void json_member_open(struct json *j, const char *key, char bracket)
{
	json_key(j, key);
	json_open(j, bracket);
}

/*
 * Compile-time keys, for lines written with fmt.h: each stores constant bytes at p and returns
 * their end. The first one opens the object.
 */
#define json_fmt_first_key(p, key) fmt_text((p), "{\"" key "\":")
#define json_fmt_key(p, key) fmt_text((p), ",\"" key "\":")

#endif
