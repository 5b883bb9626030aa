/* listener - opens a listening TCP socket. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "listener.h"

#include "fd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static int
open_at(const struct sockaddr *address, socklen_t length)
{
	static const int on = 1, off = 0;
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	/* Allow a port with old connections in TIME_WAIT. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
		(address->sa_family != AF_INET6 ||
			setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) &&
		bind(fd, address, length) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	fd_close(fd);
	return -1;
}

static int
open_everywhere(uint16_t port)
{
	const struct sockaddr_in6 both = {
		.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_ANY_INIT};
	const struct sockaddr_in old = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = open_at((const struct sockaddr *)&both, sizeof both);
	/* The machine has no IPv6. */
	if (fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL))
		fd = open_at((const struct sockaddr *)&old, sizeof old);
	return fd;
}

int
listener_open(const char *address, uint16_t port)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	char host[LISTENER_NAME_SIZE], service[8];

	if (*address == '\0' || strcmp(address, "*") == 0)
		return open_everywhere(port);
	size_t length = strlen(address);
	bool in_brackets = length > 2 && address[0] == '[' && address[length - 1] == ']';
	int printed = in_brackets
			      ? snprintf(host, sizeof host, "%.*s", (int)length - 2, address + 1)
			      : snprintf(host, sizeof host, "%s", address);
	snprintf(service, sizeof service, "%u", (unsigned)port);
	/* getaddrinfo() would also accept 127.1. */
	struct in_addr whole;
	bool is_short = printed >= 0 && (size_t)printed < sizeof host;
	int problem = EAI_NONAME;
	if (is_short && (strchr(host, ':') != NULL || inet_pton(AF_INET, host, &whole) == 1))
		problem = getaddrinfo(host, service, &hints, &found);
	if (problem != 0) {
		errno = problem == EAI_MEMORY ? ENOMEM : EINVAL;
		return -1;
	}
	int fd = open_at(found->ai_addr, found->ai_addrlen);
	int saved_errno = errno;
	freeaddrinfo(found);
	errno = saved_errno;
	return fd;
}

uint16_t
listener_describe(int fd, char out[LISTENER_NAME_SIZE])
{
	struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
	socklen_t length = sizeof address;
	char host[LISTENER_NAME_SIZE - sizeof "[]:65535" + 1], service[6];

	out[0] = '\0';
	if (getsockname(fd, (struct sockaddr *)&address, &length) < 0 ||
		getnameinfo((const struct sockaddr *)&address, length, host, sizeof host, service,
			sizeof service, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return 0;
	snprintf(out, LISTENER_NAME_SIZE, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host,
		service);
	return (uint16_t)strtoul(service, NULL, 10);
}
