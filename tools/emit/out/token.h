/* token - reads secrets such as tokens from files, and checks whether other users may change or
 * read the files of tokens, keys and certificates. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_TOKEN_H
#define EMIT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* Longest token, with the NUL. */
#define TOKEN_SIZE (((size_t)16 << 10) + 1)

/* Size of the reason of a failure. */
#define TOKEN_PROBLEM_SIZE 300

/* Read a token without trailing white space. `what`: its name in messages, as in "token file".
 * Return 0, or -1 with `problem`, which names the file and the reason: unreadable, not a regular
 * file, or unfit for a header. It never contains the token. */
int token_read(const char *what, const char *path, char token[TOKEN_SIZE],
	char problem[TOKEN_PROBLEM_SIZE]);

/* --- trust: owners and modes of the files ---
 *
 * Who can write to one of them can redirect or stop events. Who can read a secret can send events
 * in this node's name. */

/* Size of a problem, with its NUL. */
#define TRUST_PROBLEM_SIZE 600

/* Files from a sink's options; NULL: not given. They are read for each request, because they are
 * rotated. */
struct trust_files {
	/* PEM: the only accepted authorities of the server's certificate; NULL: the system's */
	const char *ca;
	/* PEM: the client certificate; the key may be in the same file, and has no password */
	const char *cert, *key;
	const char *token; /* bearer token */
};

/* Check the file of a secret. Return NULL, or why it may not be used: it cannot be opened, or
 * others may write to it. Valid until the next call. `*exposed`: all users of this machine can read
 * it. */
const char *trust_check_secret(const char *path, bool *exposed);

/* Check whether the options are consistent. Return NULL, or the reason why not, such as a token
 * without TLS. `has_tls`: the server uses TLS; `is_local`: a Unix socket. */
const char *trust_check(const struct trust_files *files, const char *server_name, bool clear_token,
	bool has_tls, bool is_local);

/* Check the files before the first use. Return NULL, or why one may not be used, valid until the
 * next call. Warn about a secret that all users of this machine can read. */
const char *trust_check_files(const struct trust_files *files);

/* Check the files before each use; a missing one is left to its reader. Return false with
 * `problem`, which names the option and the file. */
bool trust_may_use(const struct trust_files *files, char problem[TRUST_PROBLEM_SIZE]);

#endif
