/* tcgets2 - preloaded library: isatty() as of the C library 2.42, which asks with another request
 * than before. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <asm/termbits.h>
#include <sys/ioctl.h>

int isatty(int fd);

int
isatty(int fd)
{
	struct termios2 settings;
	return ioctl(fd, TCGETS2, &settings) == 0;
}
