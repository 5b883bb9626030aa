/* kmsgform - the records of /dev/kmsg: `priority,sequence,microseconds,flag[,more];text`. */
#include "kmsgform.h"

#include "cursor.h"

/* Three bits of level below a facility of eight, struct printk_info in kernel/printk/printk_ringbuffer.h. */
#define PRIORITY_MAX 2047

/* The last microsecond whose nanoseconds fit 64 bits. */
#define MICROS_MAX (UINT64_MAX / 1000)

static bool
is_visible(const struct cursor *line)
{
	return !cursor_at_end(line) && *line->at > ' ' && *line->at <= '~';
}

/* Fields that later kernels may add, Documentation/ABI/testing/dev-kmsg: any text without blanks. */
static bool
take_more(struct cursor *line)
{
	while (is_visible(line) && *line->at != ';')
		line->at++;
	return cursor_take_char(line, ';');
}

static bool
take_prefix(struct cursor *line, struct logline *out, char *flag)
{
	uint64_t priority, micros;

	if (!cursor_take_number(line, PRIORITY_MAX, &priority) || !cursor_take_char(line, ',') ||
		!cursor_take_number(line, UINT64_MAX, &out->seq) || !cursor_take_char(line, ',') ||
		!cursor_take_number(line, MICROS_MAX, &micros) || !cursor_take_char(line, ',') ||
		!is_visible(line) || *line->at == ',' || *line->at == ';')
		return false;
	*flag = *line->at++;
	out->time_ns = micros * 1000;
	return cursor_take_char(line, ';') || (cursor_take_char(line, ',') && take_more(line));
}

static int
hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* `\xNN` becomes a byte; anything else stays. Returns the new length, which is not longer. */
static size_t
unescape(const char *text, size_t length, char *out)
{
	size_t used = 0;
	for (size_t i = 0; i < length; i++) {
		bool escape = length - i >= 4 && text[i] == '\\' && text[i + 1] == 'x' &&
			      hex_digit(text[i + 2]) >= 0 && hex_digit(text[i + 3]) >= 0;
		if (!escape) {
			out[used++] = text[i];
			continue;
		}
		out[used++] = (char)(16 * hex_digit(text[i + 2]) + hex_digit(text[i + 3]));
		i += 3;
	}
	return used;
}

int
kmsgform_parse(
	const char *line, size_t length, struct lineform_scratch *scratch, struct logline *out)
{
	struct cursor at = {line, line + length};
	char flag;

	*out = (struct logline){.kind = LOGLINE_BAD, .reason = "not a record of /dev/kmsg"};
	struct logline record = {.clock = LOGLINE_BOOT, .has_seq = true, .of_kmsg = true};
	if (!take_prefix(&at, &record, &flag))
		return 0;

	record.text = at.at;
	record.length = (size_t)(at.end - at.at);
	record.kind = flag == '+' ? LOGLINE_OTHER : LOGLINE_MESSAGE;
	if (record.length > 0 && memchr(record.text, '\\', record.length) != NULL) {
		char *bytes = lineform_scratch_room(scratch, record.length);
		if (bytes == NULL)
			return -1;
		record.length = unescape(record.text, record.length, bytes);
		record.text = bytes;
	}
	*out = record;
	return 0;
}

bool
kmsgform_is_dictionary(const char *line, size_t length)
{
	struct cursor at = {line, line + length};
	if (!cursor_take_char(&at, ' '))
		return false;
	const char *key = at.at;
	while (cursor_is_digit(&at) || cursor_is(&at, '_') ||
		(!cursor_at_end(&at) && ((*at.at | 0x20) >= 'a' && (*at.at | 0x20) <= 'z')))
		at.at++;
	return at.at > key && cursor_is(&at, '=');
}
