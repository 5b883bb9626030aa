/* Unit tests of rec: parsing, reading and writing JSON records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rec.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void
parses(void)
{
	static const struct {
		const char *text, *kind;
	} rows[] = {
		{"{\"kind\":\"port\"}", "port"},
		{" \t{ \"a\" : [1,{\"b\":null}] , \"kind\" : \"x\" } \r", "x"},
		{"{\"kind\":\"\"}", ""},
		{"{\"kind\":\"K\xC3\xA4se\"}", "K\xC3\xA4se"},
		{"{\"kind\":\"x\",\"n\":18446744073709551615}", "x"},
		{"{\"kind\":\"x\",\"n\":-1.5e300}", "x"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error;
		json_t *record = rec_parse_new(rows[i].text, strlen(rows[i].text), &error);
		check_row("%s", rows[i].text);
		if (CHECK(record != NULL))
			CHECK_STR(rec_kind(record), rows[i].kind);
		json_decref(record);
	}
}

static void
refuses(void)
{
	static const struct {
		const char *text;
		size_t length, least, most; /* the offset is between these */
		const char *reason;
	} rows[] = {
		{"", 0, 0, 0, ""},
		{"   ", 3, 0, 3, ""},
		{"[]", 2, 0, 0, "not a JSON object"},
		{"{}", 2, 0, 0, "no \"kind\""},
		{"{\"kind\":1}", 10, 0, 0, "no \"kind\""},
		{"{\"kind\":\"x\"} {\"kind\":\"y\"}", 25, 12, 14, "end of file expected"},
		{"{\"kind\":\"x\",}", 13, 12, 13, ""},
		{"{\"kind\":\"x\",\"a\":", 16, 15, 16, ""},
		{"{\"kind\":\"x\"", 11, 10, 11, ""},
		{"{\"kind\":\"x\",\"a\":tru}", 20, 16, 19, "invalid token"},
		{"{\"kind\":\"x\",\"a\":01}", 19, 16, 18, ""},
		{"{\"kind\":\"x\",\"a\":NaN}", 20, 16, 19, ""},
		{"{\"kind\":\"x\",\"a\":1e999}", 22, 16, 22, "real number overflow"},
		{"{\"kind\":\"x\xFF\"}", 13, 9, 11, "unable to decode byte"},
		{"{\"kind\":\"\\u0000\"}", 17, 8, 17, ""},
		{"{\"kind\":\"a\0b\"}", 14, 8, 12, ""},
		{"{\"kind\":\"x\"}\0", 13, 11, 13, ""},
		{"{\"kind\":\"x\",\"a\":7\0}", 19, 17, 17, "a NUL byte"},
		{"{\"kind\":\"\\ud800\"}", 17, 8, 17, ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error = {.reason = "unset", .offset = 9999, .no_memory = true};
		check_row("row %zu", i);
		json_t *record = rec_parse_new(rows[i].text, rows[i].length, &error);
		CHECK(record == NULL);
		json_decref(record);
		CHECK_HAS(error.reason, rows[i].reason);
		CHECK(strcmp(error.reason, "unset") != 0 && *error.reason != '\0');
		CHECK(!error.no_memory);
		if (!CHECK(error.offset >= rows[i].least && error.offset <= rows[i].most))
			CHECK_INT((int64_t)error.offset, (int64_t)rows[i].most);
	}
}

static void
deep(void)
{
	/* Nesting that would exhaust the stack of a careless parser. */
	char *text = check_repeat_new('[', 200000);
	struct rec_error error;
	CHECK(rec_parse_new(text, strlen(text), &error) == NULL);
	CHECK_HAS(error.reason, "depth");
	free(text);
}

/* Return a record whose "v" is the given JSON text. */
static json_t *
record_new(const char *value)
{
	char text[200];
	struct rec_error error;
	snprintf(text, sizeof text, "{\"kind\":\"t\",\"v\":%s}", value);
	json_t *record = rec_parse_new(text, strlen(text), &error);
	CHECK(record != NULL);
	return record;
}

static void
unsigned_numbers(void)
{
	static const struct {
		const char *json;
		enum rec_status status;
		uint64_t value;
	} rows[] = {
		{"0", REC_OK, 0},
		{"7", REC_OK, 7},
		{"9223372036854775807", REC_OK, INT64_MAX},
		/* Beyond 63 bits: a string keeps every digit ... */
		{"\"9223372036854775808\"", REC_OK, UINT64_C(9223372036854775808)},
		{"\"18446744073709551615\"", REC_OK, UINT64_MAX},
		{"\"0\"", REC_OK, 0},
		/* ... an integer or a real, as jq writes it, keeps a double's precision. */
		{"9223372036854775808", REC_OK, UINT64_C(9223372036854775808)},
		{"9223372036854776000", REC_OK, UINT64_C(9223372036854775808)},
		{"9.2233720368547758e18", REC_OK, UINT64_C(9223372036854775808)},
		{"18446744073709549568", REC_OK, UINT64_C(18446744073709549568)},
		{"1.5e3", REC_OK, 1500},
		{"3.0", REC_OK, 3},
		{"-0.0", REC_OK, 0},
		{"null", REC_ABSENT, 0},
		{"-1", REC_WRONG_TYPE, 0},
		{"-1.0", REC_WRONG_TYPE, 0},
		{"1.5", REC_WRONG_TYPE, 0},
		{"1e30", REC_WRONG_TYPE, 0},
		{"-9223372036854775809", REC_WRONG_TYPE, 0},
		{"36893488147419103232", REC_WRONG_TYPE, 0},
		{"\"18446744073709551616\"", REC_WRONG_TYPE, 0},
		{"\"\"", REC_WRONG_TYPE, 0},
		{"\"-1\"", REC_WRONG_TYPE, 0},
		{"\"1 \"", REC_WRONG_TYPE, 0},
		{"\"1.0\"", REC_WRONG_TYPE, 0},
		{"\"0x1\"", REC_WRONG_TYPE, 0},
		{"true", REC_WRONG_TYPE, 0},
		{"[1]", REC_WRONG_TYPE, 0},
		{"{}", REC_WRONG_TYPE, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *record = record_new(rows[i].json);
		uint64_t out = 4242;
		check_row("%s", rows[i].json);
		CHECK_INT(rec_get_u64(record, "v", &out), rows[i].status);
		CHECK_U64(out, rows[i].status == REC_OK ? rows[i].value : 4242);
		out = 4242;
		CHECK_INT(rec_u64(json_object_get(record, "v"), &out), rows[i].status);
		CHECK_U64(out, rows[i].status == REC_OK ? rows[i].value : 4242);
		json_decref(record);
	}
}

static void
signed_numbers(void)
{
	static const struct {
		const char *json;
		enum rec_status status;
		int64_t value;
	} rows[] = {
		{"-1", REC_OK, -1},
		{"9223372036854775807", REC_OK, INT64_MAX},
		{"-9223372036854775808", REC_OK, INT64_MIN},
		{"2.0", REC_OK, 2},
		{"-1e3", REC_OK, -1000},
		{"null", REC_ABSENT, 0},
		{"9223372036854775808", REC_WRONG_TYPE, 0},
		{"-1e19", REC_WRONG_TYPE, 0},
		{"0.5", REC_WRONG_TYPE, 0},
		{"\"1\"", REC_WRONG_TYPE, 0},
		{"false", REC_WRONG_TYPE, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *record = record_new(rows[i].json);
		int64_t out = 4242;
		check_row("%s", rows[i].json);
		CHECK_INT(rec_get_int(record, "v", &out), rows[i].status);
		CHECK_INT(out, rows[i].status == REC_OK ? rows[i].value : 4242);
		json_decref(record);
	}
}

static void
strings_and_bools(void)
{
	static const struct {
		const char *json;
		enum rec_status string, boolean;
	} rows[] = {
		{"\"text\"", REC_OK, REC_WRONG_TYPE},
		{"true", REC_WRONG_TYPE, REC_OK},
		{"null", REC_ABSENT, REC_ABSENT},
		{"1", REC_WRONG_TYPE, REC_WRONG_TYPE},
		{"\"true\"", REC_OK, REC_WRONG_TYPE},
		{"[]", REC_WRONG_TYPE, REC_WRONG_TYPE},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *record = record_new(rows[i].json);
		const char *text = "untouched";
		bool flag = false;
		check_row("%s", rows[i].json);
		CHECK_INT(rec_get_string(record, "v", &text), rows[i].string);
		CHECK_INT(rec_get_bool(record, "v", &flag), rows[i].boolean);
		CHECK_INT(flag, rows[i].boolean == REC_OK);
		CHECK((strcmp(text, "untouched") == 0) == (rows[i].string != REC_OK));
		json_decref(record);
	}
}

static void
absent(void)
{
	json_t *record = record_new("1");
	const char *text;
	bool flag;
	int64_t number;
	uint64_t counter;
	CHECK_INT(rec_get_string(record, "w", &text), REC_ABSENT);
	CHECK_INT(rec_get_bool(record, "w", &flag), REC_ABSENT);
	CHECK_INT(rec_get_int(record, "w", &number), REC_ABSENT);
	CHECK_INT(rec_get_u64(record, "w", &counter), REC_ABSENT);
	CHECK_INT(rec_u64(NULL, &counter), REC_ABSENT);
	json_decref(record);
}

static void
huge_neighbour(void)
{
	/* An integer that does not fit changes none of the others. */
	static const char text[] =
		"{\"kind\":\"t\",\"big\":18446744073709551614,\"port\":1,\"neg\":-5}";
	struct rec_error error;
	int64_t number = 0;
	json_t *record = rec_parse_new(text, strlen(text), &error);
	CHECK_INT(rec_get_int(record, "port", &number), REC_OK);
	CHECK_INT(number, 1);
	CHECK_INT(rec_get_int(record, "neg", &number), REC_OK);
	CHECK_INT(number, -5);
	static const struct rec_field fields[] = {
		{.key = "port", .type = REC_INTEGER, .required = true}};
	CHECK(rec_decode(record, fields, 1, &number, &error));
	CHECK_INT(number, 1);
	json_decref(record);
}

static void
makes_counters(void)
{
	static const uint64_t values[] = {
		0, 1, INT64_MAX, UINT64_C(9223372036854775808), UINT64_MAX};
	for (size_t i = 0; i < CHECK_COUNT(values); i++) {
		json_t *value = rec_u64_new(values[i]);
		uint64_t back = 4242;
		check_row("%zu", i);
		CHECK_INT(json_is_string(value), values[i] > INT64_MAX);
		CHECK_INT(rec_u64(value, &back), REC_OK);
		CHECK_U64(back, values[i]);
		json_decref(value);
	}
	json_t *value = rec_u64_new(UINT64_MAX);
	CHECK_STR(json_string_value(value), "18446744073709551615");
	json_decref(value);
}

struct decoded {
	const char *s;
	int64_t i;
	bool b;
	const json_t *a, *o;
};

static void
checking(void)
{
	static const struct rec_field fields[] = {
		{"s", REC_STRING, offsetof(struct decoded, s), .required = true},
		{"i", REC_INTEGER, offsetof(struct decoded, i), .required = true, .absent = 7},
		{"b", REC_BOOL, offsetof(struct decoded, b), .absent = true},
		{"a", REC_ARRAY, offsetof(struct decoded, a), .required = false},
		{"o", REC_OBJECT, offsetof(struct decoded, o), .required = false},
	};
	struct decoded out;
	static const struct {
		const char *json, *reason; /* NULL: accepted */
	} rows[] = {
		{"{'kind':'k','s':'','i':0}", NULL},
		{"{'kind':'k','s':'x','i':1,'b':true,'a':[],'o':{},'more':1}", NULL},
		{"{'kind':'k','s':'x','i':2.0,'b':null,'a':null,'o':null}", NULL},
		{"{'kind':'k','i':1}", "k record without \"s\""},
		{"{'kind':'k','s':null,'i':1}", "k record without \"s\""},
		{"{'kind':'k','s':'x'}", "k record without \"i\""},
		{"{'kind':'k','s':1,'i':1}", "k record with the wrong type of \"s\""},
		{"{'kind':'k','s':'x','i':'1'}", "k record with the wrong type of \"i\""},
		{"{'kind':'k','s':'x','i':1.5}", "k record with the wrong type of \"i\""},
		{"{'kind':'k','s':'x','i':1,'b':1}", "k record with the wrong type of \"b\""},
		{"{'kind':'k','s':'x','i':1,'a':{}}", "k record with the wrong type of \"a\""},
		{"{'kind':'k','s':'x','i':1,'o':[]}", "k record with the wrong type of \"o\""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error = {.reason = ""};
		json_t *record = check_json_new(rows[i].json);
		check_row("%s", rows[i].json);
		CHECK_INT(rec_decode(record, fields, CHECK_COUNT(fields), &out, &error),
			rows[i].reason == NULL);
		CHECK_STR(error.reason, rows[i].reason != NULL ? rows[i].reason : "");
		CHECK_INT((int64_t)error.offset, 0);
		json_decref(record);
	}
}

static void
decoding(void)
{
	static const struct rec_field fields[] = {
		{"s", REC_STRING, offsetof(struct decoded, s), .required = true},
		{"i", REC_INTEGER, offsetof(struct decoded, i), .absent = -7},
		{"b", REC_BOOL, offsetof(struct decoded, b), .lenient = true, .absent = true},
		{"a", REC_ARRAY, offsetof(struct decoded, a), .lenient = true},
		{"o", REC_OBJECT, .target = offsetof(struct decoded, o)},
	};
	static const struct {
		const char *json;
		int64_t i;
		bool b, has_a, has_o;
	} rows[] = {
		{"{'kind':'k','s':'x'}", -7, true, false, false},
		{"{'kind':'k','s':'x','i':2.0,'b':false,'a':[],'o':{}}", 2, false, true, true},
		{"{'kind':'k','s':'x','i':null,'b':null,'a':null,'o':null}", -7, true, false,
			false},
		/* In any order, among others, and with names that share a prefix. */
		{"{'o':{},'a':[],'b':false,'i':2,'s':'x','kind':'k'}", 2, false, true, true},
		{"{'a':[],'x':1,'i':2,'kind':'k','ss':'y','s':'x','o':{},'':0,'b':false,'sx':'y'}",
			2, false, true, true},
		{"{'ss':'y','ii':1,'bb':false,'aa':[],'oo':{},'s':'x'}", -7, true, false, false},
		/* Of a wrong type, where that is allowed. */
		{"{'kind':'k','s':'x','b':0,'a':{}}", -7, true, false, false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error;
		struct decoded out = {.s = NULL};
		json_t *record = check_json_new(rows[i].json);
		check_row("%s", rows[i].json);
		CHECK(rec_decode(record, fields, CHECK_COUNT(fields), &out, &error));
		CHECK_STR(out.s, "x");
		CHECK_INT(out.i, rows[i].i);
		CHECK_INT(out.b, rows[i].b);
		CHECK_INT(out.a != NULL, rows[i].has_a);
		CHECK_INT(out.o != NULL, rows[i].has_o);
		json_decref(record);
	}
	/* A rejected record leaves the struct unchanged. */
	struct rec_error error;
	struct decoded out = {.i = 42};
	json_t *record = check_json_new("{'kind':'k','i':1}");
	CHECK(!rec_decode(record, fields, CHECK_COUNT(fields), &out, &error));
	CHECK_INT(out.i, 42);
	json_decref(record);
}

static void
checking_length(void)
{
	static const struct rec_field field = {
		.key = "s", .type = REC_STRING, .required = true, .max_bytes = 4, .filled = true};
	static const struct {
		const char *json, *reason;
	} rows[] = {
		{"{'kind':'k','s':''}", "k record with an empty \"s\""},
		{"{'kind':'k','s':'1234'}", ""},
		/* Bytes, not characters. */
		{"{'kind':'k','s':'\xC3\xA4\xC3\xA4'}", ""},
		{"{'kind':'k','s':'12345'}", "k record with too long a \"s\""},
		{"{'kind':'k','s':'\xC3\xA4\xC3\xA4.'}", "k record with too long a \"s\""},
		{"{'kind':'k','s':12345}", "k record with the wrong type of \"s\""},
		{"{'kind':'k'}", "k record without \"s\""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error = {.reason = ""};
		const char *text;
		json_t *record = check_json_new(rows[i].json);
		check_row("row %zu", i);
		CHECK_INT(rec_decode(record, &field, 1, &text, &error), *rows[i].reason == '\0');
		CHECK_STR(error.reason, rows[i].reason);
		json_decref(record);
	}
}

static void
any_value(void)
{
	static const struct rec_field field = {.key = "v", .type = REC_VALUE, .required = true};
	static const char *const values[] = {"0", "'x'", "true", "[]", "{}", "1.5"};
	struct rec_error error = {.reason = ""};
	const json_t *value = NULL;
	json_t *record = check_json_new("{'kind':'k'}");
	for (size_t i = 0; i < CHECK_COUNT(values); i++) {
		check_row("%s", values[i]);
		json_object_set_new(record, "v", check_json_new(values[i]));
		CHECK(rec_decode(record, &field, 1, &value, &error));
		CHECK(value == json_object_get(record, "v"));
	}
	json_object_del(record, "v");
	CHECK(!rec_decode(record, &field, 1, &value, &error));
	CHECK_STR(error.reason, "k record without \"v\"");
	json_decref(record);
}

/* A time is checked also in a record that is known. */
static void
boottimes(void)
{
	static const struct rec_field field = {
		.key = "boottime_ns", .type = REC_BOOTTIME, .required = true};
	static const struct rec_field free_field = {.key = "boottime_ns", .type = REC_BOOTTIME};
	static const struct {
		const char *value, *reason;
		uint64_t ns;
	} rows[] = {
		{"0", "", 0},
		{"9223372036854775807", "", INT64_MAX},
		{"'9223372036854775807'", "", INT64_MAX},
		{"5.0", "", 5},
		{"'9223372036854775808'", "k record with an out-of-range \"boottime_ns\"", 0},
		{"-1", "k record with an out-of-range \"boottime_ns\"", 0},
		{"1.5", "k record with the wrong type of \"boottime_ns\"", 0},
		{"'x'", "k record with the wrong type of \"boottime_ns\"", 0},
		{"true", "k record with the wrong type of \"boottime_ns\"", 0},
		{"null", "k record without \"boottime_ns\"", 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error = {.reason = ""};
		uint64_t ns = 42;
		json_t *record = check_json_new("{'kind':'k'}");
		check_row("%s", rows[i].value);
		json_object_set_new(record, "boottime_ns", check_json_new(rows[i].value));
		bool good = *rows[i].reason == '\0';
		CHECK_INT(rec_decode(record, &field, 1, &ns, &error), good);
		CHECK_STR(error.reason, rows[i].reason);
		CHECK_U64(ns, good ? rows[i].ns : 42);
		json_decref(record);
	}
	struct rec_memo memo = {.fields = NULL};
	struct rec_error error;
	uint64_t ns = 42;
	json_t *record = check_json_new("{'kind':'k','boottime_ns':7}");
	CHECK(rec_decode_known(record, &field, 1, &ns, &memo, &error));
	CHECK_U64(ns, 7);
	json_integer_set(json_object_get(record, "boottime_ns"), -7);
	CHECK(!rec_decode_known(record, &field, 1, &ns, &memo, &error));
	json_object_del(record, "boottime_ns");
	CHECK(rec_decode(record, &free_field, 1, &ns, &error));
	CHECK_U64(ns, 0);
	json_decref(record);
}

static void
checking_long_kind(void)
{
	/* A long kind must not overflow the message. */
	static const struct rec_field field = {.key = "s", .type = REC_STRING, .required = true};
	char *kind = check_repeat_new('k', 3000);
	struct rec_error error;
	const char *text;
	json_t *record = json_pack("{s:s}", "kind", kind);
	CHECK(!rec_decode(record, &field, 1, &text, &error));
	CHECK(strlen(error.reason) < sizeof error.reason);
	/* It leaves room for the rest of the message. */
	CHECK_HAS(error.reason, "without \"s\"");
	json_decref(record);
	free(kind);
}

static void
writes(void)
{
	static const struct {
		const char *json, *line;
	} rows[] = {
		{"{'kind':'a'}", "{\"kind\":\"a\"}\n"},
		{"{ 'kind' : 'a' , 'n' : [ 1 , 2.5 , 2.1 ] }",
			"{\"kind\":\"a\",\"n\":[1,2.5,2.1]}\n"},
		{"{'z':1,'a':2,'kind':'order is kept'}",
			"{\"z\":1,\"a\":2,\"kind\":\"order is kept\"}\n"},
		{"{'kind':'two\\nlines'}", "{\"kind\":\"two\\nlines\"}\n"},
		{"{'kind':'\xC3\xA4'}", "{\"kind\":\"\xC3\xA4\"}\n"},
	};
	int ends[2];
	struct rec_writer writer;
	/* Each write is a packet, so that a read returns exactly one write. */
	if (!CHECK(pipe2(ends, O_DIRECT | O_CLOEXEC | O_NONBLOCK) == 0))
		return;
	rec_writer_init(&writer, ends[1]);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[200] = "";
		json_t *record = check_json_new(rows[i].json);
		check_row("%s", rows[i].json);
		CHECK_INT(rec_write(&writer, record), 0);
		ssize_t n = read(ends[0], text, sizeof text - 1);
		CHECK_INT(n, (int64_t)strlen(rows[i].line));
		CHECK_STR(text, rows[i].line);
		CHECK(read(ends[0], text, sizeof text) < 0);
		json_decref(record);
	}
	rec_writer_fini(&writer);
}

static void
writes_any_length(void)
{
	/* Around the sizes at which the buffer grows, each length once from a small buffer and once
	 * from a large one. */
	struct rec_writer writer;
	int fd = memfd_create("out", MFD_CLOEXEC);
	rec_writer_init(&writer, fd);
	off_t expected = 0;
	for (size_t length = 0; length < 300; length++) {
		char *text = check_repeat_new('x', length);
		json_t *record = json_pack("{s:s}", "kind", text);
		CHECK_INT(rec_write(&writer, record), 0);
		expected += (off_t)(strlen("{\"kind\":\"\"}\n") + length);
		if (!CHECK_INT(lseek(fd, 0, SEEK_CUR), expected))
			CHECK_INT((int64_t)length, -1);
		char last = 0;
		CHECK(pread(fd, &last, 1, expected - 1) == 1 && last == '\n');
		json_decref(record);
		free(text);
	}
	rec_writer_fini(&writer);
	close(fd);
}

static void
write_fails(void)
{
	struct rec_writer writer;
	json_t *record = json_pack("{s:s}", "kind", "x");
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	rec_writer_init(&writer, fd);
	CHECK_INT(rec_write(&writer, record), -1);
	CHECK_INT(errno, ENOSPC);
	rec_writer_fini(&writer);
	close(fd);
	json_decref(record);
}

/* How many allocations of jansson still succeed. */
static int allocations_left;

static void *
scarce_malloc(size_t size)
{
	return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* Both ways of making a line, each with one allocation more, until there are enough. */
static void
memory_runs_out(void)
{
	struct rec_writer writer;
	static const char whole[] = "{\"kind\":\"x\",\"text\":\"y\",\"list\":[1,2.5]}\n";
	json_t *record = check_json_new("{'kind':'x','text':'y','list':[1,2.5]}");
	int fd = memfd_create("out", MFD_CLOEXEC);
	int failures = 0;
	size_t length;
	bool done = false;
	for (int enough = 0; !done && enough < 100; enough++) {
		rec_writer_init(&writer, fd);
		json_set_alloc_funcs(scarce_malloc, free);
		allocations_left = enough;
		errno = 0;
		int written = rec_write(&writer, record);
		int write_errno = errno;
		allocations_left = enough;
		char *line = rec_dump_new(record, &length);
		json_set_alloc_funcs(malloc, free);

		check_row("%d allocations", enough);
		if (line != NULL)
			CHECK_STR(line, whole);
		if (written < 0) {
			CHECK_INT(write_errno, ENOMEM);
			CHECK_INT(lseek(fd, 0, SEEK_CUR), 0);
			failures++;
		} else {
			CHECK_INT(lseek(fd, 0, SEEK_CUR), (int64_t)strlen(whole));
			lseek(fd, 0, SEEK_SET);
		}
		done = written == 0 && line != NULL;
		free(line);
		rec_writer_fini(&writer);
	}
	CHECK(done);
	CHECK(failures > 0);
	close(fd);
	json_decref(record);
}

static void
texts_in_arrays(void)
{
	json_t *array = check_json_new("['a',7,null,'bc']");
	CHECK(rec_has_text(array, "a"));
	CHECK(rec_has_text(array, "bc"));
	CHECK(!rec_has_text(array, "b"));
	CHECK(!rec_has_text(array, "7"));
	CHECK(!rec_has_text(NULL, "a"));
	json_decref(array);
}

/* With changed numbers, and with a string that becomes too long. */
static void
decoding_again(void)
{
	static const struct rec_field fields[] = {
		{"s", REC_STRING, offsetof(struct decoded, s), .required = true, .max_bytes = 3},
		{"i", REC_INTEGER, offsetof(struct decoded, i), .absent = -7},
		{"b", REC_BOOL, offsetof(struct decoded, b), .absent = true},
	};
	static const struct rec_field others[] = {
		{"j", REC_INTEGER, offsetof(struct decoded, i), .required = true}};
	struct rec_memo memo = {.fields = NULL};
	struct rec_error error = {.reason = ""};
	struct decoded out = {.s = NULL};
	json_t *record = check_json_new("{'kind':'k','s':'x','i':1,'j':5}");

	for (int turn = 0; turn < 2; turn++) {
		CHECK(rec_decode_known(record, fields, CHECK_COUNT(fields), &out, &memo, &error));
		CHECK_STR(out.s, "x");
		CHECK_INT(out.i, 1 + turn);
		CHECK_INT(out.b, true);
		json_integer_set(json_object_get(record, "i"), 2);
	}
	CHECK(rec_decode_known(record, others, CHECK_COUNT(others), &out, &memo, &error));
	CHECK_INT(out.i, 5);
	json_string_set(json_object_get(record, "s"), "long");
	CHECK(!rec_decode_known(record, fields, CHECK_COUNT(fields), &out, &memo, &error));
	CHECK_STR(error.reason, "k record with too long a \"s\"");
	/* A record that is refused leaves nothing behind. */
	CHECK(rec_decode_known(record, others, CHECK_COUNT(others), &out, &memo, &error));
	CHECK_INT(out.i, 5);
	json_decref(record);
}

static const struct check_test tests[] = {
	{"an object with a string kind is a record", parses},
	{"a text that is no record is refused with reason and offset", refuses},
	{"deep nesting is refused", deep},
	{"a counter is read from an integer, a decimal string or a whole real, and nothing else",
		unsigned_numbers},
	{"a signed integer is read within its 64 bits", signed_numbers},
	{"strings and booleans are read only from their own types", strings_and_bools},
	{"a missing key is absent, not wrong", absent},
	{"an integer beyond 64 bits leaves its neighbours readable", huge_neighbour},
	{"a counter beyond 63 bits is written as decimal text and read back", makes_counters},
	{"a decoding error names the key that is missing or of a wrong type", checking},
	{"a valid record is decoded, and absent members have their defaults", decoding},
	{"a memo decodes a record again after its numbers have changed", decoding_again},
	{"a decoding error names the string that is too long", checking_length},
	{"a field may have a value of any type", any_value},
	{"a time since boot is checked, also in a record that is known", boottimes},
	{"a kind of any length fits in the message", checking_long_kind},
	{"a record is written compact, in order, as one line in one write", writes},
	{"records of every length are written whole", writes_any_length},
	{"a failed write returns its errno", write_fails},
	{"when memory runs out anywhere, the call fails and no part of a line is written",
		memory_runs_out},
	{"a text is found only among the strings of an array", texts_in_arrays},
};
CHECK_MAIN(tests)
