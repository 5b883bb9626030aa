/* wire - event records as the HealthEvents message of NVSentinel's Platform Connector: health_event.proto, SPEC section 6. Pure. */
#ifndef EMIT_WIRE_H
#define EMIT_WIRE_H

#include "batch.h"

/* The message for all events of the batch, with a gRPC prefix before it, in memory from malloc; `*length` counts both. A field that a record lacks, or that is not of its type, has
 * proto3's default; an action that is none of the enum's is UNKNOWN, a strategy UNSPECIFIED; metadata that is no string goes as its JSON text. NULL when memory ran out. */
char *wire_encode_new(const struct batch *batch, size_t *length);

#endif
