/* level - the words of the matrix: how near two devices are to each other. */
#include "level.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {
	[LEVEL_X] = "X",
	[LEVEL_PIX] = "PIX",
	[LEVEL_PXB] = "PXB",
	[LEVEL_PHB] = "PHB",
	[LEVEL_NODE] = "NODE",
	[LEVEL_SYS] = "SYS",
};

#define WORD_COUNT (sizeof words / sizeof *words)

size_t
level_take(struct text_span span, uint8_t *level)
{
	for (size_t i = LEVEL_X; i < WORD_COUNT; i++) {
		if (text_begins(span, words[i])) {
			*level = (uint8_t)i;
			return strlen(words[i]);
		}
	}
	if (!text_begins(span, "NV"))
		return 0;
	struct text_span number = text_behind(span, 2);
	size_t digits = text_digits(number);
	if (digits == 0 || digits > 2 || *number.at == '0')
		return 0;
	unsigned links = 0;
	for (size_t i = 0; i < digits; i++)
		links = links * 10 + (unsigned)(number.at[i] - '0');
	*level = (uint8_t)(LEVEL_NV + links);
	return 2 + digits;
}

bool
level_is_cells(struct text_span span)
{
	uint8_t level;
	size_t taken = level_take(span, &level);

	if (taken == 0)
		return false;
	for (; taken > 0; taken = level_take(span, &level))
		span = text_behind(span, taken);
	return span.length == 0 || text_digits(span) > 0 || text_begins(span, "N/A");
}

const char *
level_text(uint8_t level, char buffer[8])
{
	if (level > LEVEL_NONE && level < WORD_COUNT)
		return words[level];
	snprintf(buffer, 8, "NV%u", (unsigned)level - LEVEL_NV);
	return buffer;
}
