/* stream - a sink that takes lines: standard output, a file, a socket. Each event goes to it at
 * once. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_STREAM_H
#define EMIT_STREAM_H

#include "sinkspec.h"

/* How sinks work that take lines. */
extern const struct sink_engine stream_engine;

#endif
