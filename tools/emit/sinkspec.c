/* sinkspec - what --sink names. */
#include "sinkspec.h"

#include "num.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

static const char *
take_path(struct sink_spec *spec, const char *path)
{
	if (*path == '\0')
		return "a path is missing";
	if (spec->kind == SINK_UNIX && strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
		return "a socket's path has at most 107 bytes";
	spec->path = strdup(path);
	return spec->path != NULL ? NULL : "out of memory";
}

/* HOST:PORT, where an IPv6 address stands in brackets. */
static const char *
take_address(struct sink_spec *spec, const char *address)
{
	const char *host = address;
	const char *colon = strrchr(address, ':');
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
	if (num_parse_u64(colon + 1, 65535, &port) != NUM_OK || port == 0)
		return "not a port number";
	spec->host = strndup(host, length);
	spec->service = strdup(colon + 1);
	return spec->host != NULL && spec->service != NULL ? NULL : "out of memory";
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
	return "unknown kind of sink (known are -, file:PATH, unix:PATH, tcp:HOST:PORT)";
}

void
sink_spec_fini(struct sink_spec *spec)
{
	free(spec->path);
	free(spec->host);
	free(spec->service);
	*spec = (struct sink_spec){0};
}
