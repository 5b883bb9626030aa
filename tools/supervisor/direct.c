/* direct - parses the environment variables of NVSentinel's direct mode. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "direct.h"

#include "array.h"
#include "sinkwords.h"
#include "words.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TARGET "HEALTH_PUBLISH_TARGET"
#define CA_FILE "HEALTH_PUBLISH_TLS_CA_FILE"
#define INSECURE "HEALTH_PUBLISH_INSECURE"

/* Return the variable's value; NULL if it is unset or empty. */
static const char *
get_text(const char *(*get)(const char *name), const char *name)
{
	const char *text = get(name);
	return text != NULL && *text != '\0' ? text : NULL;
}

/* Parse a boolean like Go's strconv.ParseBool. */
static bool
parse_bool(const char *text, bool *value)
{
	static const char *const words[] = {
		"1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"};
	size_t index = words_find(words, ARRAY_COUNT(words), text);
	*value = index < ARRAY_COUNT(words) / 2;
	return index < ARRAY_COUNT(words);
}

/* Return a variable that is set but has no effect: these limit the original's queue in memory, but
 * here events wait in the spool until they are delivered. */
static const char *
find_unused(const char *(*get)(const char *name))
{
	static const char *const names[] = {"HEALTH_PUBLISH_RETRY_WINDOW",
		"HEALTH_PUBLISH_QUEUE_MAX_BATCHES", "HEALTH_PUBLISH_QUEUE_MAX_BYTES"};
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		if (get_text(get, names[i]) != NULL)
			return names[i];
	}
	return NULL;
}

/* Format the sink. With a CA file it uses TLS; without one, the user must ask for an insecure
 * connection. */
static const char *
format_sink(struct direct *direct, const char *target, bool insecure)
{
	static char reason[160];
	char address[PATH_MAX];
	if (direct->ca_file == NULL && !insecure)
		return CA_FILE " is needed with " TARGET ", unless " INSECURE "=true";
	const char *wrong = sinkwords_format_connector(target, address, sizeof address);
	static const char plain[] = "grpc:http://";
	if (wrong == NULL && strncmp(address, plain, sizeof plain - 1) != 0)
		wrong = "HOST:PORT is expected";
	if (wrong != NULL) {
		snprintf(reason, sizeof reason, TARGET ": %s", wrong);
		return reason;
	}
	int n = snprintf(direct->sink, sizeof direct->sink, "grpc:%s://%s",
		direct->ca_file != NULL ? "https" : "http", address + sizeof plain - 1);
	return (size_t)n < sizeof direct->sink ? NULL : TARGET ": too long";
}

const char *
direct_parse(struct direct *direct, const char *(*get)(const char *name))
{
	bool insecure = false;

	*direct = (struct direct){0};
	const char *target = get_text(get, TARGET);
	if (target == NULL)
		return NULL;
	const char *text = get_text(get, INSECURE);
	if (text != NULL && !parse_bool(text, &insecure))
		return INSECURE " is neither true nor false";
	direct->token_file = get_text(get, "HEALTH_PUBLISH_TOKEN_PATH");
	if (direct->token_file == NULL)
		return "HEALTH_PUBLISH_TOKEN_PATH is needed with " TARGET;
	direct->ca_file = get_text(get, CA_FILE);
	direct->server_name = get_text(get, "HEALTH_PUBLISH_TLS_SERVER_NAME");
	direct->unused = find_unused(get);
	return format_sink(direct, target, insecure);
}

const char *
direct_add(const struct direct *direct, struct sinkwords *sinkwords)
{
	/* The timeout is the original's: the server answers after it has stored the events. */
	const char *const pairs[][2] = {
		{"--ca-file", direct->ca_file},
		{"--server-name", direct->server_name},
		{"--token-file", direct->token_file},
		{"--request-timeout", "30s"},
	};
	if (*direct->sink == '\0')
		return NULL;
	*sinkwords->connector = '\0';
	sinkwords->connector_token = NULL;
	const char *reason = sinkwords_add_sink(sinkwords, direct->sink);
	for (size_t i = 0; i < ARRAY_COUNT(pairs) && reason == NULL; i++) {
		if (pairs[i][1] != NULL)
			reason = sinkwords_add(sinkwords, pairs[i][0], pairs[i][1]);
	}
	if (reason == NULL && direct->ca_file == NULL)
		reason = sinkwords_add(sinkwords, "--clear-token", NULL);
	return reason;
}
