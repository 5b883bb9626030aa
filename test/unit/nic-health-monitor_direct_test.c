/* Unit tests of the supervisor's direct: the environment variables of NVSentinel's direct mode. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/direct.h"

#include "../../tools/supervisor/sinkwords.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

/* The environment, as `NAME=VALUE` with a line feed after each. HP_ stands for HEALTH_PUBLISH_. */
static const char *environment;

static const char *
get(const char *name)
{
	static char values[16][200];
	static size_t next;
	char begin[80], *value = values[next++ % CHECK_COUNT(values)];
	static const char prefix[] = "HEALTH_PUBLISH_";
	if (strncmp(name, prefix, sizeof prefix - 1) != 0)
		return NULL;
	snprintf(begin, sizeof begin, "HP_%s=", name + sizeof prefix - 1);
	const char *at = strstr(environment, begin);
	if (at == NULL)
		return NULL;
	at += strlen(begin);
	snprintf(value, sizeof values[0], "%.*s", (int)strcspn(at, "\n"), at);
	return value;
}

/* Check the words that it adds, with a blank after each. */
static void
check_words(const char *variables, const char *expected)
{
	struct direct direct;
	struct sinkwords sinkwords = {.connector = "grpc:unix:///run/a", .connector_token = "/t"};
	char words[1000] = "";

	environment = variables;
	check_row("%s", variables);
	CHECK_STR(direct_parse(&direct, get), NULL);
	CHECK_STR(direct_add(&direct, &sinkwords), NULL);
	CHECK_STR(sinkwords_finish(&sinkwords), NULL);
	for (size_t i = 0; i < sinkwords.count; i++)
		strcat(strcat(words, sinkwords.words[i]), " ");
	CHECK_STR(words, expected);
}

static void
added(void)
{
#define REST "--request-timeout 30s "
	check_words("", "--sink grpc:unix:///run/a --token-file /t ");
	check_words("HP_TARGET=\nHP_TOKEN_PATH=/x\n", "--sink grpc:unix:///run/a --token-file /t ");
	check_words("HP_TARGET=pc.nvsentinel.svc:50051\nHP_TLS_CA_FILE=/ca\nHP_TOKEN_PATH=/x\n",
		"--sink grpc:https://pc.nvsentinel.svc:50051 --ca-file /ca --token-file /x " REST);
	check_words("HP_TARGET=dns:///pc:50051\nHP_TLS_CA_FILE=/ca\nHP_TOKEN_PATH=/x\n"
		    "HP_TLS_SERVER_NAME=name\nHP_INSECURE=true\n",
		"--sink grpc:https://pc:50051 --ca-file /ca --server-name name --token-file "
		"/x " REST);
	check_words("HP_TARGET=[::1]:50051\nHP_INSECURE=1\nHP_TOKEN_PATH=/x\n",
		"--sink grpc:http://[::1]:50051 --token-file /x " REST "--clear-token ");
}

static void
refused(void)
{
	static const struct {
		const char *variables, *reason;
	} rows[] = {
		{"HP_TARGET=pc:1\nHP_TLS_CA_FILE=/ca\n",
			"HEALTH_PUBLISH_TOKEN_PATH is needed with HEALTH_PUBLISH_TARGET"},
		{"HP_TARGET=pc:1\nHP_TOKEN_PATH=/x\n",
			"HEALTH_PUBLISH_TLS_CA_FILE is needed with HEALTH_PUBLISH_TARGET, unless "
			"HEALTH_PUBLISH_INSECURE=true"},
		{"HP_TARGET=pc:1\nHP_TOKEN_PATH=/x\nHP_INSECURE=False\n",
			"HEALTH_PUBLISH_TLS_CA_FILE is needed with HEALTH_PUBLISH_TARGET, unless "
			"HEALTH_PUBLISH_INSECURE=true"},
		{"HP_TARGET=pc:1\nHP_TOKEN_PATH=/x\nHP_INSECURE=yes\n",
			"HEALTH_PUBLISH_INSECURE is neither true nor false"},
		{"HP_TARGET=unix:///a\nHP_TOKEN_PATH=/x\nHP_INSECURE=true\n",
			"HEALTH_PUBLISH_TARGET: HOST:PORT is expected"},
		{"HP_TARGET=https://pc:1\nHP_TOKEN_PATH=/x\nHP_INSECURE=true\n",
			"HEALTH_PUBLISH_TARGET: HOST:PORT is expected"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct direct direct;
		environment = rows[i].variables;
		check_row("%s", rows[i].variables);
		CHECK_STR(direct_parse(&direct, get), rows[i].reason);
	}
}

static void
unused(void)
{
	struct direct direct;
#define GOOD "HP_TARGET=pc:1\nHP_TOKEN_PATH=/x\nHP_TLS_CA_FILE=/ca\n"
	environment = GOOD;
	CHECK_STR(direct_parse(&direct, get), NULL);
	CHECK_STR(direct.unused, NULL);
	environment = GOOD "HP_QUEUE_MAX_BYTES=1\n";
	CHECK_STR(direct_parse(&direct, get), NULL);
	CHECK_STR(direct.unused, "HEALTH_PUBLISH_QUEUE_MAX_BYTES");
	/* Without a target none of them is read. */
	environment = "HP_QUEUE_MAX_BYTES=1\nHP_INSECURE=yes\n";
	CHECK_STR(direct_parse(&direct, get), NULL);
	CHECK_STR(direct.unused, NULL);
}

static const struct check_test tests[] = {
	{"the cluster's Platform Connector replaces the node's", added},
	{"a missing or invalid value is reported by its variable", refused},
	{"a variable without a meaning here is reported", unused},
};
CHECK_MAIN(tests)
