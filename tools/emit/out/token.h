/* token - the files by which a server and we recognize each other: how a secret of one word is
 * read, and whether others may change or read them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_TOKEN_H
#define EMIT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* Longest token, with the NUL. */
#define TOKEN_SIZE (((size_t)16 << 10) + 1)

/* Room for why there is none. */
#define TOKEN_PROBLEM_SIZE 300

/* Reads a token, or `what` it is, as in "token file"; white space after it does not belong to it.
 * 0, or -1 with `problem` saying which file and why: it cannot be read, is not a regular file, or
 * what it holds would not stand in a header. The token itself is never part of it. */
int token_read(const char *what, const char *path, char token[TOKEN_SIZE],
	char problem[TOKEN_PROBLEM_SIZE]);

/* --- trust: whose the files are ---
 *
 * Whoever can write to one can have events go elsewhere, or nowhere. Whoever can read a secret one
 * can write in our name. */

/* Room for what is wrong with a file, with its NUL. */
#define TRUST_PROBLEM_SIZE 600

/* As a sink's options name them; NULL: not given. All are read anew for each request, since such
 * files are rotated. */
struct trust_files {
	/* PEM: who may have signed the server's certificate, and nobody else; NULL: the system's
	 * authorities */
	const char *ca;
	/* PEM: who we are; the key may be in the certificate's file, and has no password */
	const char *cert, *key;
	const char *token; /* of a bearer */
};

/* Looks at a secret's file: NULL if it may be used, else why not: it cannot be opened, or others
 * may write to it. Valid until the next call. `*exposed`: all users of this machine can read it. */
const char *trust_check_secret(const char *path, bool *exposed);

/* Whether what the options say goes together: NULL, or why not, as a token that would be sent in
 * the clear. `has_tls`: they are for a server with TLS; `is_local`: on a socket of this machine. */
const char *trust_check(const struct trust_files *files, const char *server_name, bool clear_token,
	bool has_tls, bool is_local);

/* Looks at the files, before the first use: NULL, or why one may not be used, which is valid until
 * the next call. Warns about a secret that all users of this machine can read. */
const char *trust_check_files(const struct trust_files *files);

/* Whether all of them may be used, before each use; a file that is not there is left to who reads
 * it. False with `problem`, which names the option and the file. */
bool trust_may_use(const struct trust_files *files, char problem[TRUST_PROBLEM_SIZE]);

#endif
