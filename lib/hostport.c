/* hostport - parses HOST:PORT. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "hostport.h"

#include "num.h"
#include "opt.h"

#include <string.h>

const char *
hostport_parse(const char *address, size_t bytes, char **host, char **port)
{
	const char *first = address;
	const char *colon = memrchr(address, ':', bytes);
	if (colon == NULL)
		return "HOST:PORT is expected";
	size_t length = (size_t)(colon - address);
	if (*first == '[') {
		if (length < 3 || colon[-1] != ']')
			return "a bracket is not closed";
		first++;
		length -= 2;
	} else if (memchr(first, ':', length) != NULL) {
		return "an IPv6 address needs brackets around it";
	}

	uint64_t number;
	if (length == 0)
		return "a host is missing";
	*host = strndup(first, length);
	*port = strndup(colon + 1, (size_t)(address + bytes - colon - 1));
	if (*host == NULL || *port == NULL)
		return opt_no_memory;
	if (num_parse_u64(*port, 65535, &number) != NUM_OK || number == 0)
		return "not a port number";
	return NULL;
}

bool
hostport_is_host(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-._";
	return *name != '\0' && name[strspn(name, letters)] == '\0';
}
