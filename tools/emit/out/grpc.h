/* grpc - one unary gRPC call over HTTP/2: frames the message and evaluates the response. Pure.
 *
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_GRPC_H
#define EMIT_GRPC_H

#include "http.h"
#include "verdict.h"

/* URL path of the Platform Connector's method. */
#define GRPC_METHOD_PATH "/datamodels.PlatformConnector/HealthEventOccurredV1"

#define GRPC_CONTENT_TYPE "application/grpc+proto"

/* Sent with every call: detects proxies that would drop the trailers. */
#define GRPC_TE_HEADER "TE: trailers"

/* NVSentinel's Platform Connector recognises by it a batch that it has stored already. */
#define GRPC_KEY_HEADER "idempotency-key"

/* Prefix of a message: a byte for compression, and the length in 4 bytes, big-endian. */
#define GRPC_PREFIX_BYTES 5
void grpc_prefix(unsigned char out[GRPC_PREFIX_BYTES], size_t length);

/* Format the value of the grpc-timeout header: at most 8 digits and a unit. Round up if there is no
 * exact form. */
#define GRPC_TIMEOUT_SIZE 16
void grpc_timeout(char out[GRPC_TIMEOUT_SIZE], uint64_t timeout_ms);

/* Evaluate the response. `status` and `message`: grpc-status and grpc-message from the headers (a
 * response of trailers only) or trailers; NULL: missing. Fill `reason`, unless the verdict is
 * ACCEPTED, with the status name and the percent-decoded message, cut if too long. */
enum verdict grpc_eval(const struct http_reply *reply, const char *status, const char *message,
	char reason[VERDICT_REASON_SIZE]);

/* Number of status codes; codes of an unknown status, of a refused right, and of a call without a
 * response. */
enum { GRPC_CODES = 17, GRPC_UNKNOWN = 2, GRPC_PERMISSION_DENIED = 7, GRPC_UNAVAILABLE = 14 };

/* Return the status code of a response. GRPC_UNAVAILABLE if it has no valid grpc-status, UNKNOWN if
 * gRPC does not define the code. `status` as for grpc_eval(). */
unsigned grpc_code(const struct http_reply *reply, const char *status);

/* Return the name of a code below GRPC_CODES in Go's library, as in the label `code` of the
 * original's metrics. */
const char *grpc_code_name(unsigned code);

#endif
