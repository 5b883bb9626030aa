/* fault - maps errors of lnetctl to errno values and exit codes. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include "array.h"
#include "diag.h"
#include "num.h"

#include <errno.h>
#include <string.h>

/* The kernel's MAX_ERRNO. */
#define ERRNO_MAX 4095

int
fault_errno(const char *text)
{
	uint64_t value;

	/* lnetctl prints a positive errno if it uses Netlink, otherwise the kernel's negative
	 * one. */
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

	for (size_t i = 0; i < ARRAY_COUNT(messages); i++)
		if (strcmp(text, messages[i].text) == 0)
			return messages[i].error;
	return 0;
}

int
fault_exit_code(int error)
{
	return error == EPERM || error == EACCES ? EXIT_NO_PERMISSION : EXIT_UNAVAILABLE;
}
