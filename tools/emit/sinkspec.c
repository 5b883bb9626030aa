/* sinkspec - what --sink names. */
#include "sinkspec.h"

#include "alerts.h"
#include "grpc.h"
#include "num.h"
#include "utf8.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

static const char *
take_path(struct sink_spec *spec, const char *path)
{
	if (*path == '\0')
		return "a path is missing";
	if (spec->kind != SINK_FILE && strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
		return "a socket's path has at most 107 bytes";
	spec->path = strdup(path);
	return spec->path != NULL ? NULL : "out of memory";
}

/* HOST:PORT in the `bytes` at `address`, where an IPv6 address stands in brackets. */
static const char *
take_host_and_port(struct sink_spec *spec, const char *address, size_t bytes)
{
	const char *host = address;
	const char *colon = memrchr(address, ':', bytes);
	if (colon == NULL)
		return "HOST:PORT is expected";
	size_t length = (size_t)(colon - address);
	if (*host == '[') {
		if (length < 3 || colon[-1] != ']')
			return "a bracket is not closed";
		host++;
		length -= 2;
	} else if (memchr(host, ':', length) != NULL) {
		return "an IPv6 address stands in brackets";
	}

	uint64_t port;
	if (length == 0)
		return "a host is missing";
	spec->host = strndup(host, length);
	spec->service = strndup(colon + 1, (size_t)(address + bytes - colon - 1));
	if (spec->host == NULL || spec->service == NULL)
		return "out of memory";
	if (num_parse_u64(spec->service, 65535, &port) != NUM_OK || port == 0)
		return "not a port number";
	return NULL;
}

static const char *
take_address(struct sink_spec *spec, const char *address)
{
	return take_host_and_port(spec, address, strlen(address));
}

/* --- URLs --- */

/* The part behind http:// or https://; NULL when that is not what it begins with. */
static const char *
behind_scheme(const char *url)
{
	static const char *const schemes[] = {"http://", "https://"};
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		if (strncmp(url, schemes[i], strlen(schemes[i])) == 0)
			return url + strlen(schemes[i]);
	}
	return NULL;
}

/* What a URL may be made of: what else there is, is written with %. libcurl looks at the rest. */
static bool
is_plain(const char *url)
{
	for (; *url != '\0'; url++) {
		if (*url <= ' ' || *url > '~' || strchr("\"<>\\^`{|}#", *url) != NULL)
			return false;
	}
	return true;
}

/* Checks the address of a URL, and sets spec->url to it with `path` behind it. The port may be missing, unless a gRPC server is meant, which has no usual one. */
static const char *
take_url(struct sink_spec *spec, const char *url, const char *path)
{
	const char *rest = behind_scheme(url);
	if (rest == NULL)
		return "http:// or https:// is expected";
	if (!is_plain(url))
		return "a URL has no such characters";
	size_t authority = strcspn(rest, "/?");
	if (memchr(rest, '@', authority) != NULL)
		return "a password does not belong on the command line: use --token-file";
	const char *closing = memchr(rest, ']', authority);
	const char *behind = closing != NULL ? closing : rest;
	bool has_port = memchr(behind, ':', (size_t)(rest + authority - behind)) != NULL;
	if (authority == 0)
		return "a host is missing";
	if (has_port || spec->kind == SINK_GRPC) {
		const char *reason = take_host_and_port(spec, rest, authority);
		if (reason != NULL)
			return reason;
	}
	size_t length = strlen(url);
	if (*path != '\0' && url[length - 1] == '/')
		length--;
	return asprintf(&spec->url, "%.*s%s", (int)length, url, path) >= 0 ? NULL : "out of memory";
}

static const char *
take_grpc(struct sink_spec *spec, const char *rest)
{
	static const char unix_scheme[] = "unix://";
	if (strncmp(rest, unix_scheme, sizeof unix_scheme - 1) == 0) {
		spec->url = strdup("http://localhost" GRPC_METHOD_PATH);
		return spec->url != NULL ? take_path(spec, rest + sizeof unix_scheme - 1)
					 : "out of memory";
	}
	const char *behind = behind_scheme(rest);
	if (behind == NULL)
		return "unix://PATH, http://HOST:PORT or https://HOST:PORT is expected";
	const char *slash = strpbrk(behind, "/?");
	if (slash != NULL && strcmp(slash, "/") != 0)
		return "the path of a gRPC server is not for us to choose";
	return take_url(spec, rest, GRPC_METHOD_PATH);
}

static const char *
take_alertmanager(struct sink_spec *spec, const char *rest)
{
	if (strchr(rest, '?') != NULL)
		return "the query of an Alertmanager is not for us to choose";
	return take_url(spec, rest, ALERTS_PATH);
}

static const char *
take_webhook(struct sink_spec *spec, const char *rest)
{
	(void)rest;
	return take_url(spec, spec->text, "");
}

const char *
sink_spec_parse(struct sink_spec *spec, const char *text)
{
	static const struct {
		const char *scheme;
		enum sink_kind kind;
		const char *(*take)(struct sink_spec *spec, const char *rest);
	} schemes[] = {
		{"file:", SINK_FILE, take_path},
		{"unix:", SINK_UNIX, take_path},
		{"tcp:", SINK_TCP, take_address},
		{"grpc:", SINK_GRPC, take_grpc},
		{"alertmanager:", SINK_ALERTMANAGER, take_alertmanager},
		{"http:", SINK_WEBHOOK, take_webhook},
		{"https:", SINK_WEBHOOK, take_webhook},
	};

	*spec = (struct sink_spec){.kind = SINK_STDOUT, .text = text};
	if (strcmp(text, "-") == 0)
		return NULL;
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		size_t length = strlen(schemes[i].scheme);
		if (strncmp(text, schemes[i].scheme, length) != 0)
			continue;
		spec->kind = schemes[i].kind;
		return schemes[i].take(spec, text + length);
	}
	return "unknown kind of sink (known are -, file:PATH, unix:PATH, tcp:HOST:PORT, grpc:URL, alertmanager:URL, http://..., https://...)";
}

bool
sink_spec_takes_requests(const struct sink_spec *spec)
{
	return spec->kind >= SINK_GRPC;
}

const char *
sink_spec_check(const struct sink_spec *spec)
{
	bool has_tls = spec->url != NULL && strncmp(spec->url, "https:", 6) == 0;
	if ((spec->ca_file != NULL || spec->cert_file != NULL || spec->key_file != NULL) &&
		!has_tls)
		return "certificates and keys are for https://";
	if ((spec->cert_file == NULL) != (spec->key_file == NULL))
		return "--cert-file and --key-file go together";
	if (spec->token_file != NULL && !sink_spec_takes_requests(spec))
		return "a token is for grpc:, alertmanager: and http sinks";
	if (spec->token_file != NULL && !has_tls && spec->path == NULL)
		return "a token is not sent without TLS: use https://";
	return NULL;
}

void
sink_spec_label(const struct sink_spec *spec, char label[SINK_LABEL_SIZE])
{
	static const char hidden[] = "/...";
	size_t length = strlen(spec->text), shown = length;
	if (spec->kind == SINK_WEBHOOK) {
		const char *rest = behind_scheme(spec->text);
		shown = (size_t)(rest - spec->text) + strcspn(rest, "/?");
	}
	size_t used = utf8_sanitize(spec->text, shown, label, SINK_LABEL_SIZE - sizeof hidden + 1);
	if (shown < length && strcmp(spec->text + shown, "/") != 0)
		memcpy(label + used, hidden, sizeof hidden);
}

void
sink_spec_fini(struct sink_spec *spec)
{
	free(spec->path);
	free(spec->host);
	free(spec->service);
	free(spec->url);
	*spec = (struct sink_spec){0};
}
