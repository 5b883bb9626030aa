/* Unit tests of host: the node's name in records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "check.h"
#include "diag.h"
#include "rec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
from_environment(void)
{
	setenv("NODE_NAME", "gpu-42", 1);
	CHECK_STR(host_node_name(), "gpu-42");
}

static void
from_host(void)
{
	char name[300] = "";
	CHECK_INT(gethostname(name, sizeof name - 1), 0);
	unsetenv("NODE_NAME");
	CHECK_STR(host_node_name(), name);
	/* Set but empty, as a manifest without its value leaves it. */
	setenv("NODE_NAME", "", 1);
	CHECK_STR(host_node_name(), name);
}

static void
too_long(void)
{
	char name[REC_NODE_MAX_BYTES + 2] = "";
	memset(name, 'x', REC_NODE_MAX_BYTES);
	CHECK_INT(host_check_node_name(name), 0);
	name[REC_NODE_MAX_BYTES] = 'x';
	check_capture(STDERR_FILENO);
	CHECK_INT(host_check_node_name(name), EXIT_USAGE);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "NODE_NAME: longer than 253 bytes");
	free(said);
}

static const struct check_test tests[] = {
	{"NODE_NAME is the node's name", from_environment},
	{"without NODE_NAME, or with an empty one, the node has the host's name", from_host},
	{"a name that is too long for a record is refused", too_long},
};
CHECK_MAIN(tests)
