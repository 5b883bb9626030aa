/* slurm - parses Slurm's topology.conf(5), which lists the nodes of each switch:
 *
 *  SwitchName=leaf1 Nodes=node[001-016]
 *  SwitchName=spine Switches=leaf[1-4] */
/* SPDX-License-Identifier: Apache-2.0 */
#include "hostlist.h"
#include "layout.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

struct leaf {
	struct topology *topology;
	const char *name;
	bool failed; /* topology_add() failed with errno; false: the list was malformed */
};

static int
add_node(void *context, const char *node)
{
	struct leaf *leaf = context;
	const struct topology_port port = {.node = node, .device = "", .port = ""};
	leaf->failed = topology_add(leaf->topology, &port, leaf->name) < 0;
	return leaf->failed ? -1 : 0;
}

/* Return the value if the word is `KEY=value` with the key in any case, else NULL. */
static const char *
value_of(const char *word, const char *key)
{
	size_t length = strlen(key);
	return strncasecmp(word, key, length) == 0 && word[length] == '=' ? word + length + 1
									  : NULL;
}

static int
accept_line(struct topology *topology, char *line, size_t number, struct layout_trouble *trouble)
{
	struct leaf leaf = {.topology = topology};
	const char *nodes = NULL, *value;
	bool is_empty = true, is_tree = false;
	line[strcspn(line, "#")] = '\0';
	for (char *word, *rest = line; (word = strsep(&rest, " \t\r")) != NULL;) {
		is_empty &= *word == '\0';
		if ((value = value_of(word, "SwitchName")) != NULL)
			leaf.name = value;
		else if ((value = value_of(word, "Nodes")) != NULL)
			nodes = value;
		else
			is_tree |= value_of(word, "Switches") != NULL;
	}
	if (leaf.name == NULL || *leaf.name == '\0' || (nodes == NULL && !is_tree)) {
		if (!is_empty)
			layout_pass_over(trouble, number, "not a switch with its nodes");
		return 0;
	}
	if (nodes != NULL && hostlist_expand(nodes, add_node, &leaf) > 0)
		layout_pass_over(trouble, number, "its nodes are not a list of hosts");
	return leaf.failed ? -1 : 0;
}

/* Join lines that end in a backslash with the next line. */
static void
join_lines(char *text)
{
	for (char *at = text; (at = strchr(at, '\\')) != NULL; at++)
		if (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))
			memset(at, ' ', at[1] == '\n' ? 2 : 3);
}

int
layout_read_slurm(struct topology *topology, char *text, struct layout_trouble *trouble)
{
	size_t number = 0;
	int status = 0;
	join_lines(text);
	for (char *line; status == 0 && (line = strsep(&text, "\n")) != NULL;)
		status = accept_line(topology, line, ++number, trouble);
	return status;
}
