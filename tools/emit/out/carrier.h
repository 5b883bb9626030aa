/* carrier - takes the requests of a sink to its server: by HTTP, or by the courier of its kind.
 *
 * All functions are for sinks with a request_kind (requestkind.h), and use sink->request. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_CARRIER_H
#define EMIT_CARRIER_H

#include "verdict.h"

#include <stdbool.h>
#include <stddef.h>

struct sink;

/* Create what the kind needs: an HTTP client, or a courier with its data. Return 0, or -1 if memory
 * runs out. */
int carrier_init(struct sink *sink);
void carrier_fini(struct sink *sink);

/* Return true while a request is running. */
bool carrier_is_busy(const struct sink *sink);

/* Return a descriptor that is readable when the request has ended; -1: HTTP, where http_fd() serves
 * all sinks. */
int carrier_fd(const struct sink *sink);

/* Return the result of the request, which has ended. Fill `reason` unless it is ACCEPTED. */
enum verdict carrier_eval(const struct sink *sink, char reason[VERDICT_REASON_SIZE]);

/* Describe the result of an accepted request. */
void carrier_describe(const struct sink *sink, char *answer, size_t size);

/* Cancel the running request, if any. Only HTTP can: a courier stays busy until it has ended. */
void carrier_cancel(struct sink *sink);

#endif
