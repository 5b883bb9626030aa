/* refusal - the reason why a text is rejected. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_REFUSAL_H
#define TOPOPARSE_REFUSAL_H

#include <stddef.h>

enum topo_status {
	TOPO_OK,
	TOPO_BAD, /* the text is rejected; the error has the reason */
	TOPO_NO_MEMORY,
};

struct topo_error {
	size_t line; /* 0: not about one line */
	char reason[320];
};

/* Fill `error` and return TOPO_BAD. */
enum topo_status topo_refuse(struct topo_error *error, size_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
