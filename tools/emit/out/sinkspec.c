/* sinkspec - parses --sink. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sinkspec.h"

#include "hash.h"
#include "hostport.h"
#include "opt.h"
#include "sinkkinds.h"
#include "utf8.h"
#include "webaddress.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

const char *
sink_spec_parse_path(struct sink_spec *spec, const char *path)
{
	if (*path == '\0')
		return "a path is missing";
	spec->path = strdup(path);
	return spec->path != NULL ? NULL : opt_no_memory;
}

const char *
sink_spec_parse_socket(struct sink_spec *spec, const char *path)
{
	if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
		return "a socket's path has at most 107 bytes";
	return sink_spec_parse_path(spec, path);
}

const char *
sink_spec_parse_host_and_port(struct sink_spec *spec, const char *address)
{
	return hostport_parse(address, strlen(address), &spec->host, &spec->service);
}

/* --- URLs --- */

/* Return true if all characters are allowed in a URL unescaped. libcurl checks the rest. */
static bool
is_plain(const char *url)
{
	for (; *url != '\0'; url++) {
		if (*url <= ' ' || *url > '~' || strchr("\"<>\\^`{|}#", *url) != NULL)
			return false;
	}
	return true;
}

const char *
sink_spec_parse_url(struct sink_spec *spec, const char *url, const char *path, bool needs_port)
{
	const char *rest = webaddress_rest(url);
	if (rest == NULL)
		return "http:// or https:// is expected";
	if (!is_plain(url))
		return "a URL cannot contain such a character";
	spec->has_tls = strncmp(url, "https:", 6) == 0;
	size_t authority = strcspn(rest, "/?");
	if (memchr(rest, '@', authority) != NULL)
		return webaddress_password;
	const char *closing = memchr(rest, ']', authority);
	const char *behind = closing != NULL ? closing : rest;
	bool has_port = memchr(behind, ':', (size_t)(rest + authority - behind)) != NULL;
	if (authority == 0)
		return "a host is missing";
	if (has_port || needs_port) {
		const char *reason = hostport_parse(rest, authority, &spec->host, &spec->service);
		if (reason != NULL)
			return reason;
	} else {
		bool is_bracketed = *rest == '[' && closing != NULL;
		spec->host = is_bracketed ? strndup(rest + 1, (size_t)(closing - rest - 1))
					  : strndup(rest, authority);
		spec->service = strdup(spec->has_tls ? "443" : "80");
		if (spec->host == NULL || spec->service == NULL)
			return opt_no_memory;
	}
	size_t length = strlen(url);
	if (*path != '\0' && url[length - 1] == '/')
		length--;
	return asprintf(&spec->url, "%.*s%s", (int)length, url, path) >= 0 ? NULL : opt_no_memory;
}

/* Build the name for the spool, metrics and messages: the public part of the address, and a hash
 * that tells two addresses of one host apart. An address without a hidden part is its own name. */
static const char *
name_address(struct sink_spec *spec)
{
	size_t shown = webaddress_shown(spec->address);
	int n = spec->address[shown] == '\0'
			? asprintf(&spec->own_name, "%s", spec->address)
			: asprintf(&spec->own_name, "%.*s/...#%016" PRIx64, (int)shown,
				  spec->address,
				  hash_bytes(HASH_START, spec->address, strlen(spec->address)));
	if (n < 0)
		spec->own_name = NULL;
	return n >= 0 ? NULL : opt_no_memory;
}

const char *
sink_spec_set_address(struct sink_spec *spec, const char *address)
{
	const char *reason = sink_spec_parse_url(spec, address, "", false);
	spec->address = strdup(address);
	if (reason == NULL && spec->address == NULL)
		reason = opt_no_memory;
	if (reason == NULL)
		reason = name_address(spec);
	/* The address in a file may change, and the sink remains the same. */
	if (reason == NULL && spec->address_file == NULL)
		spec->name = spec->own_name;
	return reason;
}

bool
sink_spec_is_named(const struct sink_spec *spec, const char *name)
{
	return strcmp(name, spec->name) == 0 ||
	       (spec->address != NULL &&
		       (strcmp(name, spec->address) == 0 || strcmp(name, spec->own_name) == 0));
}

bool
sink_spec_takes_requests(const struct sink_spec *spec)
{
	return spec->kind->request != NULL;
}

const char *
sink_spec_check(const struct sink_spec *spec)
{
	bool takes_token = sink_spec_takes_requests(spec) && !spec->kind->is_program;
	if (spec->files.token != NULL && !takes_token)
		return "a token is for grpc:, alertmanager:, nats:, postgresql: and http sinks";
	if (spec->choice.roles != NULL && spec->kind->needs_spool)
		return "--only-roles " CHOICE_NOT_OF_ALERTS;
	return trust_check(&spec->files, spec->server_name, spec->clear_token, spec->has_tls,
		spec->path != NULL);
}

void
sink_spec_label(const struct sink_spec *spec, char label[SINK_LABEL_SIZE])
{
	static const char hidden[] = "/...";
	/* A sink with a hidden part is named after its file, or its host. */
	const char *text =
		spec->address_file == NULL && spec->address != NULL ? spec->address : spec->text;
	size_t length = strlen(text);
	size_t shown = spec->kind->hides_address ? webaddress_shown(text) : length;
	bool ends_bare =
		spec->kind->hides_address && shown == length && shown > 0 && text[shown - 1] == '/';
	shown -= ends_bare;
	length -= ends_bare;
	size_t used = utf8_sanitize(text, shown, label, SINK_LABEL_SIZE - sizeof hidden + 1);
	if (shown < length)
		memcpy(label + used, hidden, sizeof hidden);
}

void
sink_spec_fini(struct sink_spec *spec)
{
	free(spec->path);
	free(spec->host);
	free(spec->service);
	free(spec->url);
	free(spec->stream);
	free(spec->fabric);
	free(spec->database);
	free(spec->user);
	free(spec->address);
	free(spec->own_name);
	if (spec->starter > 0)
		close(spec->starter);
	*spec = (struct sink_spec){0};
}

/* --- all kinds of sinks --- */

static const struct sink_kind *const kinds[SINKKIND_N] = {
	[SINKKIND_STDOUT] = &sink_stdout,
	[SINKKIND_FILE] = &sink_file,
	[SINKKIND_JOURNAL] = &sink_journal,
	[SINKKIND_UNIX] = &sink_unix,
	[SINKKIND_TCP] = &sink_tcp,
	[SINKKIND_GRPC] = &sink_grpc,
	[SINKKIND_ALERTMANAGER] = &sink_alertmanager,
	[SINKKIND_NATS] = &sink_nats,
	[SINKKIND_POSTGRES] = &sink_postgres,
	[SINKKIND_WEBHOOK] = &sink_webhook,
	[SINKKIND_EXEC] = &sink_exec,
};

const char *
sink_spec_parse(struct sink_spec *spec, const char *text)
{
	enum sinkkind kind;
	const char *rest;
	*spec = (struct sink_spec){.kind = &sink_stdout, .text = text, .name = text};
	const char *reason = sinkkinds_parse(text, &kind, &rest);
	if (reason != NULL)
		return reason;
	spec->kind = kinds[kind];
	return spec->kind->parse(spec, rest);
}
