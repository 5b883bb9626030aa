/* listener - a TCP socket that waits for connections. */
#ifndef SUPERVISOR_LISTENER_H
#define SUPERVISOR_LISTENER_H

#include <stdint.h>

/* Opens one at an IPv4 or IPv6 address in numbers, which may be in brackets; "" and "*" are all addresses there are, of both kinds where the machine has both.
 * Port 0 is any that is free. It is not inherited, and never blocks. Returns the descriptor, or -1 with errno: EINVAL when that is no address. */
int listener_open(const char *address, uint16_t port);

/* Room for "[address]:port", also with the name of an interface. */
#define LISTENER_NAME_SIZE 96

/* Writes where it is, as in "127.0.0.1:2112" or "[::1]:2112", and returns the port; 0 and "" when that cannot be told. */
uint16_t listener_describe(int fd, char out[LISTENER_NAME_SIZE]);

#endif
