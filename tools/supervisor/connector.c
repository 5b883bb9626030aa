/* connector - NVSentinel's Platform Connector, as the original names it on its command line. */
#include "connector.h"

#include <stdio.h>
#include <string.h>

/* The schemes of gRPC's targets (its document naming.md), the longer ones of one name first, and how emit's names begin. */
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
connector_format_sink(const char *target, char *sink, size_t size)
{
	size_t i = 0, length;
	if (*target == '\0')
		return "a target is missing, such as " CONNECTOR_DEFAULT_TARGET " or HOST:PORT";
	/* To gRPC it would be the name of a host. */
	if (*target == '/')
		return "the path of a socket is written unix:///PATH";
	/* The last scheme is what every text begins with. */
	while (length = strlen(schemes[i].scheme), strncmp(target, schemes[i].scheme, length) != 0)
		i++;
	int n = snprintf(sink, size, "%s%s", schemes[i].sink, target + length);
	return n >= 0 && (size_t)n < size ? NULL : "too long";
}
