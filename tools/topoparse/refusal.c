/* refusal - the reason why a text is rejected. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "refusal.h"

#include <stdarg.h>
#include <stdio.h>

enum topo_status
topo_refuse(struct topo_error *error, size_t line, const char *format, ...)
{
	va_list args;

	error->line = line;
	va_start(args, format);
	if (vsnprintf(error->reason, sizeof error->reason, format, args) < 0)
		*error->reason = '\0';
	va_end(args);
	return TOPO_BAD;
}
