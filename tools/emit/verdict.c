/* verdict - the words for what a server's answer means. */
#include "verdict.h"

#include "utf8.h"

#include <stdbool.h>
#include <string.h>

static bool
is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

void
verdict_explain(
	char reason[VERDICT_REASON_SIZE], const char *what, const char *detail, size_t length)
{
	while (length > 0 && is_space(*detail)) {
		detail++;
		length--;
	}
	while (length > 0 && is_space(detail[length - 1]))
		length--;

	size_t used = utf8_sanitize(what, strlen(what), reason, VERDICT_REASON_SIZE);
	if (length == 0)
		return;
	used += utf8_sanitize(": ", 2, reason + used, VERDICT_REASON_SIZE - used);
	utf8_sanitize(detail, length, reason + used, VERDICT_REASON_SIZE - used);
}
