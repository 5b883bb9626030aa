/* confsinks - parses the configuration's list of sinks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confsinks.h"

#include "array.h"
#include "choice.h"
#include "hostport.h"
#include "sinkkinds.h"
#include "text.h"
#include "webaddress.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *key, *option;
} options[CONF_SINK_OPTION_N] = {
	[CONF_SINK_CA] = {"caFile", "--ca-file"},
	[CONF_SINK_CERT] = {"certFile", "--cert-file"},
	[CONF_SINK_KEY] = {"keyFile", "--key-file"},
	[CONF_SINK_TOKEN] = {"tokenFile", "--token-file"},
	[CONF_SINK_SERVER] = {"serverName", "--server-name"},
	[CONF_SINK_SEVERITY] = {"minSeverity", "--min-severity"},
	[CONF_SINK_CODES] = {"onlyCodes", "--only-codes"},
	[CONF_SINK_ROLES] = {"onlyRoles", "--only-roles"},
};

const char *
confsinks_key(enum conf_sink_option option)
{
	return options[option].key;
}

const char *
confsinks_option(enum conf_sink_option option)
{
	return options[option].option;
}

/* Return NULL, or the reason to reject a sink. Reject secrets in it: many users may read the file,
 * and --check-config prints it. */
static const char *
check_spec(const char *text)
{
	enum sinkkind kind;
	const char *rest;
	if (*text == '\0')
		return "a sink is missing";
	const char *reason = sinkkinds_parse(text, &kind, &rest);
	if (reason == NULL && text[webaddress_shown(text)] != '\0')
		reason = "the address may contain a secret: put it in a file (webhook:@FILE), or "
			 "the token in tokenFile";
	return reason;
}

static void
accept_spec(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf_sink *sink = target;
	const char *text = confdoc_text(doc, node);
	const char *reason = text != NULL ? check_spec(text) : NULL;
	if (reason != NULL)
		confdoc_problem(doc, node, "%s", reason);
	else if (text != NULL)
		confdoc_copy(doc, text, &sink->spec);
}

static void
accept_text(struct confdoc *doc, yaml_node_t *node, char **out)
{
	const char *text = confdoc_text(doc, node);
	if (text != NULL && *text == '\0')
		confdoc_problem(doc, node, "it is empty");
	else if (text != NULL)
		confdoc_copy(doc, text, out);
}

static void
append_item(struct confdoc *doc, yaml_node_t *item, void *target)
{
	char **list = target, *longer;
	const char *text = confdoc_text(doc, item);
	if (text == NULL)
		return;
	size_t length = *list != NULL ? strlen(*list) : 0;
	longer = realloc(*list, length + strlen(text) + 2);
	if (longer == NULL) {
		confdoc_no_memory(doc);
		return;
	}
	if (length > 0)
		longer[length++] = ',';
	strcpy(longer + length, text);
	*list = longer;
}

/* Accept a YAML list or a comma-separated text. `check` returns NULL or the reason to reject it. */
static void
accept_list(
	struct confdoc *doc, yaml_node_t *node, const char *(*check)(const char *list), char **out)
{
	unsigned problems = doc->problems;
	if (node->type == YAML_SEQUENCE_NODE)
		confdoc_sequence(doc, node, append_item, out);
	else
		accept_text(doc, node, out);
	/* Do not report a second problem of the same value. */
	if (doc->problems > problems || doc->starved)
		return;
	const char *reason = check(text_or_empty(*out));
	if (reason != NULL)
		confdoc_problem(doc, node, "%s", reason);
}

#define ACCEPT_FILE(name, option) \
	static void name(struct confdoc *doc, yaml_node_t *node, void *target) \
	{ \
		accept_text(doc, node, &((struct conf_sink *)target)->values[option]); \
	}
ACCEPT_FILE(accept_ca, CONF_SINK_CA)
ACCEPT_FILE(accept_cert, CONF_SINK_CERT)
ACCEPT_FILE(accept_key, CONF_SINK_KEY)
ACCEPT_FILE(accept_token, CONF_SINK_TOKEN)
#undef ACCEPT_FILE

static void
accept_server(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf_sink *sink = target;
	const char *text = confdoc_text(doc, node);
	if (text != NULL && !hostport_is_host(text))
		confdoc_problem(doc, node, HOSTPORT_NO_HOST);
	else if (text != NULL)
		confdoc_copy(doc, text, &sink->values[CONF_SINK_SERVER]);
}

static void
accept_severity(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf_sink *sink = target;
	size_t severity;
	if (confdoc_word(doc, node, "severity", choice_severities, CHOICE_SEVERITY_N, &severity))
		confdoc_copy(doc, choice_severities[severity], &sink->values[CONF_SINK_SEVERITY]);
}

static void
accept_codes(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf_sink *sink = target;
	accept_list(doc, node, choice_check_codes, &sink->values[CONF_SINK_CODES]);
}

static void
accept_roles(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf_sink *sink = target;
	accept_list(doc, node, choice_check_roles, &sink->values[CONF_SINK_ROLES]);
}

static const struct confdoc_key keys[] = {
	{"sink", .accept = accept_spec},
	{"caFile", .accept = accept_ca},
	{"certFile", .accept = accept_cert},
	{"keyFile", .accept = accept_key},
	{"tokenFile", .accept = accept_token},
	{"serverName", .accept = accept_server},
	{"clearToken", CONFDOC_BOOL, .target = offsetof(struct conf_sink, clear_token)},
	{"minSeverity", .accept = accept_severity},
	{"onlyCodes", .accept = accept_codes},
	{"onlyRoles", .accept = accept_roles},
};

static void
fini_sink(struct conf_sink *sink)
{
	free(sink->spec);
	for (enum conf_sink_option option = 0; option < CONF_SINK_OPTION_N; option++)
		free(sink->values[option]);
	*sink = (struct conf_sink){.spec = NULL};
}

/* Reject settings that this kind of sink does not support. */
static void
check_together(struct confdoc *doc, const yaml_node_t *node, const struct conf_sink *sink)
{
	enum sinkkind kind;
	const char *rest;
	if (sink->spec != NULL && sink->values[CONF_SINK_ROLES] != NULL &&
		sinkkinds_parse(sink->spec, &kind, &rest) == NULL && kind == SINKKIND_ALERTMANAGER)
		confdoc_problem(doc, node, "onlyRoles " CHOICE_NOT_OF_ALERTS);
}

/* A plain text is a sink without settings. */
static void
accept_sink(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf_sinks *sinks = target;
	struct conf_sink sink = {.spec = NULL};
	if (node->type == YAML_SCALAR_NODE)
		accept_spec(doc, node, &sink);
	else if (confdoc_find(doc, node, "sink") == NULL)
		confdoc_problem(doc, node, "the sink has no key \"sink\"");
	else
		confdoc_mapping(doc, node, keys, ARRAY_COUNT(keys), &sink);
	check_together(doc, node, &sink);
	if (sinks->count == SINKS_MAX)
		confdoc_problem(doc, node, "more than %d sinks", SINKS_MAX);
	if (sink.spec != NULL && sinks->count < SINKS_MAX)
		sinks->items[sinks->count++] = sink;
	else
		fini_sink(&sink);
}

void
confsinks_parse(struct confdoc *doc, yaml_node_t *node, struct conf_sinks *sinks)
{
	confdoc_sequence(doc, node, accept_sink, sinks);
}

bool
confsinks_are_same(const struct conf_sinks *left, const struct conf_sinks *right)
{
	if (left->count != right->count)
		return false;
	for (size_t i = 0; i < left->count; i++) {
		const struct conf_sink *one = &left->items[i], *other = &right->items[i];
		if (!text_is_same(one->spec, other->spec) || one->clear_token != other->clear_token)
			return false;
		for (enum conf_sink_option k = 0; k < CONF_SINK_OPTION_N; k++) {
			if (!text_is_same(one->values[k], other->values[k]))
				return false;
		}
	}
	return true;
}

void
confsinks_fini(struct conf_sinks *sinks)
{
	for (size_t i = 0; i < sinks->count; i++)
		fini_sink(&sinks->items[i]);
	sinks->count = 0;
}
