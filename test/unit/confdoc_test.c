/* Unit tests of confdoc: YAML and TOML documents whose nodes know their line and column. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confdoc.h"

#include "check.h"
#include "diag.h"
#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the accept functions below have recorded. */
struct seen {
	char log[300];
	bool flag;
	unsigned number;
};

static void
note(struct seen *seen, const char *text)
{
	strncat(seen->log, text, sizeof seen->log - strlen(seen->log) - 1);
	strncat(seen->log, ";", sizeof seen->log - strlen(seen->log) - 1);
}

static void
accept_text(struct confdoc *doc, yaml_node_t *node, void *target)
{
	const char *text = confdoc_text(doc, node);
	note(target, text != NULL ? text : "?");
}

static void
accept_list(struct confdoc *doc, yaml_node_t *node, void *target)
{
	confdoc_sequence(doc, node, accept_text, target);
}

static const struct confdoc_key keys[] = {
	{"text", .accept = accept_text},
	{"list", .accept = accept_list},
	{"flag", CONFDOC_BOOL, .target = offsetof(struct seen, flag)},
	{"number", CONFDOC_UNSIGNED, .target = offsetof(struct seen, number), .min = 3, .max = 10},
	{"inner.text", .accept = accept_text},
};

/* Parse a file of this name with the keys above. Return the messages, without its path, to
 * free(). */
static char *
read_named_new(
	const char *name, const char *bytes, size_t length, struct seen *seen, unsigned *problems)
{
	struct confdoc doc;
	char path[200];
	snprintf(path, sizeof path, "%s", check_file_bytes(name, bytes, length));
	*seen = (struct seen){.number = 99};
	diag_init("t");
	check_capture(STDERR_FILENO);
	enum confdoc_status status = confdoc_open(&doc, path);
	if (status == CONFDOC_OK) {
		yaml_node_t *root = confdoc_root(&doc);
		if (root != NULL)
			confdoc_mapping(&doc, root, keys, CHECK_COUNT(keys), seen);
		confdoc_close(&doc);
	}
	*problems = status == CONFDOC_OK ? doc.problems : 1000 + status;
	return check_replaced_new(check_captured_new(STDERR_FILENO), path, "");
}

static char *
read_new(const char *yaml, size_t length, struct seen *seen, unsigned *problems)
{
	return read_named_new("f.yaml", yaml, length, seen, problems);
}

static void
check_named(const char *name, const char *text, const char *log, const char *expected_messages)
{
	struct seen seen;
	unsigned problems;
	char *messages = read_named_new(name, text, strlen(text), &seen, &problems);
	check_row("%s", text);
	CHECK_STR(seen.log, log);
	CHECK_STR(messages, expected_messages);
	CHECK_INT(problems, (int64_t)check_occurrences(expected_messages, "\n"));
	free(messages);
}

static void
check_read(const char *yaml, const char *log, const char *expected_messages)
{
	check_named("f.yaml", yaml, log, expected_messages);
}

static void
check_toml(const char *toml, const char *log, const char *expected_messages)
{
	check_named("f.toml", toml, log, expected_messages);
}

static void
takes(void)
{
	check_read("", "", "");
	check_read("# only a comment\n", "", "");
	check_read("---\n", "", "");
	check_read("---\ntext: a\n...\n", "a;", "");
	check_read("text: a\n", "a;", "");
	check_read("text: \"a b\"\nlist: [x, 'y', z]\n", "a b;x;y;z;", "");
	check_read("{\"text\": \"json\", \"list\": []}", "json;", "");
	check_read("list:\n  - a\n  - b\ninner:\n  text: c\n", "a;b;c;", "");
	check_read("text: \"\"\n", ";", "");
}

static void
empties(void)
{
	check_read("list:\ninner:\n", "", "");
	check_read("list: ~\ninner: null\n", "", "");
	check_read("~\n", "", "");
}

#define KNOWN "; known: text, list, flag, number, inner"

static void
problems(void)
{
	check_read("bogus: 1\n", "", "t: error: :1:1: unknown key \"bogus\"" KNOWN "\n");
	check_read("text: a\nbogus: 1\nlist: [b]\n", "a;b;",
		"t: error: :2:1: unknown key \"bogus\"" KNOWN "\n");
	check_read(
		"inner:\n  bogus: 1\n", "", "t: error: :2:3: unknown key \"bogus\"; known: text\n");
	check_read("Text: a\nlst: [b]\n", "",
		"t: error: :1:1: unknown key \"Text\" (did you mean \"text\"?)" KNOWN "\n"
		"t: error: :2:1: unknown key \"lst\" (did you mean \"list\"?)" KNOWN "\n");
	check_read("text: a\ntext: b\n", "a;", "t: error: :2:1: key \"text\" is given twice\n");
	check_read("text: a\ntext: b\ntext: c\n", "a;",
		"t: error: :2:1: key \"text\" is given twice\n"
		"t: error: :3:1: key \"text\" is given twice\n");
	check_read("text: [a]\n", "?;", "t: error: :1:7: a single value is expected here\n");
	check_read("list: a\n", "", "t: error: :1:7: a list is expected here\n");
	check_read("list: {a: b}\n", "", "t: error: :1:7: a list is expected here\n");
	check_read("inner: [a]\n", "", "t: error: :1:8: a mapping (key: value) is expected here\n");
	check_read("just text\n", "", "t: error: :1:1: a mapping (key: value) is expected here\n");
	check_read("- a\n", "", "t: error: :1:1: a mapping (key: value) is expected here\n");
	check_read("text: \"a\\0b\"\n", "?;", "t: error: :1:7: a NUL byte inside a value\n");
	check_read("text:\n", "?;",
		"t: error: :1:6: a value is missing here (write \"\" for an empty one)\n");
	check_read("text: ~\n", "?;",
		"t: error: :1:7: a value is missing here (write \"\" for an empty one)\n");
	check_read("[a, b]: 1\n", "", "t: error: :1:1: unknown key \"\"" KNOWN "\n");
}

static void
all_at_once(void)
{
	check_read("bogus: 1\nlist: x\ninner:\n  - 1\nflag: maybe\nnumber: 11\n", "",
		"t: error: :1:1: unknown key \"bogus\"" KNOWN "\n"
		"t: error: :2:7: a list is expected here\n"
		"t: error: :4:3: a mapping (key: value) is expected here\n"
		"t: error: :5:7: \"maybe\" is neither true nor false\n"
		"t: error: :6:9: \"11\" is not a whole number from 3 to 10\n");
}

static void
typed(void)
{
	static const struct {
		const char *yaml;
		bool flag;
		unsigned number, problems;
	} rows[] = {
		{"flag: true\nnumber: 3\n", true, 3, 0},
		{"flag: false\nnumber: 10\n", false, 10, 0},
		{"flag: \"true\"\nnumber: \"7\"\n", true, 7, 0},
		{"flag: yes\n", false, 99, 1},
		{"flag: True\n", false, 99, 1},
		{"flag:\n", false, 99, 1},
		{"flag: 1\n", false, 99, 1},
		{"flag: [true]\n", false, 99, 1},
		{"number: 2\n", false, 99, 1},
		{"number: 11\n", false, 99, 1},
		{"number: -3\n", false, 99, 1},
		{"number: 3.0\n", false, 99, 1},
		{"number: 0x5\n", false, 99, 1},
		{"number: five\n", false, 99, 1},
		{"number: 99999999999999999999999\n", false, 99, 1},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct seen seen;
		unsigned found;
		char *messages = read_new(rows[i].yaml, strlen(rows[i].yaml), &seen, &found);
		check_row("%s", rows[i].yaml);
		CHECK_INT(found, rows[i].problems);
		CHECK_INT(seen.flag, rows[i].flag);
		CHECK_INT(seen.number, rows[i].number);
		CHECK_INT((int64_t)check_occurrences(messages, "\n"), rows[i].problems);
		free(messages);
	}
}

static void
malformed(void)
{
	static const struct {
		const char *yaml, *place;
	} rows[] = {
		{"a: [1\n", ":2:1: "},
		{"a: {b: 1\n", ":2:1: "},
		{"a: 1\n b: 2\n", ":2:3: "},
		{"a: \"open\n", ":2:1: "},
		{"\ta: 1\n", ":1:1: "},
		{"a: b: c\n", ":1:5: "},
		{"a: *nowhere\n", ":1:4: "},
		{"%YAML 9\n", ":1:"},
		{"]\n", ":1:1: "},
		/* Otherwise settings after a second `---` would be ignored silently. */
		{"text: a\n---\ntext: b\n", ":3:1: a second document"},
		{"text: a\n---\n[\n", ":4:1: "},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct seen seen;
		unsigned found;
		char *messages = read_new(rows[i].yaml, strlen(rows[i].yaml), &seen, &found);
		check_row("%s", rows[i].yaml);
		CHECK_INT(found, 1000 + CONFDOC_MALFORMED);
		CHECK_INT((int64_t)check_occurrences(messages, "\n"), 1);
		CHECK_HAS(messages, rows[i].place);
		free(messages);
	}
}

static void
not_text(void)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *place;
	} rows[] = {
		{"a: \xFF\xFE\xFD\n", 7, ":1:4: "},
		{"a: \0b\n", 6, ":1:4: "},
		{"text: a\n# \xC3\xA9 \xE9", 14, ":2:5: "},
		{"text: a\n\n  \x1B", 12, ":3:3: "},
		{"text: a\n---\ntext: \xC3(", 20, ":3:8: "},
		{"\x7F"
		 "ELF\x02\x01",
			6, ":1:1: "},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct seen seen;
		unsigned found;
		char *messages = read_new(rows[i].bytes, rows[i].length, &seen, &found);
		check_row("row %zu", i);
		CHECK_INT(found, 1000 + CONFDOC_MALFORMED);
		CHECK_INT((int64_t)check_occurrences(messages, "\n"), 1);
		CHECK_HAS(messages, rows[i].place);
		free(messages);
	}
}

static void
unreadable(void)
{
	struct confdoc doc;
	char path[200];
	check_capture(STDERR_FILENO);
	CHECK_INT(confdoc_open(&doc, "/no/such/file"), CONFDOC_UNREADABLE);
	CHECK_INT(errno, ENOENT);
	CHECK_INT(confdoc_open(&doc, check_dir()), CONFDOC_UNREADABLE);
	CHECK_INT(errno, EISDIR);
	char *big = check_repeat_new('#', 1 << 20);
	snprintf(path, sizeof path, "%s", check_file("big.yaml", big));
	CHECK_INT(confdoc_open(&doc, path), CONFDOC_UNREADABLE);
	CHECK_INT(errno, EFBIG);
	char *messages = check_captured_new(STDERR_FILENO);
	CHECK_STR(messages, "");
	free(messages);
	free(big);
}

/* Return the processor time of this process, which does not depend on the machine's load. */
static uint64_t
processor_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NUM_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Files whose full parse would take seconds to minutes. */
static void
hostile(void)
{
	static const struct {
		const char *name, *begin, *again, *message;
	} rows[] = {
		{"f.yaml", "", "[", ":1:33: values are nested more than 32 deep\n"},
		{"f.yaml", "", "{", ":1:33: values are nested more than 32 deep\n"},
		{"f.yaml", "text: ", "[a, ", ":1:131: values are nested more than 32 deep\n"},
		{"f.yaml", "", "- ", ":1:65: values are nested more than 32 deep\n"},
		{"f.yaml", "", "? [", NULL},
		{"f.yaml", "\xFF\xFE", "[\0", NULL},
		{"f.yaml", "list: [", "a, ", ": more than 20000 values\n"},
		{"f.yaml", "list: [", "&a x, ", ": more than 100 anchors\n"},
		{"f.yaml", "inner: {", "text: x, ", ": more than 20000 values\n"},
		{"f.toml", "text = ", "[", NULL},
		{"f.toml", "text = ", "{a=", NULL},
		{"f.toml", "", "\"", NULL},
		{"f.toml", "", "'", NULL},
		{"f.toml", "list = [1", ",1", NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct seen seen;
		unsigned found;
		char *bytes = malloc(CONFDOC_MAX_BYTES);
		size_t size = rows[i].again[1] == '\0' && rows[i].begin[0] == '\xFF'
				      ? 2
				      : strlen(rows[i].again);
		size_t length = strlen(rows[i].begin);
		if (bytes == NULL)
			abort();
		memcpy(bytes, rows[i].begin, length);
		for (; length + size < CONFDOC_MAX_BYTES - 3; length += size)
			memcpy(bytes + length, rows[i].again, size);
		if (strchr(rows[i].begin, '[') != NULL)
			bytes[length++] = ']';
		uint64_t begun_ns = processor_ns();
		char *messages = read_named_new(rows[i].name, bytes, length, &seen, &found);
		check_row("%s: %s%s...", rows[i].name, rows[i].begin, rows[i].again);
		/* The fastest of them took 20 s; the emulator of make check-arm64 is slow. */
		CHECK(processor_ns() - begun_ns < 15 * NUM_NS_PER_S);
		CHECK(found > 0);
		CHECK_INT((int64_t)check_occurrences(messages, "\n"), 1);
		if (rows[i].message != NULL)
			CHECK_HAS(messages, rows[i].message + (rows[i].message[1] == ' ' ? 1 : 0));
		free(messages);
		free(bytes);
	}
}

static void
deep_enough(void)
{
	/* The deepest nesting that is allowed. */
	char yaml[200] = "text: ";
	for (int i = 0; i < 31; i++)
		strcat(yaml, "[");
	for (int i = 0; i < 31; i++)
		strcat(yaml, "]");
	check_read(yaml, "?;", "t: error: :1:7: a single value is expected here\n");
}

static void
too_many_problems(void)
{
	static const char *const names[] = {"f.yaml", "f.toml"};
	for (size_t i = 0; i < CHECK_COUNT(names); i++) {
		char text[20000] = "";
		struct seen seen;
		unsigned found;
		for (size_t n = 0, at = 0; n < 1000; n++)
			at += (size_t)snprintf(text + at, sizeof text - at,
				i == 0 ? "k%zu: 1\n" : "k%zu = 1\n", n);
		char *messages = read_named_new(names[i], text, strlen(text), &seen, &found);
		check_row("%s", names[i]);
		CHECK_INT(found, 100);
		CHECK_INT((int64_t)check_occurrences(messages, "unknown key"), 100);
		CHECK_HAS(messages, ": 100 problems: the rest of the file is not checked\n");
		CHECK_INT((int64_t)check_occurrences(messages, "\n"), 101);
		free(messages);
	}
}

static void
pipes(void)
{
	struct confdoc doc;
	char path[200];
	snprintf(path, sizeof path, "%s/fifo", check_dir());
	CHECK_INT(mkfifo(path, 0600), 0);
	CHECK_INT(confdoc_open(&doc, path), CONFDOC_UNREADABLE);
	CHECK_INT(errno, ENODATA);
	int both = open(path, O_RDWR | O_CLOEXEC);
	CHECK_INT(confdoc_open(&doc, path), CONFDOC_UNREADABLE);
	CHECK_INT(errno, ETIME);
	/* As from a shell's <(command), which may be slow. */
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		usleep(100000);
		_exit(write(both, "text: a\n", 8) != 8);
	}
	int reader = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(both);
	if (CHECK_INT(confdoc_open(&doc, path), CONFDOC_OK)) {
		CHECK_STR(confdoc_text(&doc, confdoc_find(&doc, confdoc_root(&doc), "text")), "a");
		confdoc_close(&doc);
	}
	close(reader);
	waitpid(pid, NULL, 0);
}

static void
finds(void)
{
	struct confdoc doc;
	char path[200];
	snprintf(path, sizeof path, "%s", check_file("f.yaml", "a: 1\nb: [x]\n"));
	if (!CHECK_INT(confdoc_open(&doc, path), CONFDOC_OK))
		return;
	yaml_node_t *root = confdoc_root(&doc);
	yaml_node_t *a = confdoc_find(&doc, root, "a");
	if (CHECK(a != NULL))
		CHECK_STR(confdoc_text(&doc, a), "1");
	CHECK(confdoc_find(&doc, root, "c") == NULL);
	CHECK(confdoc_find(&doc, confdoc_find(&doc, root, "b"), "x") == NULL);
	CHECK_INT(doc.problems, 0);
	confdoc_close(&doc);
}

static void
long_values(void)
{
	char *value = check_repeat_new('x', 5000), yaml[5100];
	struct seen seen;
	unsigned found;
	snprintf(yaml, sizeof yaml, "flag: %s\n", value);
	char *messages = read_new(yaml, strlen(yaml), &seen, &found);
	CHECK_INT(found, 1);
	CHECK_INT((int64_t)check_occurrences(messages, "\n"), 1);
	CHECK_HAS(messages, ":1:7: ");
	free(messages);
	free(value);
}

static void
toml_takes(void)
{
	check_toml("", "", "");
	check_toml("# only a comment\n", "", "");
	check_toml("text = \"a\"\n", "a;", "");
	check_toml("text = 'a b'\nlist = [\"x\", 'y',\n\t\"z\", ]\n", "a b;x;y;z;", "");
	/* In the order of the file, not of the alphabet. */
	check_toml("text = \"b\"\nlist = [\"a\"]\n[inner]\ntext = \"c\"\n", "b;a;c;", "");
	check_toml("inner.text = \"c\"\ntext = \"d\"\n", "c;d;", "");
	check_toml("inner = { text = \"c\" }\r\ntext = \"\"\r\n", "c;;", "");
	check_toml("\xEF\xBB\xBFtext = \"\\u00e4\\t'\"\n", "\xC3\xA4\t';", "");
	check_toml("text = \"\"\"\na.b.c.d.e.f.g.h.i.j\n# \"x\\\"\"\"\"\n",
		"a.b.c.d.e.f.g.h.i.j\n# \"x\";", "");
	/* Words that mean null or true in YAML are plain strings. */
	check_toml("list = [\"null\", \"~\", '', \"true\"]\n", "null;~;;true;", "");
	/* Numbers are printed with as few digits as possible; a time is a string. */
	check_toml("list = [1_000, 0x10, -1, 0.0, 120.0, 0.1, 1e300, -inf, nan, true, 2026-11-22, "
		   "07:30:00]\n",
		"1000;16;-1;0;120;0.1;1e+300;-inf;nan;true;2026-11-22;07:30:00;", "");
}

/* Positions are those of the TOML file; the messages are those for YAML. */
static void
toml_problems(void)
{
	check_toml("bogus = 1\n", "", "t: error: :1:1: unknown key \"bogus\"" KNOWN "\n");
	check_toml("text = \"a\"\n  bogus = 1\n[inner]\n\tbogus = 2\n", "a;",
		"t: error: :2:3: unknown key \"bogus\"" KNOWN
		"\nt: error: :4:2: unknown key \"bogus\"; known: text\n");
	check_toml("text = [\"a\"]\n", "?;", "t: error: :1:8: a single value is expected here\n");
	check_toml(
		"[[list]]\ntext = 1\n", "?;", "t: error: :1:1: a single value is expected here\n");
	check_toml("list = 1\n", "", "t: error: :1:8: a list is expected here\n");
	check_toml("[list]\n", "", "t: error: :1:1: a list is expected here\n");
	check_toml("inner = 1\n", "", "t: error: :1:9: a mapping (key: value) is expected here\n");
	check_toml("[[inner]]\n", "", "t: error: :1:1: a mapping (key: value) is expected here\n");
	check_toml("text = \"a\\u0000b\"\n", "?;", "t: error: :1:8: a NUL byte inside a value\n");
	check_toml("flag = \"yes\"\nnumber = 11\n", "",
		"t: error: :1:8: \"yes\" is neither true nor false\n"
		"t: error: :2:10: \"11\" is not a whole number from 3 to 10\n");
}

static void
toml_malformed(void)
{
	static const struct {
		const char *toml, *message;
	} rows[] = {
		{"a: 1\n", "t: error: :1:2: key-value pair: expected '=', saw ':'\n"},
		{"a = 1\na = 2\n",
			"t: error: :2:5: key-value pair: cannot redefine existing integer 'a'\n"},
		{"a = yes\n", "t: error: :1:5: value: could not determine value type\n"},
		{"{\"a\": 1}\n", "t: error: :1:1: root table: expected keys, tables, whitespace or "
				 "comments, saw '{'\n"},
		{"[a]\n[a]\n",
			"t: error: :2:1: table header: cannot redefine existing table 'a'\n"},
		{"\xFF\n", "t: error: :1:1: Encountered invalid utf-8 sequence\n"},
		{"a = \"\xFF\"\n", "t: error: :1:5: Encountered invalid utf-8 sequence\n"},
		{"x = 1\n a.b.c.d.e.f.g.h.i = 1\n",
			"t: error: :2:17: a key of more than 8 parts\n"},
		/* Dots in strings and comments are not keys, and hide none. */
		{"x = 'a.\"' # .'\ny = \"\\\".\"\na.b.c.d.e.f.g.h.i = 1\n",
			"t: error: :3:16: a key of more than 8 parts\n"},
		{"x = \"\"\"a\"\"\"\"\ny = '''\n..'a''''\n[a.b.c.d.e.f.g.h.i]\n",
			"t: error: :4:17: a key of more than 8 parts\n"},
		/* Columns count characters, as in all other messages. */
		{"\"\xC3\xBC\".b.c.d.e.f.g.h.i = 1\n",
			"t: error: :1:18: a key of more than 8 parts\n"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct seen seen;
		unsigned found;
		char *messages =
			read_named_new("f.toml", rows[i].toml, strlen(rows[i].toml), &seen, &found);
		check_row("%s", rows[i].toml);
		CHECK_INT(found, 1000 + CONFDOC_MALFORMED);
		CHECK_STR(messages, rows[i].message);
		free(messages);
	}
}

/* Deep nesting is rejected and must not overflow the stack. */
static void
toml_depths(void)
{
	static const struct {
		const char *begin, *again, *end, *message;
	} rows[] = {
		{"", "a.", "a = 1\n", "a key of more than 8 parts"},
		{"[", "a .", "a]\n", "a key of more than 8 parts"},
		{"a = ", "[", "\n", "exceeded maximum nested value depth of 256"},
		{"a = ", "{a = ", "\n", "exceeded maximum nested value depth of 256"},
		{"a = ", "{a.a.a.a.a.a.a.a = ", "\n", "exceeded maximum nested value depth of 256"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char *text = NULL;
		size_t length = 0;
		struct seen seen;
		unsigned found;
		FILE *out = open_memstream(&text, &length);
		fputs(rows[i].begin, out);
		while (ftell(out) < 1000000)
			fputs(rows[i].again, out);
		fputs(rows[i].end, out);
		fclose(out);
		check_row("%s", rows[i].again);
		char *messages = read_named_new("f.toml", text, length, &seen, &found);
		CHECK_INT(found, 1000 + CONFDOC_MALFORMED);
		CHECK_HAS(messages, rows[i].message);
		free(messages);
		free(text);
	}
}

static const struct check_test tests[] = {
	{"a file that would keep its parser busy for long is refused at once, in one line",
		hostile},
	{"values may be nested as deep as the limit", deep_enough},
	{"after a hundred problems the check stops", too_many_problems},
	{"a pipe is read to its end, but not one that never ends", pipes},
	{"values reach the functions of their keys, in block style, flow style and JSON", takes},
	{"an empty value stands for an empty mapping or list", empties},
	{"each problem is reported with its line and column", problems},
	{"all problems of a file are reported at once", all_at_once},
	{"booleans and whole numbers are parsed strictly", typed},
	{"malformed YAML is reported with its position", malformed},
	{"TOML gives the same tree: values reach the functions of their keys", toml_takes},
	{"each problem of TOML is reported with line and column, in the words used for YAML",
		toml_problems},
	{"malformed TOML is reported with its position", toml_malformed},
	{"TOML that is nested too deep is refused", toml_depths},
	{"a file that is not text is malformed", not_text},
	{"a read error is returned in errno and prints nothing", unreadable},
	{"finding a key reports nothing", finds},
	{"a problem with a long value is reported in one line", long_values},
};
CHECK_MAIN(tests)
