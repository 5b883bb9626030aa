/* once - one look at the node: a few scans through the stages, one after the other, a verdict and an exit code. */
#ifndef SUPERVISOR_ONCE_H
#define SUPERVISOR_ONCE_H

#include "pipeline.h"

#include <stdint.h>

struct once_options {
	uint64_t settle_ns; /* between the first scan and the last */
	bool json;          /* one record instead of lines for people */
	bool quiet;         /* nothing but the exit code, unless it cannot be done at all */
};

/* `programs` is the directory of the stages. Prints what it finds to stdout. Returns 0 healthy, 1 fatal, 2 degraded, 3 cannot tell, or
 * another exit code when there was no check at all. */
int once_run(const char *programs, const struct service_options *options,
	const struct once_options *once);

#endif
