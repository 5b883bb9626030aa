/* walk - parses YAML and calls a handler for each value, with its path of keys. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "walk.h"

#include <string.h>
#include <yaml.h>

struct level {
	bool is_mapping, has_key; /* has_key: the mapping's key was parsed, its value not yet */
	size_t path_length;       /* of the path of the mapping or sequence */
};

struct walker {
	const struct walk_handler *handler;
	void *context;
	struct level levels[WALK_DEPTH_MAX];
	size_t depth;
	char path[WALK_PATH_SIZE];
	/* the key at this depth, from 1, does not fit into `path`: skip its values; 0: none */
	size_t skipped_depth;
	const char *refusal;
};

static struct level *
innermost(struct walker *walker)
{
	return walker->depth > 0 ? &walker->levels[walker->depth - 1] : NULL;
}

/* Append the key to the path. */
static void
accept_key(struct walker *walker, struct level *level, const char *key, size_t length)
{
	bool first = level->path_length == 0;
	size_t at = level->path_length + (first ? 0 : 1);

	level->has_key = true;
	if (walker->skipped_depth != 0)
		return;
	if (at + length >= sizeof walker->path || memchr(key, '\0', length) != NULL) {
		walker->skipped_depth = walker->depth;
		return;
	}
	if (!first)
		walker->path[level->path_length] = '/';
	memcpy(walker->path + at, key, length);
	walker->path[at + length] = '\0';
}

/* Remove the key from the path after its value. */
static void
end_value(struct walker *walker)
{
	struct level *level = innermost(walker);
	if (level == NULL)
		return;
	if (walker->skipped_depth == walker->depth)
		walker->skipped_depth = 0;
	if (walker->skipped_depth == 0)
		walker->path[level->path_length] = '\0';
	level->has_key = false;
}

static void
enter(struct walker *walker, bool is_mapping)
{
	struct level *level = innermost(walker);

	if (level != NULL && level->is_mapping && !level->has_key) {
		walker->refusal = "a key that is not text";
		return;
	}
	if (walker->depth == WALK_DEPTH_MAX) {
		walker->refusal = "nested more deeply than lnetctl's output";
		return;
	}
	if (walker->skipped_depth == 0)
		walker->handler->begin(
			walker->context, walker->path, level != NULL && !level->is_mapping);
	walker->levels[walker->depth++] =
		(struct level){.is_mapping = is_mapping, .path_length = strlen(walker->path)};
}

static void
leave(struct walker *walker)
{
	walker->depth--;
	end_value(walker);
}

static void
accept_scalar(struct walker *walker, const char *text, size_t length)
{
	struct level *level = innermost(walker);

	if (level != NULL && level->is_mapping && !level->has_key) {
		accept_key(walker, level, text, length);
		return;
	}
	if (walker->skipped_depth == 0 && strlen(text) == length)
		walker->handler->value(walker->context, walker->path, text);
	end_value(walker);
}

static void
accept(struct walker *walker, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_MAPPING_START_EVENT:
		enter(walker, true);
		break;
	case YAML_SEQUENCE_START_EVENT:
		enter(walker, false);
		break;
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		leave(walker);
		break;
	case YAML_SCALAR_EVENT:
		accept_scalar(
			walker, (const char *)event->data.scalar.value, event->data.scalar.length);
		break;
	case YAML_ALIAS_EVENT:
		walker->refusal = "an alias, which lnetctl never writes";
		break;
	default:
		break;
	}
}

static bool
refuse(struct walk_error *error, size_t line, const char *reason)
{
	*error = (struct walk_error){.line = line + 1, .reason = reason};
	return false;
}

static bool
lack_memory(struct walk_error *error)
{
	*error = (struct walk_error){.reason = "out of memory", .no_memory = true};
	return false;
}

/* libyaml describes every problem of the text; if it does not, memory ran out. */
static bool
refuse_text(struct walk_error *error, const yaml_parser_t *parser)
{
	if (parser->error == YAML_MEMORY_ERROR || parser->problem == NULL)
		return lack_memory(error);
	return refuse(error, parser->problem_mark.line, parser->problem);
}

static bool
walk_events(struct walker *walker, yaml_parser_t *parser, struct walk_error *error)
{
	yaml_event_t event;
	bool ended = false, good = true;

	while (good && !ended) {
		if (!yaml_parser_parse(parser, &event))
			return refuse_text(error, parser);
		ended = event.type == YAML_STREAM_END_EVENT;
		accept(walker, &event);
		if (walker->refusal != NULL)
			good = refuse(error, event.start_mark.line, walker->refusal);
		yaml_event_delete(&event);
	}
	return good;
}

/* Return the number of bytes before a line `...`, which ends lnetctl's report of a failure, and add
 * the lines before it to `*lines`. */
static size_t
find_end(const char *text, size_t length, size_t *lines)
{
	for (size_t at = 0; at < length; ++*lines) {
		const char *newline = memchr(text + at, '\n', length - at);
		size_t line = newline != NULL ? (size_t)(newline - text) - at : length - at;
		if (line == 3 && memcmp(text + at, "...", 3) == 0)
			return at;
		at += line + (newline != NULL);
	}
	return length;
}

/* Parse each part up to `...` on its own: libyaml expects `---` after it, but the next command of
 * lnetctl prints none. */
bool
walk(const char *text, size_t length, const struct walk_handler *handler, void *context,
	struct walk_error *error)
{
	size_t lines = 0, parts = 0;
	bool good = true;

	for (size_t at = 0; good && at < length; at += strlen("...")) {
		if (++parts > WALK_PARTS_MAX)
			return refuse(error, lines, "too many lines of ... for lnetctl");
		struct walker walker = {.handler = handler, .context = context};
		size_t first_line = lines, end = at + find_end(text + at, length - at, &lines);
		yaml_parser_t parser;
		if (!yaml_parser_initialize(&parser))
			return lack_memory(error);
		yaml_parser_set_input_string(&parser, (const unsigned char *)text + at, end - at);
		good = walk_events(&walker, &parser, error);
		if (!good && !error->no_memory)
			error->line += first_line;
		yaml_parser_delete(&parser);
		at = end;
	}
	return good;
}
