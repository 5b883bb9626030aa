/* route - the interface of the host's default route. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "route.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Flags of include/uapi/linux/route.h and ipv6_route.h. */
#define FLAG_UP 0x1u
#define FLAG_REJECT 0x200u

/* More than 50,000 IPv6 routes, which are before the default routes. Larger tables belong to
 * routers, not to GPU nodes. */
#define TABLE_MAX_BYTES (8 << 20)

/* Copy the first line of `text`, truncated to `size`, and return the next line. */
static const char *
next_line(const char *text, char *line, size_t size)
{
	size_t length = strcspn(text, "\n");
	size_t kept = length < size ? length : size - 1;
	memcpy(line, text, kept);
	line[kept] = '\0';
	return text + length + (text[length] == '\n');
}

/* Columns: Iface Destination Gateway Flags RefCnt Use Metric Mask ...; numbers in hexadecimal but
 * Metric. */
bool
route_parse_ipv4(const char *text, char interface[IF_NAMESIZE])
{
	bool found = false;
	uint32_t best = 0;
	char line[256];

	while (*text != '\0') {
		char name[IF_NAMESIZE];
		uint32_t destination, flags, metric, mask;
		text = next_line(text, line, sizeof line);
		if (sscanf(line,
			    "%15s %8" SCNx32 " %*8x %8" SCNx32 " %*u %*u %10" SCNu32 " %8" SCNx32,
			    name, &destination, &flags, &metric, &mask) != 5)
			continue;
		if (destination != 0 || mask != 0 || (flags & FLAG_UP) == 0 ||
			(flags & FLAG_REJECT) != 0 || (found && metric >= best))
			continue;
		found = true;
		best = metric;
		strcpy(interface, name);
	}
	return found;
}

/* Columns: destination, prefix length, source, its length, next hop, metric, reference count, use,
 * flags, interface; all in hexadecimal. The routes of all tables follow each other, and the default
 * routes end those of each; the main table is the last one that has any (kernel#ipv6-route). So the
 * last default routes without others between them count. */
bool
route_parse_ipv6(const char *text, char interface[IF_NAMESIZE])
{
	bool found = false, is_default = false;
	uint32_t best = 0;
	char line[256];

	while (*text != '\0') {
		char destination[33], name[IF_NAMESIZE];
		uint32_t prefix, metric, flags;
		text = next_line(text, line, sizeof line);
		bool was_default = is_default;
		is_default = sscanf(line,
				     "%32s %2" SCNx32 " %*32s %*2x %*32s %8" SCNx32
				     " %*8x %*8x %8" SCNx32 " %15s",
				     destination, &prefix, &metric, &flags, name) == 5 &&
			     strspn(destination, "0") == 32 && prefix == 0 &&
			     (flags & FLAG_UP) != 0 && (flags & FLAG_REJECT) == 0 &&
			     strcmp(name, "lo") != 0;
		if (!is_default || (was_default && metric >= best))
			continue;
		found = true;
		best = metric;
		strcpy(interface, name);
	}
	return found;
}

static bool
read_table(const char *path, char *text, size_t size)
{
	int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return false;
	size_t used = 0;
	ssize_t n;
	while (used < size - 1 && (n = read(fd, text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	close(fd);
	text[used] = '\0';
	return true;
}

const char *const route_default_directories[] = {
	"/nvsentinel/proc/1/net",
	"/nvsentinel/proc/net",
	"/proc/1/net",
	"/proc/net",
	NULL,
};

/* Long enough for all of them, and for any that a test makes. */
#define ROUTE_PATH_SIZE 300

static const char *
path_in(const char *directory, const char *name, char path[ROUTE_PATH_SIZE])
{
	int n = snprintf(path, ROUTE_PATH_SIZE, "%s/%s", directory, name);
	return n < ROUTE_PATH_SIZE ? path : NULL;
}

static bool
is_readable(const char *path)
{
	return path != NULL && access(path, R_OK) == 0;
}

bool
route_read(const struct route_files *files, struct route *route)
{
	static char text[TABLE_MAX_BYTES];
	char found4[ROUTE_PATH_SIZE], found6[ROUTE_PATH_SIZE];
	const char *ipv4 = NULL, *ipv6 = NULL;

	for (size_t i = 0; files->directories[i] != NULL; i++) {
		ipv4 = path_in(files->directories[i], "route", found4);
		ipv6 = path_in(files->directories[i], "ipv6_route", found6);
		if (is_readable(ipv4) || is_readable(ipv6))
			break;
	}
	if (files->ipv4 != NULL)
		ipv4 = files->ipv4;
	if (files->ipv6 != NULL)
		ipv6 = files->ipv6;
	if (read_table(ipv4, text, sizeof text) && route_parse_ipv4(text, route->interface)) {
		route->is_ipv4 = true;
		return true;
	}
	return !route->is_ipv4 && read_table(ipv6, text, sizeof text) &&
	       route_parse_ipv6(text, route->interface);
}
