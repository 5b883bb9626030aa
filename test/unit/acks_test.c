/* Unit tests of acks: the acks file, with the sequence numbers a receiver stored and the receiver's
 * name. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "acks.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Write a JSON text, with ' for ", to a file and read it. */
static int
read_text(struct acks *acks, const char *text)
{
	char *json = check_replaced_new(strdup(text), "'", "\"");
	const char *path = check_file("acks", json);
	free(json);
	errno = 0;
	return acks_read(acks, path);
}

static void
good(void)
{
	struct acks acks;
	if (!CHECK(read_text(&acks, "{'version':1,'acks':{'a':7,'b':0,'c':9223372036854775807},'"
				    "receiver':'5f3a'}") == 0))
		return;
	CHECK_U64(acks_seq(acks.seqs, "a"), 7);
	CHECK_U64(acks_seq(acks.seqs, "b"), 0);
	CHECK_U64(acks_seq(acks.seqs, "c"), INT64_MAX);
	CHECK_STR(acks.receiver, "5f3a");
	acks_fini(&acks);
}

static void
accepted(void)
{
	static const char *const rows[] = {"{'version':1,'acks':{}}", "{'acks':{},'version':1}",
		" {\n\t'version' : 1 , 'acks' : { } }\n\n",
		"{'version':1,'acks':{},'from_a_later_version':[1,2]}",
		/* no receiver is named */
		"{'version':1,'acks':{},'receiver':null}", "{'version':1,'acks':{},'receiver':''}"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct acks acks;
		check_row("%s", rows[i]);
		if (!CHECK_INT(read_text(&acks, rows[i]), 0))
			continue;
		CHECK_U64(acks_seq(acks.seqs, "a"), 0);
		CHECK_STR(acks.receiver, "");
		acks_fini(&acks);
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
		"{'version':null,'acks':{}}", "{'version':true,'acks':{}}",
		/* a receiver that is not a string */
		"{'version':1,'acks':{},'receiver':7}", "{'version':1,'acks':{},'receiver':{}}"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct acks acks;
		check_row("%s", rows[i]);
		CHECK_INT(read_text(&acks, rows[i]), -1);
		CHECK_INT(errno, EBADMSG);
	}
}

static void
odd_bytes(void)
{
	static const char nul[] = "{\"version\":1,\0\"acks\":{}}";
	static const char latin[] = "{\"version\":1,\"acks\":{\"\xE4\":1}}";
	struct acks acks;
	errno = 0;
	CHECK_INT(acks_read(&acks, check_file_bytes("nul", nul, sizeof nul - 1)), -1);
	CHECK_INT(errno, EBADMSG);
	errno = 0;
	CHECK_INT(acks_read(&acks, check_file("latin", latin)), -1);
	CHECK_INT(errno, EBADMSG);
	CHECK_INT(read_text(&acks, "{'version':1,'acks':{},'receiver':'a\\u0000b'}"), -1);
	CHECK_INT(errno, EBADMSG);
}

static void
unreadable(void)
{
	struct acks acks;
	char path[200];
	snprintf(path, sizeof path, "%s/none", check_dir());
	errno = 0;
	CHECK_INT(acks_read(&acks, path), -1);
	CHECK_INT(errno, ENOENT);
	CHECK_INT(acks_read(&acks, check_dir()), -1);
	CHECK_INT(errno, EISDIR);

	char *text = check_repeat_new(' ', ACKS_MAX_BYTES + 1);
	CHECK_INT(acks_read(&acks, check_file("long", text)), -1);
	CHECK_INT(errno, EFBIG);
	free(text);
}

static void
numbers(void)
{
	/* A value that is not a sequence number acknowledges nothing: emit sends the event once
	 * more, which does no harm. */
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
		struct acks acks;
		check_row("%s", rows[i].json);
		if (!CHECK_INT(read_text(&acks, text), 0))
			continue;
		/* acks_read() drops other values, so that nothing writes them again. */
		bool is_seq = rows[i].seq > 0 || strcmp(rows[i].json, "0") == 0;
		CHECK_INT(json_object_get(acks.seqs, "s") != NULL, is_seq);
		CHECK_U64(acks_seq(acks.seqs, "s"), rows[i].seq);
		CHECK_U64(acks_seq(acks.seqs, "t"), 3);
		acks_fini(&acks);
	}
}

static void
unknown_source(void)
{
	struct acks acks;
	if (!CHECK_INT(read_text(&acks, "{'version':1,'acks':{'0123456789abcdef':7}}"), 0))
		return;
	CHECK_U64(acks_seq(acks.seqs, "0123456789abcdef"), 7);
	CHECK_U64(acks_seq(acks.seqs, "0123456789abcdee"), 0);
	CHECK_U64(acks_seq(acks.seqs, "0123456789abcde"), 0);
	CHECK_U64(acks_seq(acks.seqs, "0123456789ABCDEF"), 0);
	CHECK_U64(acks_seq(acks.seqs, ""), 0);
	acks_fini(&acks);
}

static void
long_names(void)
{
	static const struct {
		size_t length;
		int status;
	} rows[] = {{ACKS_RECEIVER_SIZE - 1, 0}, {ACKS_RECEIVER_SIZE, -1}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct acks acks;
		char text[200];
		char *name = check_repeat_new('x', rows[i].length);
		snprintf(text, sizeof text, "{'version':1,'acks':{},'receiver':'%s'}", name);
		check_row("%zu bytes", rows[i].length);
		if (CHECK_INT(read_text(&acks, text), rows[i].status) && rows[i].status == 0) {
			CHECK_STR(acks.receiver, name);
			acks_fini(&acks);
		}
		free(name);
	}
}

static void
written(void)
{
	char path[200];
	struct acks acks;
	struct stat status;
	json_t *seqs = check_json_new("{'a':7,'b':9223372036854775807}");
	json_t *delivered = check_json_new("{'a':5}");
	snprintf(path, sizeof path, "%s/written", check_dir());
	umask(0);
	CHECK_INT(acks_write(path, seqs, delivered, NULL, "5f3a"), 0);
	json_decref(seqs);
	json_decref(delivered);
	CHECK_INT(stat(path, &status), 0);
	CHECK_INT(status.st_mode & 07777, 0640);
	if (!CHECK_INT(acks_read(&acks, path), 0))
		return;
	CHECK_INT((int64_t)json_object_size(acks.seqs), 2);
	CHECK_U64(acks_seq(acks.seqs, "a"), 7);
	CHECK_U64(acks_seq(acks.seqs, "b"), INT64_MAX);
	CHECK_U64(acks_seq(acks.delivered, "a"), 5);
	CHECK_U64(acks_seq(acks.delivered, "b"), 0);
	CHECK_STR(acks.receiver, "5f3a");
	acks_fini(&acks);
	/* Without "delivered", every stored event counts as delivered. */
	if (CHECK_INT(read_text(&acks, "{'version':1,'acks':{'a':7}}"), 0)) {
		CHECK_U64(acks_seq(acks.delivered, "a"), 7);
		acks_fini(&acks);
	}
	CHECK_INT(read_text(&acks, "{'version':1,'acks':{},'delivered':7}"), -1);
}

static void
not_written(void)
{
	char path[200];
	struct acks acks;
	json_t *seqs = json_object(), *many = json_object();
	char *name = check_repeat_new('x', ACKS_MAX_BYTES / 2);
	json_object_set_new(many, name, json_integer(1));
	free(name);
	snprintf(path, sizeof path, "%s/written", check_dir());
	CHECK_INT(acks_write(path, seqs, seqs, NULL, "first"), 0);
	CHECK_INT(acks_write(path, many, many, NULL, "second"), -1);
	CHECK_INT(errno, EFBIG);
	if (CHECK_INT(acks_read(&acks, path), 0)) {
		CHECK_STR(acks.receiver, "first");
		acks_fini(&acks);
	}
	snprintf(path, sizeof path, "%s/missing/acks", check_dir());
	CHECK_INT(acks_write(path, seqs, seqs, NULL, "third"), -1);
	CHECK_INT(errno, ENOENT);
	json_decref(seqs);
	json_decref(many);
}

static const struct check_test tests[] = {
	{"each source has its own acknowledged sequence number", good},
	{"order, white space and members of a later version do not matter", accepted},
	{"a malformed acks file or another version fails with EBADMSG", malformed},
	{"NUL bytes and invalid UTF-8 fail with EBADMSG", odd_bytes},
	{"a missing, unreadable or too long file fails with its own errno", unreadable},
	{"a sequence number may be a string; any other value acknowledges nothing", numbers},
	{"an unknown source has no acknowledged event", unknown_source},
	{"a receiver's name that is too long is rejected", long_names},
	{"a written acks file reads back the same and has mode 0640", written},
	{"a failed or oversized write leaves the old file", not_written},
};
CHECK_MAIN(tests)
