/* Unit tests of yamldoc: YAML whose nodes know their line and column. */
#include "yamldoc.h"

#include "check.h"
#include "diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What the takers below have seen. */
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
take_text(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	const char *text = yamldoc_text(doc, node);
	note(target, text != NULL ? text : "?");
}

static void
take_list(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_sequence(doc, node, take_text, target);
}

static void
take_flag(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_bool(doc, node, &((struct seen *)target)->flag);
}

static void
take_number(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_unsigned(doc, node, 3, 10, &((struct seen *)target)->number);
}

static const struct yamldoc_key inner_keys[] = {{"text", take_text}};

static void
take_inner(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_mapping(doc, node, inner_keys, CHECK_COUNT(inner_keys), target);
}

static const struct yamldoc_key keys[] = {
	{"text", take_text},
	{"list", take_list},
	{"flag", take_flag},
	{"number", take_number},
	{"inner", take_inner},
};

/* Reads `yaml` with the keys above. The messages, without the file's name, are to be freed. */
static char *
read_new(const char *yaml, size_t length, struct seen *seen, unsigned *problems)
{
	struct yamldoc doc;
	char path[200];
	snprintf(path, sizeof path, "%s", check_file_bytes("f.yaml", yaml, length));
	*seen = (struct seen){.number = 99};
	diag_init("t");
	check_capture(STDERR_FILENO);
	enum yamldoc_status status = yamldoc_open(&doc, path, path);
	if (status == YAMLDOC_OK) {
		yaml_node_t *root = yamldoc_root(&doc);
		if (root != NULL)
			yamldoc_mapping(&doc, root, keys, CHECK_COUNT(keys), seen);
		yamldoc_close(&doc);
	}
	*problems = status == YAMLDOC_OK ? doc.problems : 1000 + status;
	return check_replaced_new(check_captured_new(STDERR_FILENO), path, "");
}

static void
check_read(const char *yaml, const char *log, const char *expected_messages)
{
	struct seen seen;
	unsigned problems;
	char *messages = read_new(yaml, strlen(yaml), &seen, &problems);
	check_row("%s", yaml);
	CHECK_STR(seen.log, log);
	CHECK_STR(messages, expected_messages);
	CHECK_INT(problems, (int64_t)check_occurrences(expected_messages, "\n"));
	free(messages);
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

static void
problems(void)
{
	check_read("bogus: 1\n", "", "t: error: :1:1: unknown key \"bogus\"\n");
	check_read("text: a\nbogus: 1\nlist: [b]\n", "a;b;",
		"t: error: :2:1: unknown key \"bogus\"\n");
	check_read("inner:\n  bogus: 1\n", "", "t: error: :2:3: unknown key \"bogus\"\n");
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
		"t: error: :1:6: a value is missing here (\"\" is the empty one)\n");
	check_read("text: ~\n", "?;",
		"t: error: :1:7: a value is missing here (\"\" is the empty one)\n");
	check_read("[a, b]: 1\n", "", "t: error: :1:1: unknown key \"\"\n");
}

static void
all_at_once(void)
{
	check_read("bogus: 1\nlist: x\ninner:\n  - 1\nflag: maybe\nnumber: 11\n", "",
		"t: error: :1:1: unknown key \"bogus\"\n"
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
		/* Settings behind a second `---` would otherwise be ignored without a word. */
		{"text: a\n---\ntext: b\n", ":3:1: a second document"},
		{"text: a\n---\n[\n", ":4:1: "},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct seen seen;
		unsigned found;
		char *messages = read_new(rows[i].yaml, strlen(rows[i].yaml), &seen, &found);
		check_row("%s", rows[i].yaml);
		CHECK_INT(found, 1000 + YAMLDOC_MALFORMED);
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
	} rows[] = {{"a: \xFF\xFE\xFD\n", 7}, {"a: \0b\n", 6},
		{"\x7F"
		 "ELF\x02\x01",
			6}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct seen seen;
		unsigned found;
		char *messages = read_new(rows[i].bytes, rows[i].length, &seen, &found);
		check_row("row %zu", i);
		CHECK_INT(found, 1000 + YAMLDOC_MALFORMED);
		CHECK_INT((int64_t)check_occurrences(messages, "\n"), 1);
		free(messages);
	}
}

static void
unreadable(void)
{
	struct yamldoc doc;
	char path[200];
	check_capture(STDERR_FILENO);
	CHECK_INT(yamldoc_open(&doc, "/no/such/file", ""), YAMLDOC_UNREADABLE);
	CHECK_INT(errno, ENOENT);
	CHECK_INT(yamldoc_open(&doc, check_dir(), ""), YAMLDOC_UNREADABLE);
	CHECK_INT(errno, EISDIR);
	char *big = check_repeat_new('#', 1 << 20);
	snprintf(path, sizeof path, "%s", check_file("big.yaml", big));
	CHECK_INT(yamldoc_open(&doc, path, path), YAMLDOC_UNREADABLE);
	CHECK_INT(errno, EFBIG);
	char *messages = check_captured_new(STDERR_FILENO);
	CHECK_STR(messages, "");
	free(messages);
	free(big);
}

static void
finds(void)
{
	struct yamldoc doc;
	char path[200];
	snprintf(path, sizeof path, "%s", check_file("f.yaml", "a: 1\nb: [x]\n"));
	if (!CHECK_INT(yamldoc_open(&doc, path, path), YAMLDOC_OK))
		return;
	yaml_node_t *root = yamldoc_root(&doc);
	yaml_node_t *a = yamldoc_find(&doc, root, "a");
	if (CHECK(a != NULL))
		CHECK_STR(yamldoc_text(&doc, a), "1");
	CHECK(yamldoc_find(&doc, root, "c") == NULL);
	CHECK(yamldoc_find(&doc, yamldoc_find(&doc, root, "b"), "x") == NULL);
	CHECK_INT(doc.problems, 0);
	yamldoc_close(&doc);
}

static void
long_values(void)
{
	/* A problem about a long value is still one line. */
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

static const struct check_test tests[] = {
	{"values reach their keys' takers, block style, flow style and JSON", takes},
	{"an empty value stands for an empty mapping or list", empties},
	{"each problem is told with its line and column", problems},
	{"all problems of a file are told at once", all_at_once},
	{"truth values and whole numbers are strict", typed},
	{"malformed YAML is told with its place", malformed},
	{"what is not text is malformed", not_text},
	{"what cannot be read is told by errno and not on stderr", unreadable},
	{"finding a key reports nothing", finds},
	{"a problem about a long value is one line", long_values},
};
CHECK_MAIN(tests)
