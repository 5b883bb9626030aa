/* host - the node's name in records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "diag.h"
#include "rec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct opt_limits host_name_limits = {
	1, REC_NODE_MAX_BYTES, .malformed = "not a valid node name"};

const char *
host_node_name(void)
{
	static char name[HOST_NAME_MAX + 1];
	const char *given = getenv("NODE_NAME");

	/* An unset Kubernetes field arrives as an empty variable. */
	if (given != NULL && *given != '\0')
		return given;
	/* gethostname() does not terminate a name of full length: keep the last byte NUL. */
	gethostname(name, sizeof name - 1);
	return name;
}

int
host_check_node_name(const char *name)
{
	if (strlen(name) <= REC_NODE_MAX_BYTES)
		return 0;
	diag_error("NODE_NAME: longer than %d bytes: not a valid node name", REC_NODE_MAX_BYTES);
	return EXIT_USAGE;
}
