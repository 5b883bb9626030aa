/* pieces - processes a log in pieces of whole lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pieces.h"

#include "journaljson.h"
#include "kmsgform.h"
#include "lineform.h"

#include <errno.h>
#include <string.h>

void
pieces_fini(struct pieces *pieces)
{
	strbuf_fini(&pieces->scratch);
	strbuf_fini(&pieces->held);
}

static int
accept_line(struct pieces *pieces, const struct analysis_place *place, const char *line,
	size_t length, uint64_t meaning)
{
	struct logline parsed;
	if (lineform_parse(pieces->format, line, length, pieces->after_kmsg, &pieces->scratch,
		    &parsed) < 0) {
		errno = ENOMEM;
		return -1;
	}
	pieces->after_kmsg = parsed.of_kmsg;
	/* A decoded text has other keys than its line. */
	bool is_in_line = parsed.text >= line && parsed.text <= line + length;
	return analysis_accept(pieces->analysis, place, &parsed, is_in_line ? meaning : 0);
}

/* During a lock-up report every line counts, with a given --format every line is checked, and the
 * sieve cannot see keys with colours inside. Otherwise only lines with a key are parsed. */
static bool
is_line_wise(const struct pieces *pieces)
{
	return pieces->format != LOGLINE_AUTO || pieces->is_coloured ||
	       lockup_counts_lines(&pieces->analysis->memory.lockup);
}

static size_t
line_end(const char *bytes, size_t at, size_t length)
{
	const char *feed = memchr(bytes + at, '\n', length - at);
	return feed != NULL ? (size_t)(feed - bytes) : length;
}

static size_t
line_start(const char *bytes, size_t from, size_t at)
{
	const char *feed = memrchr(bytes + from, '\n', at - from);
	return feed != NULL ? (size_t)(feed - bytes) + 1 : from;
}

/* --- records --- */

/* Return true for a line of an input without plain text. */
static bool
is_of_records(const char *line, size_t length)
{
	return length == 0 || *line == ' ' || (length == 1 && *line == '\r') ||
	       kmsgform_is_record(line, length, NULL) || journaljson_is_object(line, length);
}

/* Note whether the lines up to `end` include plain text. Needed only for LOGLINE_AUTO: other
 * formats fix what a line is. */
static void
detect_text(struct pieces *pieces, const char *bytes, size_t from, size_t end)
{
	if (pieces->format != LOGLINE_AUTO)
		return;
	while (from < end && !pieces->analysis->in_text) {
		size_t stop = line_end(bytes, from, end);
		pieces->analysis->in_text = !is_of_records(bytes + from, stop - from);
		from = stop + 1;
	}
}

int
pieces_release(struct pieces *pieces, const struct analysis_place *place)
{
	struct analysis_place here = *place;
	size_t length = pieces->held.length;

	if (length == 0)
		return 0;
	pieces->held.length = 0;
	here.number = pieces->held_number;
	return accept_line(pieces, &here, pieces->held.bytes, length, 0);
}

/* Add the dictionary lines at the start of the piece to the held record, and accept the record when
 * it is complete. Return where the rest begins. `*status` is -1 with errno on failure. */
static size_t
continue_record(struct pieces *pieces, const struct analysis_place *place, const char *bytes,
	size_t length, int *status)
{
	struct strbuf *held = &pieces->held;
	size_t start = 0;

	while (*status == 0 && start < length) {
		size_t end = line_end(bytes, start, length);
		if (!kmsgform_continues(held, bytes + start, end - start))
			break;
		*status = kmsgform_hold(held, bytes + start, end - start);
		start = end + 1;
	}
	if (*status == 0 && (start < length || kmsgform_is_whole(held->bytes, held->length)))
		*status = pieces_release(pieces, place);
	return start;
}

/* --- blocks --- */

/* A line of a piece and its meaning from the sieve. */
struct piece_line {
	size_t start, end;
	uint64_t meaning;
};

/* Accept the line, with the dictionary after it if it is a record. Return the start of the next
 * line. `*status` is -1 with errno on failure. */
static size_t
accept_at(struct pieces *pieces, const struct analysis_place *place, const char *bytes,
	size_t length, const struct piece_line *line, int *status)
{
	struct analysis_place here = *place;
	const char *first = bytes + line->start;
	size_t end = line->end;

	here.number += line->start;
	bool has_records = pieces->format == LOGLINE_AUTO || pieces->format == LOGLINE_KMSG;
	if (has_records && kmsgform_is_record(first, end - line->start, NULL)) {
		end = kmsgform_record_end(bytes, line->end, length);
		if (end + 1 >= length && !kmsgform_is_whole(first, end - line->start) &&
			kmsgform_begins(first, line->end - line->start)) {
			pieces->held_number = here.number;
			*status = kmsgform_hold(&pieces->held, first, end - line->start);
			return end + 1;
		}
	}
	*status = accept_line(pieces, &here, first, end - line->start, line->meaning);
	return end + 1;
}

/* Find the next line to parse at or after `from`. Return false if there is none. */
static bool
find_line(const struct pieces *pieces, const char *bytes, size_t from, size_t length,
	struct piece_line *line)
{
	const struct sieve *sieve = matcher_sieve(pieces->analysis->matcher);

	if (is_line_wise(pieces)) {
		*line = (struct piece_line){from, line_end(bytes, from, length), 0};
		return from < length;
	}
	while (from < length) {
		size_t at = sieve_find(sieve, bytes, from, length, &line->meaning);
		if (at == length)
			return false;
		line->end = line_end(bytes, at, length);
		line->meaning = sieve_meaning(sieve, bytes, from, at, line->end);
		line->start = line_start(bytes, from, at);
		if (matcher_is_candidate(
			    line->meaning, bytes + line->start, line->end - line->start))
			return true;
		from = line->end + 1;
	}
	return false;
}

int
pieces_accept(
	struct pieces *pieces, const struct analysis_place *place, const char *bytes, size_t length)
{
	struct piece_line line;
	int status = 0;
	size_t seen = 0, next = 0;

	pieces->is_coloured = memchr(bytes, '\x1B', length) != NULL;
	if (pieces->held.length > 0)
		next = continue_record(pieces, place, bytes, length, &status);
	while (status == 0 && next < length && find_line(pieces, bytes, next, length, &line)) {
		if (line.start > next)
			pieces->after_kmsg = true;
		detect_text(pieces, bytes, seen, line.end);
		seen = line.end + 1;
		next = accept_at(pieces, place, bytes, length, &line, &status);
	}
	detect_text(pieces, bytes, seen, length);
	return status;
}
