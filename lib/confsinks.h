/* confsinks - parses the configuration's list of sinks: where events go, and which ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONFSINKS_H
#define NHM_CONFSINKS_H

#include "confdoc.h"
#include "sinkkinds.h"

/* Settings of a sink besides its address; each is an option of emit with a value. */
enum conf_sink_option {
	CONF_SINK_CA,
	CONF_SINK_CERT,
	CONF_SINK_KEY,
	CONF_SINK_TOKEN,
	CONF_SINK_SERVER,
	CONF_SINK_SEVERITY,
	CONF_SINK_CODES,
	CONF_SINK_ROLES,
	CONF_SINK_OPTION_N,
};

struct conf_sink {
	char *spec;
	char *values[CONF_SINK_OPTION_N]; /* NULL: not given; lists are comma-separated */
	bool clear_token;
};

/* All zeros: no sinks. */
struct conf_sinks {
	struct conf_sink items[SINKS_MAX];
	size_t count;
};

/* Return the key in the configuration, and emit's option with its hyphens. */
const char *confsinks_key(enum conf_sink_option option);
const char *confsinks_option(enum conf_sink_option option);

/* Parse `sinks` (spec#configuration) from `node`. Report mistakes with confdoc_problem(); emit
 * itself checks addresses and files. */
void confsinks_parse(struct confdoc *doc, yaml_node_t *node, struct conf_sinks *sinks);

/* Return true if both are equal. */
bool confsinks_are_same(const struct conf_sinks *left, const struct conf_sinks *right);

void confsinks_fini(struct conf_sinks *sinks);

#endif
