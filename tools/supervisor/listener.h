/* listener - opens a listening TCP socket. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_LISTENER_H
#define SUPERVISOR_LISTENER_H

#include <stdint.h>

/* Room for "[address]:port", including the name of an interface. */
#define LISTENER_NAME_SIZE 96

/* Listen at an address as in struct httpd_plan. Return a close-on-exec, non-blocking descriptor,
 * the caller's to close; or -1 with errno: EINVAL if the address is invalid, ENOMEM, or an error of
 * socket(2), bind(2) or listen(2). */
int listener_open(const char *address, uint16_t port);

/* Format the socket's address and port, as in "127.0.0.1:2112" or "[::1]:2112", and return the
 * port; on failure write "" and return 0. */
uint16_t listener_describe(int fd, char out[LISTENER_NAME_SIZE]);

#endif
