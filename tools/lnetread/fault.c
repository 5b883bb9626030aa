/* fault - why lnetctl could not show something. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include "diag.h"
#include "num.h"

#include <errno.h>
#include <string.h>

/* The largest number that the kernel has for an error (MAX_ERRNO). */
#define ERRNO_MAX 4095

int
fault_errno(const char *text)
{
	uint64_t value;

	/* With Netlink lnetctl prints it as errno has it, otherwise as the kernel returns it. */
	if (*text == '-')
		text++;
	return num_parse_u64(text, ERRNO_MAX, &value) == NUM_OK ? (int)value : 0;
}

int
fault_errno_of_message(const char *text)
{
	static const struct {
		const char *text;
		int error;
	} messages[] = {
		{"No such file or directory", ENOENT},
		{"No such device", ENODEV},
		{"No such device or address", ENXIO},
		{"Permission denied", EACCES},
		{"Operation not permitted", EPERM},
	};

	for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
		if (strcmp(text, messages[i].text) == 0)
			return messages[i].error;
	return 0;
}

int
fault_exit_code(int error)
{
	return error == EPERM || error == EACCES ? EXIT_NO_PERMISSION : EXIT_UNAVAILABLE;
}
