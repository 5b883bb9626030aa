/* grpc - one unary call over HTTP/2: the frame around a message, and what an answer means. Pure.
 *
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_GRPC_H
#define EMIT_GRPC_H

#include "http.h"
#include "verdict.h"

/* The method of the Platform Connector, as it stands in the URL. */
#define GRPC_METHOD_PATH "/datamodels.PlatformConnector/HealthEventOccurredV1"

#define GRPC_CONTENT_TYPE "application/grpc+proto"

/* Goes with every call: it finds proxies that would lose the trailers. */
#define GRPC_TE_HEADER "TE: trailers"

/* By which NVSentinel's Platform Connector knows a batch again that it has stored. */
#define GRPC_KEY_HEADER "idempotency-key"

/* Bytes before a message: one that says whether it is compressed, four of its length, big end
 * first. */
#define GRPC_PREFIX_BYTES 5
void grpc_prefix(unsigned char out[GRPC_PREFIX_BYTES], size_t length);

/* The value of the grpc-timeout header for so many milliseconds: at most eight digits and a unit.
 * What has no exact form is a little more. */
#define GRPC_TIMEOUT_SIZE 16
void grpc_timeout(char out[GRPC_TIMEOUT_SIZE], uint64_t timeout_ms);

/* What the answer means; `status` and `message` are grpc-status and grpc-message, from headers (an
 * answer of trailers only) or trailers, NULL when they did not come. `reason` is filled unless it
 * is ACCEPTED: the status by its name and the message, percent-decoded, bounded. */
enum verdict grpc_eval(const struct http_reply *reply, const char *status, const char *message,
	char reason[VERDICT_REASON_SIZE]);

/* How many status codes there are, that of one that nobody knows, and that of a call without an
 * answer. */
enum { GRPC_CODES = 17, GRPC_UNKNOWN = 2, GRPC_UNAVAILABLE = 14 };

/* The status code of an answer, whatever grpc_eval() makes of it: without a status of gRPC's that
 * of a call that got none, and UNKNOWN for one that gRPC does not know. `status` as for
 * grpc_eval(). */
unsigned grpc_code(const struct http_reply *reply, const char *status);

/* What Go's library calls a code below GRPC_CODES, as the label `code` of the original's metrics
 * has it. */
const char *grpc_code_name(unsigned code);

#endif
