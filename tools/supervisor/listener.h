/* listener - a socket that waits for connections: at an address, or everywhere. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_LISTENER_H
#define SUPERVISOR_LISTENER_H

#include <stdint.h>

/* Room for "[address]:port", also with the name of an interface. */
#define LISTENER_NAME_SIZE 96

/* Begins to listen at an address as in struct httpd_plan; the socket is not inherited, and never
 * blocks. Returns the descriptor, the caller's to close, or -1 with errno: EINVAL when that is no
 * address, or ENOMEM. */
int listener_open(const char *address, uint16_t port);

/* Writes where it is, as in "127.0.0.1:2112" or "[::1]:2112", and returns the port; 0 and "" when
 * that cannot be told. */
uint16_t listener_describe(int fd, char out[LISTENER_NAME_SIZE]);

#endif
