/* Unit tests of host: what this machine is called in records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "check.h"

#include <stdlib.h>
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

static const struct check_test tests[] = {
	{"NODE_NAME is the node's name", from_environment},
	{"without NODE_NAME, or with an empty one, it is the host's name", from_host},
};
CHECK_MAIN(tests)
