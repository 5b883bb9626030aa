/* promtext - writes parts of the Prometheus text format. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "promtext.h"

#include "text.h"

#include <string.h>

const char *const promtext_types[METRICS_TYPE_N] = {
	[METRICS_COUNTER] = "counter",
	[METRICS_GAUGE] = "gauge",
	[METRICS_HISTOGRAM] = "histogram",
};

/* Backslash and line feed are escaped everywhere, the quote only inside quotes. */
static void
add_escaped(struct strbuf *text, const char *value, const char *special)
{
	while (*value != '\0') {
		size_t plain = strcspn(value, special);
		strbuf_add(text, value, plain);
		value += plain;
		if (*value == '\0')
			break;
		const char escaped[2] = {'\\', (char)(*value == '\n' ? 'n' : *value)};
		strbuf_add(text, escaped, sizeof escaped);
		value++;
	}
}

void
promtext_begin_labels(struct strbuf *text)
{
	strbuf_add(text, "{", 1);
}

void
promtext_add_label(struct strbuf *text, const char *key, const char *value)
{
	strbuf_add(text, key, strlen(key));
	strbuf_add(text, "=\"", 2);
	add_escaped(text, text_or_empty(value), "\\\"\n");
	strbuf_add(text, "\",", 2);
}

void
promtext_end_labels(struct strbuf *text)
{
	if (text->is_short)
		return;
	bool has_none = text->bytes[text->length - 1] == '{';
	strbuf_cut(text, text->length - 1);
	if (!has_none)
		strbuf_add(text, "}", 1);
}

void
promtext_add_help(struct strbuf *text, const char *help)
{
	add_escaped(text, help, "\\\n");
}
