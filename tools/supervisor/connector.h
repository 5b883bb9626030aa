/* connector - NVSentinel's Platform Connector, as the original names it on its command line. Pure. */
#ifndef SUPERVISOR_CONNECTOR_H
#define SUPERVISOR_CONNECTOR_H

#include <stddef.h>

/* Where it listens on a node. */
#define CONNECTOR_DEFAULT_TARGET "unix:///var/run/nvsentinel.sock"

/* Writes emit's name for the sink that a gRPC target means: unix:///PATH, unix:PATH, HOST:PORT, dns:///HOST:PORT, http://HOST:PORT and
 * https://HOST:PORT. Whether host, port and path will do, emit says. Returns NULL, or why it is no such target. */
const char *connector_format_sink(const char *target, char *sink, size_t size);

#endif
