/* stream - engine of the sinks that write lines to stdout, a file or a socket. Each event is
 * written at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_STREAM_H
#define EMIT_STREAM_H

#include "sinkspec.h"

/* The engine of sinks that write lines. */
extern const struct sink_engine stream_engine;

#endif
