/* Unit tests of acks: what the receiver of the events says it has stored. */
#include "acks.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* A JSON text with ' for " as a file, read. */
static json_t *
read_new(const char *text)
{
	char *json = check_replaced_new(strdup(text), "'", "\"");
	const char *path = check_file("acks", json);
	free(json);
	errno = 0;
	return acks_read_new(path);
}

static void
good(void)
{
	json_t *acks = read_new("{'version':1,'acks':{'a':7,'b':0,'c':9223372036854775807}}");
	if (!CHECK(acks != NULL))
		return;
	CHECK_U64(acks_seq(acks, "a"), 7);
	CHECK_U64(acks_seq(acks, "b"), 0);
	CHECK_U64(acks_seq(acks, "c"), INT64_MAX);
	json_decref(acks);
}

static void
accepted(void)
{
	static const char *const rows[] = {"{'version':1,'acks':{}}", "{'acks':{},'version':1}",
		" {\n\t'version' : 1 , 'acks' : { } }\n\n",
		"{'version':1,'acks':{},'from_a_later_version':[1,2]}"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i]);
		json_t *acks = read_new(rows[i]);
		CHECK(acks != NULL);
		CHECK_U64(acks_seq(acks, "a"), 0);
		json_decref(acks);
	}
}

static void
malformed(void)
{
	static const char *const rows[] = {"", " ", "{", "nonsense", "null", "[]", "1", "'acks'",
		"{}", "{'version':1}", "{'acks':{}}", "{'version':1,'acks':[]}",
		"{'version':1,'acks':null}", "{'version':1,'acks':7}", "{'version':1,'acks':{}",
		"{'version':1,'acks':{}} x", "{'version':1,'acks':{'a':1,'a':2}}",
		/* another version, or none */
		"{'version':0,'acks':{}}", "{'version':2,'acks':{}}", "{'version':-1,'acks':{}}",
		"{'version':'1','acks':{}}", "{'version':1.0,'acks':{}}",
		"{'version':null,'acks':{}}", "{'version':true,'acks':{}}"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i]);
		json_t *acks = read_new(rows[i]);
		CHECK(acks == NULL);
		CHECK_INT(errno, EBADMSG);
		json_decref(acks);
	}
}

static void
odd_bytes(void)
{
	static const char nul[] = "{\"version\":1,\0\"acks\":{}}";
	static const char latin[] = "{\"version\":1,\"acks\":{\"\xE4\":1}}";
	errno = 0;
	CHECK(acks_read_new(check_file_bytes("nul", nul, sizeof nul - 1)) == NULL);
	CHECK_INT(errno, EBADMSG);
	errno = 0;
	CHECK(acks_read_new(check_file("latin", latin)) == NULL);
	CHECK_INT(errno, EBADMSG);
}

static void
unreadable(void)
{
	char path[200];
	snprintf(path, sizeof path, "%s/none", check_dir());
	errno = 0;
	CHECK(acks_read_new(path) == NULL);
	CHECK_INT(errno, ENOENT);
	CHECK(acks_read_new(check_dir()) == NULL);
	CHECK_INT(errno, EISDIR);

	char *text = check_repeat_new(' ', ACKS_MAX_BYTES + 1);
	CHECK(acks_read_new(check_file("long", text)) == NULL);
	CHECK_INT(errno, EFBIG);
	free(text);
}

static void
numbers(void)
{
	/* What is no number of events acknowledges nothing: the event is sent once more, which does no harm. */
	static const struct {
		const char *json;
		uint64_t seq;
	} rows[] = {
		{"7", 7},
		{"'7'", 7},
		{"'18446744073709551615'", UINT64_MAX},
		{"7.0", 7},
		{"0", 0},
		{"-1", 0},
		{"'-1'", 0},
		{"7.5", 0},
		{"'7x'", 0},
		{"''", 0},
		{"null", 0},
		{"true", 0},
		{"[7]", 0},
		{"{'seq':7}", 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[200];
		snprintf(text, sizeof text, "{'version':1,'acks':{'s':%s,'t':3}}", rows[i].json);
		json_t *acks = read_new(text);
		check_row("%s", rows[i].json);
		if (CHECK(acks != NULL)) {
			CHECK_U64(acks_seq(acks, "s"), rows[i].seq);
			CHECK_U64(acks_seq(acks, "t"), 3);
		}
		json_decref(acks);
	}
}

static void
unknown_source(void)
{
	json_t *acks = read_new("{'version':1,'acks':{'0123456789abcdef':7}}");
	CHECK_U64(acks_seq(acks, "0123456789abcdef"), 7);
	CHECK_U64(acks_seq(acks, "0123456789abcdee"), 0);
	CHECK_U64(acks_seq(acks, "0123456789abcde"), 0);
	CHECK_U64(acks_seq(acks, "0123456789ABCDEF"), 0);
	CHECK_U64(acks_seq(acks, ""), 0);
	json_decref(acks);
}

static const struct check_test tests[] = {
	{"each source has the number it was acknowledged up to", good},
	{"order, white space and members of a later version do not matter", accepted},
	{"what is no acks file of this version is told from one that is missing", malformed},
	{"NUL bytes and invalid UTF-8 are no acks file", odd_bytes},
	{"a file that is missing, unreadable or too long says which", unreadable},
	{"a number may be text; what is none acknowledges nothing", numbers},
	{"nothing of an unknown source is acknowledged", unknown_source},
};
CHECK_MAIN(tests)
