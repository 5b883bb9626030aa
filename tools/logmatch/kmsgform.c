/* kmsgform - parses records of /dev/kmsg.
 *
 *   record     = priority "," sequence "," microseconds "," flag [ "," more ] ";" text
 *                *( LF dictionary ) [ LF ]
 *   dictionary = " " key "=" value
 *
 * msg_print_ext_header() and msg_print_ext_body() in kernel/printk/printk.c write this. They write
 * bytes that cannot be printed as `\xNN`, in texts and in values, so a line feed always ends a line
 * of the record. A priority below 8 has the kernel's facility, 0. Lines that programs write to the
 * device have another facility, see devkmsg_write() there. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "kmsgform.h"

#include "cursor.h"
#include "printer.h"
#include "text.h"

#include <string.h>

/* Facility (8 bits) above level (3 bits), struct printk_info in
 * kernel/printk/printk_ringbuffer.h. */
#define PRIORITY_MAX 2047

/* Levels per facility. */
#define LEVELS 8

/* Largest number of microseconds whose nanoseconds fit 64 bits. */
#define MICROS_MAX (UINT64_MAX / 1000)

static bool
is_visible(const struct cursor *line)
{
	return !cursor_at_end(line) && *line->at > ' ' && *line->at <= '~';
}

/* Skip fields that later kernels may add (Documentation/ABI/testing/dev-kmsg): any text without
 * blanks. */
static bool
skip_more(struct cursor *line)
{
	while (is_visible(line) && *line->at != ';')
		line->at++;
	return cursor_skip_char(line, ';');
}

static bool
parse_prefix(struct cursor *line, struct logline *out, uint64_t *priority, char *flag)
{
	uint64_t micros;

	if (!cursor_parse_number(line, PRIORITY_MAX, priority) || !cursor_skip_char(line, ',') ||
		!cursor_parse_number(line, UINT64_MAX, &out->seq) || !cursor_skip_char(line, ',') ||
		!cursor_parse_number(line, MICROS_MAX, &micros) || !cursor_skip_char(line, ',') ||
		!is_visible(line) || *line->at == ',' || *line->at == ';')
		return false;
	*flag = *line->at++;
	out->time_ns = micros * 1000;
	return cursor_skip_char(line, ';') || (cursor_skip_char(line, ',') && skip_more(line));
}

/* Decode each `\xNN` to a byte and copy the rest. Return the new length, which is never longer. */
static size_t
unescape(const char *text, size_t length, char *out)
{
	size_t used = 0;
	for (size_t i = 0; i < length; i++) {
		bool escape = length - i >= 4 && text[i] == '\\' && text[i + 1] == 'x' &&
			      text_hex_digit(text[i + 2]) >= 0 && text_hex_digit(text[i + 3]) >= 0;
		if (!escape) {
			out[used++] = text[i];
			continue;
		}
		out[used++] =
			(char)(16 * text_hex_digit(text[i + 2]) + text_hex_digit(text[i + 3]));
		i += 3;
	}
	return used;
}

/* Return the next line without its line end, and move the cursor past it. */
static struct cursor
next_line(struct cursor *at)
{
	size_t left = (size_t)(at->end - at->at);
	const char *feed = left > 0 ? memchr(at->at, '\n', left) : NULL;
	struct cursor line = {at->at, feed != NULL ? feed : at->end};
	at->at = feed != NULL ? feed + 1 : at->end;
	if (line.end > line.at && line.end[-1] == '\r')
		line.end--;
	return line;
}

static struct logline_span
rest_of(const struct cursor *line)
{
	return (struct logline_span){line->at, (size_t)(line->end - line->at)};
}

/* No need to decode escapes: names of devices have no byte that the kernel escapes. */
static void
parse_dictionary(struct cursor at, struct logline *out)
{
	while (!cursor_at_end(&at)) {
		struct cursor line = next_line(&at), value = line;
		if (cursor_skip_text(&value, " SUBSYSTEM="))
			out->subsystem = rest_of(&value);
		value = line;
		if (cursor_skip_text(&value, " DEVICE="))
			out->device = rest_of(&value);
	}
}

int
kmsgform_parse(const char *record, size_t length, struct strbuf *scratch, struct logline *out)
{
	struct cursor at = {record, record + length};
	struct cursor line = next_line(&at);
	uint64_t priority;
	char flag;

	*out = (struct logline){.kind = LOGLINE_BAD, .reason = "not a record of /dev/kmsg"};
	struct logline made = {.clock = LOGLINE_BOOT,
		.evidence = LOGLINE_RECORDED,
		.has_seq = true,
		.of_kmsg = true};
	if (!parse_prefix(&line, &made, &priority, &flag))
		return 0;

	bool is_fragment = flag == '+' || flag == 'c';
	made.text = line.at;
	made.length = (size_t)(line.end - line.at);
	made.kind = priority >= LEVELS || is_fragment ? LOGLINE_OTHER : LOGLINE_MESSAGE;
	parse_dictionary(at, &made);
	if (made.length > 0 && memchr(made.text, '\\', made.length) != NULL) {
		char *bytes = strbuf_reserve(scratch, made.length);
		if (bytes == NULL)
			return -1;
		made.length = unescape(made.text, made.length, bytes);
		made.text = bytes;
	}
	*out = made;
	return 0;
}

bool
kmsgform_is_record(const char *line, size_t length, struct logline_span *text)
{
	struct cursor at = {line, line + length};
	struct logline ignored;
	uint64_t priority;
	char flag;
	if (!cursor_is_digit(&at) || !parse_prefix(&at, &ignored, &priority, &flag))
		return false;
	if (text != NULL)
		*text = rest_of(&at);
	return true;
}

bool
kmsgform_is_dictionary(const char *line, size_t length)
{
	struct cursor at = {line, line + length};
	if (!cursor_skip_char(&at, ' '))
		return false;
	const char *key = at.at;
	while (cursor_is_digit(&at) || cursor_is(&at, '_') ||
		(!cursor_at_end(&at) && ((*at.at | 0x20) >= 'a' && (*at.at | 0x20) <= 'z')))
		at.at++;
	return at.at > key && cursor_is(&at, '=');
}

/* DEVICE= is the last line of a dictionary, dev_printk() in drivers/base/core.c. */
static bool
is_last(struct cursor line)
{
	return cursor_skip_text(&line, " DEVICE=");
}

size_t
kmsgform_record_end(const char *bytes, size_t end, size_t length)
{
	bool is_whole = false;
	while (!is_whole && end + 1 < length && bytes[end + 1] == ' ') {
		struct cursor at = {bytes + end + 1, bytes + length};
		struct cursor line = next_line(&at);
		if (!kmsgform_is_dictionary(line.at, (size_t)(line.end - line.at)))
			break;
		end = at.at[-1] == '\n' ? (size_t)(at.at - bytes) - 1 : length;
		is_whole = is_last(line);
	}
	return end;
}

bool
kmsgform_is_whole(const char *record, size_t length)
{
	const char *feed = length > 0 ? memrchr(record, '\n', length) : NULL;
	return feed != NULL && is_last((struct cursor){feed + 1, record + length});
}

/* --- records read line by line --- */

/* Longest record to wait for; the kernel's have at most 8 KiB. */
#define HELD_MAX_BYTES ((size_t)64 << 10)

bool
kmsgform_begins(const char *line, size_t length)
{
	struct logline_span text;
	struct printer printer;
	return kmsgform_is_record(line, length, &text) &&
	       printer_parse(text.at, text.length, &printer) && printer.bus != NULL;
}

bool
kmsgform_continues(const struct strbuf *held, const char *line, size_t length)
{
	return held->length > 0 && held->length <= HELD_MAX_BYTES &&
	       kmsgform_is_dictionary(line, length) &&
	       !kmsgform_is_whole(held->bytes, held->length);
}

int
kmsgform_hold(struct strbuf *held, const char *bytes, size_t length)
{
	if (held->length > 0)
		strbuf_add(held, "\n", 1);
	strbuf_add(held, bytes, length);
	return held->is_short ? -1 : 0;
}
