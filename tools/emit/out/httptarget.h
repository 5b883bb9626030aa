/* httptarget - the server of an HTTP client, and its credentials. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_HTTPTARGET_H
#define EMIT_HTTPTARGET_H

#include "token.h"

#include <stdbool.h>

/* All strings are borrowed for the client's lifetime; NULL: unused. */
struct http_target {
	const char *url; /* http:// or https:// */
	/* socket to connect to; the URL then only provides the path */
	const char *unix_path;
	/* name in the server's certificate; the URL then only provides the address */
	const char *server_name;
	/* HTTP/2 only: http:// uses prior knowledge, https:// negotiates it */
	bool http2;
	struct trust_files files;
};

#endif
