/* sinkwords - makes emit's options about sinks from the service's options. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sinkwords.h"

#include <stdio.h>
#include <string.h>

/* The schemes of gRPC targets (gRPC's naming.md), longer ones before their prefixes, and the
 * beginning of emit's names. */
static const struct {
	const char *scheme, *sink;
} schemes[] = {
	{"unix://", "grpc:unix://"},
	{"unix:", "grpc:unix://"},
	{"http://", "grpc:http://"},
	{"https://", "grpc:https://"},
	{"dns:///", "grpc:http://"},
	{"dns:", "grpc:http://"},
	{"", "grpc:http://"},
};

const char *
sinkwords_format_connector(const char *target, char *sink, size_t size)
{
	size_t i = 0, length;
	if (*target == '\0')
		return "a target is missing, such as " CONNECTOR_DEFAULT_TARGET " or HOST:PORT";
	/* gRPC would take it for a host name. */
	if (*target == '/')
		return "the path of a socket is written unix:///PATH";
	/* The loop ends: every text begins with the last scheme, "". */
	while (length = strlen(schemes[i].scheme), strncmp(target, schemes[i].scheme, length) != 0)
		i++;
	int n = snprintf(sink, size, "%s%s", schemes[i].sink, target + length);
	return n >= 0 && (size_t)n < size ? NULL : "too long";
}

const char *
sinkwords_add(struct sinkwords *sinkwords, const char *option, const char *value)
{
	if (sinkwords->count + 2 > SINKWORDS_MAX)
		return "too many options of sinks";
	sinkwords->words[sinkwords->count++] = option;
	if (value != NULL)
		sinkwords->words[sinkwords->count++] = value;
	return NULL;
}

const char *
sinkwords_add_sink(struct sinkwords *sinkwords, const char *spec)
{
	if (sinkwords->sinks++ == SINKS_MAX)
		return "too many sinks";
	return sinkwords_add(sinkwords, "--sink", spec);
}

const char *
sinkwords_add_secret(struct sinkwords *sinkwords, const char **variable)
{
	static const char scheme[] = "webhook:$";
	if (sinkwords->sinks >= SINKS_MAX)
		return "too many sinks";
	char *word = sinkwords->elsewhere[sinkwords->sinks];
	snprintf(word, SINKWORDS_ELSEWHERE_SIZE, "%sNHM_WEBHOOK_%u", scheme,
		(unsigned)sinkwords->sinks % 100 + 1);
	*variable = word + sizeof scheme - 1;
	return sinkwords_add_sink(sinkwords, word);
}

const char *
sinkwords_set_connector(struct sinkwords *sinkwords, const char *target)
{
	return sinkwords_format_connector(
		target, sinkwords->connector, sizeof sinkwords->connector);
}

const char *
sinkwords_finish(struct sinkwords *sinkwords)
{
	const char *reason = NULL;
	if (*sinkwords->connector == '\0' && sinkwords->sinks == 0)
		reason = sinkwords_set_connector(sinkwords, CONNECTOR_DEFAULT_TARGET);
	if (*sinkwords->connector == '\0')
		return sinkwords->connector_token == NULL ? NULL
							  : "--platform-connector-token-path needs "
							    "--platform-connector-socket";
	if (reason == NULL)
		reason = sinkwords_add_sink(sinkwords, sinkwords->connector);
	if (reason == NULL && sinkwords->connector_token != NULL)
		reason = sinkwords_add(sinkwords, "--token-file", sinkwords->connector_token);
	return reason;
}
