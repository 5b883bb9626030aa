/* sinkkinds - parses the kind of a sink. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sinkkinds.h"

#include "strbuf.h"

#include <stddef.h>
#include <string.h>

/* Most schemes of one kind. */
#define SCHEMES_MAX 3

static const struct {
	/* What a sink's text begins with; a scheme without a colon is the whole text. */
	const char *schemes[SCHEMES_MAX];
	const char *usage; /* for the message about an unknown kind */
} kinds[SINKKIND_N] = {
	[SINKKIND_STDOUT] = {{"-"}, "-"},
	[SINKKIND_FILE] = {{"file:"}, "file:PATH"},
	[SINKKIND_JOURNAL] = {{"journal", "journal:"}, "journal"},
	[SINKKIND_UNIX] = {{"unix:"}, "unix:PATH"},
	[SINKKIND_TCP] = {{"tcp:"}, "tcp:HOST:PORT"},
	[SINKKIND_GRPC] = {{"grpc:"}, "grpc:URL"},
	[SINKKIND_ALERTMANAGER] = {{"alertmanager:"}, "alertmanager:URL"},
	[SINKKIND_NATS] = {{"nats:"}, "nats:nats://HOST/STREAM"},
	[SINKKIND_POSTGRES] = {{"postgresql:"}, "postgresql://USER@HOST/DATABASE"},
	[SINKKIND_WEBHOOK] = {{"http:", "https:", "webhook:"},
		"http://..., https://..., webhook:@FILE"},
	[SINKKIND_EXEC] = {{"exec:"}, "exec:PROGRAM"},
};

/* Return the text after the scheme, or NULL if `text` begins with another. */
static const char *
rest_behind(const char *text, const char *scheme)
{
	size_t length = strlen(scheme);
	bool is_whole = scheme[length - 1] != ':';
	if (strncmp(text, scheme, length) != 0 || (is_whole && text[length] != '\0'))
		return NULL;
	return text + length;
}

static const char *
explain_unknown(void)
{
	static char reason[512];
	struct strbuf text;
	strbuf_init(&text, reason, sizeof reason);
	strbuf_addf(&text, "unknown kind of sink (known: ");
	for (enum sinkkind kind = 0; kind < SINKKIND_N; kind++)
		strbuf_addf(&text, "%s%s", kinds[kind].usage, kind + 1 < SINKKIND_N ? ", " : ")");
	return reason;
}

const char *
sinkkinds_parse(const char *text, enum sinkkind *out, const char **rest)
{
	for (enum sinkkind kind = 0; kind < SINKKIND_N; kind++) {
		const char *const *schemes = kinds[kind].schemes;
		for (size_t i = 0; i < SCHEMES_MAX && schemes[i] != NULL; i++) {
			*rest = rest_behind(text, schemes[i]);
			*out = kind;
			if (*rest != NULL)
				return NULL;
		}
	}
	return explain_unknown();
}
