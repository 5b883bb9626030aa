/* input - a whole text, from a file or stdin. */
#ifndef TOPOPARSE_INPUT_H
#define TOPOPARSE_INPUT_H

#include <stddef.h>

/* A matrix of TOPO_MAX_COLUMNS columns and rows has not much more than 4 MiB. */
#define INPUT_MAX_BYTES ((size_t)8 << 20)

/* Reads `path`, or stdin when it is NULL, into `*text`, to free(). Returns 0, or the exit code after having said what is wrong. */
int input_read_new(const char *path, char **text, size_t *length);

#endif
