/* place - parses DEVICE or DEVICE/PORT. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include "num.h"

#include <string.h>

bool
place_split(char *text, uint64_t *port)
{
	char *slash = strchr(text, '/');
	*port = 0;
	if (slash == NULL)
		return true;
	*slash = '\0';
	return num_parse_u64(slash + 1, UINT8_MAX, port) == NUM_OK && *port > 0;
}
