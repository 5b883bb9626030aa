/* hostlist - expands and compresses lists of host names in Slurm's form. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "hostlist.h"

#include "num.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- expansion --- */

/* State of an expansion: names so far, and the beginning of the current name. */
struct expansion {
	int (*accept)(void *context, const char *name);
	void *context;
	size_t count;
	char name[HOSTLIST_NAME_SIZE];
};

static int expand(struct expansion *expansion, size_t length, const char *text, const char *end);

/* The current name is complete. */
static int
accept_name(struct expansion *expansion)
{
	if (++expansion->count > HOSTLIST_NAMES_MAX)
		return 1;
	return expansion->accept(expansion->context, expansion->name);
}

/* Parse a number in brackets with leading zeros. Return false if it is malformed. */
static bool
parse_number(const char *text, size_t length, uint64_t *out)
{
	char digits[NUM_U64_SIZE];
	if (length == 0 || length >= sizeof digits || strspn(text, "0123456789") < length)
		return false;
	memcpy(digits, text, length);
	digits[length] = '\0';
	return num_parse_u64(digits, UINT32_MAX, out) == NUM_OK;
}

/* Expand `001-016` or `20`, and for each number the text after the brackets. */
static int
expand_range(struct expansion *expansion, size_t length, const char *range, size_t range_length,
	const char *rest, const char *end)
{
	uint64_t first, last;
	const char *hyphen = memchr(range, '-', range_length);
	size_t width = hyphen != NULL ? (size_t)(hyphen - range) : range_length;
	if (!parse_number(range, width, &first))
		return 1;
	last = first;
	if (hyphen != NULL && !parse_number(hyphen + 1, range_length - width - 1, &last))
		return 1;
	if (last < first || last - first >= HOSTLIST_NAMES_MAX)
		return 1;
	int status = 0;
	for (uint64_t number = first; number <= last && status == 0; number++) {
		size_t room = sizeof expansion->name - length;
		int added =
			snprintf(expansion->name + length, room, "%0*" PRIu64, (int)width, number);
		status = (size_t)added < room ? expand(expansion, length + (size_t)added, rest, end)
					      : 1;
	}
	return status;
}

/* Expand the text from `text` to `end`. `length` bytes of the name are complete. */
static int
expand(struct expansion *expansion, size_t length, const char *text, const char *end)
{
	const char *open = memchr(text, '[', (size_t)(end - text));
	size_t plain = (size_t)((open != NULL ? open : end) - text);
	if (plain >= sizeof expansion->name - length || memchr(text, ']', plain) != NULL)
		return 1;
	memcpy(expansion->name + length, text, plain);
	length += plain;
	expansion->name[length] = '\0';
	if (open == NULL)
		return length > 0 ? accept_name(expansion) : 1;
	const char *close = memchr(open, ']', (size_t)(end - open));
	if (close == NULL)
		return 1;
	int status = 0;
	for (const char *at = open + 1; at <= close && status == 0;) {
		size_t range = strcspn(at, ",]");
		status = expand_range(expansion, length, at, range, close + 1, end);
		at += range + 1;
	}
	return status;
}

/* Return the end of the first name of a list: its comma, or the end of the text. */
static const char *
find_end(const char *text)
{
	bool is_inside = false;
	for (; *text != '\0' && (*text != ',' || is_inside); text++)
		is_inside = *text == '[' || (is_inside && *text != ']');
	return text;
}

int
hostlist_expand(const char *text, int (*accept)(void *context, const char *name), void *context)
{
	struct expansion expansion = {.accept = accept, .context = context};
	int status = 0;
	for (bool is_last = false; !is_last && status == 0;) {
		const char *end = find_end(text);
		is_last = *end == '\0';
		status = expand(&expansion, 0, text, end);
		text = end + 1;
	}
	return status;
}

/* --- compression --- */

/* A name split at its last number. */
struct parts {
	const char *name;
	size_t before, width; /* bytes; width 0: no number */
	uint64_t number;
};

static struct parts
split(const char *name)
{
	struct parts parts = {.name = name, .before = strlen(name)};
	size_t end = parts.before;
	while (end > 0 && !isdigit((unsigned char)name[end - 1]))
		end--;
	size_t begin = end;
	while (begin > 0 && isdigit((unsigned char)name[begin - 1]))
		begin--;
	if (begin < end && parse_number(name + begin, end - begin, &parts.number)) {
		parts.before = begin;
		parts.width = end - begin;
	}
	return parts;
}

static const char *
behind(const struct parts *parts)
{
	return parts->name + parts->before + parts->width;
}

/* Compare the parts around the number; result as of strcmp(). */
static int
compare_frames(const struct parts *a, const struct parts *b)
{
	size_t shorter = a->before < b->before ? a->before : b->before;
	int order = memcmp(a->name, b->name, shorter);
	if (order == 0)
		order = (a->before > b->before) - (a->before < b->before);
	if (order == 0)
		order = strcmp(behind(a), behind(b));
	return order != 0 ? order : (a->width > b->width) - (a->width < b->width);
}

static int
compare(const void *a, const void *b)
{
	const struct parts *const first = a, *const second = b;
	int order = compare_frames(first, second);
	if (order != 0)
		return order;
	return (first->number > second->number) - (first->number < second->number);
}

/* Append the numbers of names that differ only in the number. */
static void
put_numbers(const struct parts *parts, size_t count, struct strbuf *out)
{
	for (size_t i = 0; i < count;) {
		size_t last = i;
		while (last + 1 < count && parts[last + 1].number <= parts[last].number + 1)
			last++;
		strbuf_addf(out, "%s%0*" PRIu64, i > 0 ? "," : "", (int)parts[i].width,
			parts[i].number);
		if (parts[last].number > parts[i].number)
			strbuf_addf(out, "-%0*" PRIu64, (int)parts[last].width, parts[last].number);
		i = last + 1;
	}
}

static void
put(const struct parts *parts, size_t count, struct strbuf *out)
{
	bool is_one = parts->width == 0 || parts[count - 1].number == parts->number;
	if (is_one) {
		strbuf_addf(out, "%s", parts->name);
		return;
	}
	strbuf_add(out, parts->name, parts->before);
	strbuf_addf(out, "[");
	put_numbers(parts, count, out);
	strbuf_addf(out, "]%s", behind(parts));
}

bool
hostlist_compress(const char **names, size_t count, struct strbuf *out)
{
	struct parts *parts = calloc(count + 1, sizeof *parts);
	if (parts == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		parts[i] = split(names[i]);
	qsort(parts, count, sizeof *parts, compare);
	for (size_t i = 0; i < count;) {
		size_t last = i;
		while (last + 1 < count && compare_frames(&parts[i], &parts[last + 1]) == 0)
			last++;
		strbuf_addf(out, "%s", i > 0 ? "," : "");
		put(parts + i, last + 1 - i, out);
		i = last + 1;
	}
	free(parts);
	return true;
}
