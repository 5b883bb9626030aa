/* confdoc - parses a configuration file into a tree whose nodes know their line and column. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confdoc.h"

#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "num.h"
#include "ownfile.h"
#include "tomldoc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long to wait for a pipe's end of file. */
#define PATIENCE_NS (2 * NUM_NS_PER_S)

/* Nesting depth of values; settings use four levels. libyaml's time grows with the square of the
 * depth: 100 KB of `[` take half a minute. */
#define DEPTH_MAX 32

/* Limits of values and anchors per file: libyaml compares each anchor with all others. A complete
 * configuration has a few hundred values. */
#define NODES_MAX 20000
#define ANCHORS_MAX 100

#define TEXT_OF_WORD(word) #word
#define TEXT_OF(macro) TEXT_OF_WORD(macro)
#define TOO_MANY_NODES "more than " TEXT_OF(NODES_MAX) " values"

/* Report `FILE:LINE:COLUMN: reason`, counted from 1. */
static void
report_at(const char *path, const yaml_mark_t *mark, const char *reason)
{
	diag_error("%s:%zu:%zu: %s", path, mark->line + 1, mark->column + 1, reason);
}

/* --- reading the file, without blocking for ever on a pipe --- */

/* Wait for bytes or end of file. Return false when the time is up. */
static bool
wait_until(int fd, uint64_t until_ns)
{
	struct pollfd input = {.fd = fd, .events = POLLIN};
	int left_ms = clock_left_ms(until_ns);
	return left_ms > 0 && poll(&input, 1, left_ms) != 0;
}

/* Open without blocking on a FIFO. Return the descriptor, or -1 with errno. */
static int
open_named(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Return the length, or -1 with errno. */
static ssize_t
read_all(int fd, char *text, size_t size)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;
	size_t length = 0;
	while (length < size) {
		ssize_t n = read(fd, text + length, size - length);
		if (n == 0)
			return (ssize_t)length;
		if (n > 0)
			length += (size_t)n;
		else if (errno == EAGAIN && !wait_until(fd, until_ns))
			errno = ETIME;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -1;
	}
	errno = EFBIG;
	return -1;
}

/* Read the whole file, at most `size` - 1 bytes, without a NUL. Read a pipe, such as `<(command)`
 * in a shell, to its end. Return the length, or -1 with errno: EFBIG if there is more, ETIME if a
 * pipe did not end in time, ENODATA for a FIFO without a writer. */
static ssize_t
read_named(int fd, char *text, size_t size)
{
	struct stat status;
	ssize_t length = read_all(fd, text, size);
	/* A FIFO without a writer is at its end at once, like an empty file. */
	if (length == 0 && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)) {
		errno = ENODATA;
		return -1;
	}
	return length;
}

/* --- limits, checked before the tree is built --- */

/* Counts of the text parsed so far. */
struct shape {
	unsigned depth, nodes, anchors;
};

/* Return the limit that the text exceeds, or NULL. */
static const char *
refuse_shape(const struct shape *shape)
{
	if (shape->depth > DEPTH_MAX)
		return "values are nested more than " TEXT_OF(DEPTH_MAX) " deep";
	if (shape->nodes > NODES_MAX)
		return TOO_MANY_NODES;
	if (shape->anchors > ANCHORS_MAX)
		return "more than " TEXT_OF(ANCHORS_MAX) " anchors";
	return NULL;
}

static void
add_to_shape(struct shape *shape, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SEQUENCE_START_EVENT:
		shape->anchors += event->data.sequence_start.anchor != NULL;
		shape->nodes++;
		shape->depth++;
		break;
	case YAML_MAPPING_START_EVENT:
		shape->anchors += event->data.mapping_start.anchor != NULL;
		shape->nodes++;
		shape->depth++;
		break;
	case YAML_SCALAR_EVENT:
		shape->anchors += event->data.scalar.anchor != NULL;
		shape->nodes++;
		break;
	case YAML_ALIAS_EVENT:
		shape->nodes++;
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		shape->depth--;
		break;
	default:
		break;
	}
}

bool
confdoc_no_memory(struct confdoc *doc)
{
	diag_error("%s: out of memory", doc->path);
	doc->starved = true;
	return false;
}

/* Parse the text until its end or a limit. Return false if a limit is exceeded, or memory ran out;
 * both are reported. The caller's parser reports syntax errors. */
static bool
has_shape(struct confdoc *doc, const char *text, size_t length)
{
	yaml_parser_t parser;
	yaml_event_t event;
	struct shape shape = {0};
	const char *reason = NULL;
	if (!yaml_parser_initialize(&parser))
		return confdoc_no_memory(doc);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	for (bool ended = false; !ended && reason == NULL && yaml_parser_parse(&parser, &event);) {
		ended = event.type == YAML_STREAM_END_EVENT;
		add_to_shape(&shape, &event);
		reason = refuse_shape(&shape);
		if (reason != NULL)
			report_at(doc->path, &event.start_mark, reason);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return reason == NULL;
}

/* --- the tree --- */

/* Return the place after `offset` bytes of the text, with columns in characters, like libyaml's. */
static yaml_mark_t
find_mark(const char *text, size_t offset)
{
	yaml_mark_t mark = {.index = offset};
	for (size_t i = 0; i < offset; i++) {
		if (text[i] == '\n') {
			mark.line++;
			mark.column = 0;
		} else if (((unsigned char)text[i] & 0xC0) != 0x80) {
			mark.column++;
		}
	}
	return mark;
}

/* libyaml sets `problem` for a syntax error; without one, memory ran out. Where text cannot be
 * decoded, it sets no mark, only the offset. */
static bool
report_parser(struct confdoc *doc, const yaml_parser_t *parser, const char *text)
{
	if (parser->error == YAML_MEMORY_ERROR || parser->problem == NULL)
		return confdoc_no_memory(doc);
	yaml_mark_t mark = parser->error == YAML_READER_ERROR
				   ? find_mark(text, parser->problem_offset)
				   : parser->problem_mark;
	report_at(doc->path, &mark, parser->problem);
	return false;
}

/* Reject a second document: libyaml would silently ignore its settings. */
static bool
is_last_document(struct confdoc *doc, yaml_parser_t *parser, const char *text)
{
	yaml_document_t next;
	if (!yaml_parser_load(parser, &next))
		return report_parser(doc, parser, text);
	const yaml_node_t *root = yaml_document_get_root_node(&next);
	if (root != NULL)
		report_at(doc->path, &root->start_mark, "a second document: only one is allowed");
	bool last = root == NULL;
	yaml_document_delete(&next);
	return last;
}

static bool
parse_yaml(struct confdoc *doc, const char *text, size_t length)
{
	yaml_parser_t parser;
	if (!has_shape(doc, text, length))
		return false;
	if (!yaml_parser_initialize(&parser))
		return confdoc_no_memory(doc);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	bool loaded =
		yaml_parser_load(&parser, &doc->document) || report_parser(doc, &parser, text);
	bool only = loaded && is_last_document(doc, &parser, text);
	yaml_parser_delete(&parser);
	if (loaded && !only)
		yaml_document_delete(&doc->document);
	return only;
}

static bool
parse_toml(struct confdoc *doc, const char *text, size_t length)
{
	struct tomldoc_error error;
	if (tomldoc_parse(&doc->document, text, length, &error) == 0) {
		const yaml_document_t *made = &doc->document;
		if (made->nodes.top - made->nodes.start <= NODES_MAX)
			return true;
		diag_error("%s: %s", doc->path, TOO_MANY_NODES);
		yaml_document_delete(&doc->document);
		return false;
	}
	if (error.no_memory)
		return confdoc_no_memory(doc);
	diag_error("%s:%zu:%zu: %s", doc->path, error.line, error.column, error.reason);
	return false;
}

static bool
is_toml(const char *path)
{
	static const char ending[] = ".toml";
	size_t length = strlen(path);
	return length >= strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
}

static enum confdoc_status
parse(struct confdoc *doc, const char *text, size_t length)
{
	bool parsed = doc->is_toml ? parse_toml(doc, text, length) : parse_yaml(doc, text, length);
	return parsed ? CONFDOC_OK : doc->starved ? CONFDOC_NO_MEMORY : CONFDOC_MALFORMED;
}

enum confdoc_status
confdoc_open(struct confdoc *doc, const char *path)
{
	*doc = (struct confdoc){.path = path, .is_toml = is_toml(path)};

	int fd = open_named(path);
	if (fd < 0)
		return CONFDOC_UNREADABLE;
	char reason[OWNFILE_REASON_SIZE];
	if (!ownfile_may_believe(fd, reason)) {
		diag_error("%s: %s: refusing to use it as the configuration", path, reason);
		close(fd);
		return CONFDOC_REFUSED;
	}
	static char text[CONFDOC_MAX_BYTES];
	ssize_t length = read_named(fd, text, sizeof text);
	fd_close(fd);
	if (length < 0)
		return CONFDOC_UNREADABLE;
	return parse(doc, text, (size_t)length);
}

enum confdoc_status
confdoc_parse(struct confdoc *doc, const char *name, const char *text, size_t length)
{
	*doc = (struct confdoc){.path = name};
	return parse(doc, text, length);
}

void
confdoc_close(struct confdoc *doc)
{
	yaml_document_delete(&doc->document);
}

yaml_node_t *
confdoc_root(struct confdoc *doc)
{
	return yaml_document_get_root_node(&doc->document);
}
