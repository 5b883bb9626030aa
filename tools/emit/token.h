/* token - the secret by which a server knows us, from its file. */
#ifndef EMIT_TOKEN_H
#define EMIT_TOKEN_H

#include <stddef.h>

/* Longest token, with the NUL. */
#define TOKEN_SIZE (((size_t)16 << 10) + 1)

/* Room for why there is none. */
#define TOKEN_PROBLEM_SIZE 300

/* Reads a token; white space behind it does not belong to it. 0, or -1 with `problem` saying which file and why: it cannot be read, is no regular file, or what it holds would
 * not stand in a header. The token itself is never part of it. */
int token_read(const char *path, char token[TOKEN_SIZE], char problem[TOKEN_PROBLEM_SIZE]);

#endif
