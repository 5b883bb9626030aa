/* ibnetdiscover - parses the output of ibnetdiscover(8), which lists the links of a fabric:
 *
 * 	Switch	41 "S-b8599f03000a1b2c"		# "MF0;leaf1:MQM8700/U1" enhanced ...
 * 	[1]	"H-b8599f03000d4e5f"[1](b8599f03000d4e5f) 	# "node001 mlx5_0" lid 5 4xHDR
 *
 * 	Ca	1 "H-b8599f03000d4e5f"		# "node001 mlx5_0"
 * 	[1](b8599f03000d4e5f) 	"S-b8599f03000a1b2c"[1]	# lid 5 lmc 0 "MF0;leaf1:..." lid 3
 *
 * Both ends list a link. The block of a channel adapter (Ca) names the node in its first line, so
 * only its links are used. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "layout.h"
#include "strbuf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct chassis {
	const char *id;   /* with its GUID, S-b8599f03000a1b2c */
	const char *name; /* its description */
	bool is_shared;   /* another switch has the same name */
};

struct reader {
	struct topology *topology;
	struct layout_trouble *trouble;
	struct chassis *switches; /* sorted by id */
	size_t count, capacity;
	struct topology_port port; /* adapter whose ports follow; node NULL: none */
};

/* Return the next quoted text, terminated in place, and set `*rest` behind it. NULL if there is
 * none. */
static char *
take_quoted(char **rest)
{
	char *begin = strchr(*rest, '"');
	char *end = begin != NULL ? strchr(begin + 1, '"') : NULL;
	if (end == NULL)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return begin + 1;
}

/* Call `accept` for each line, without its line feed. Return 0, or its first nonzero result. */
static int
each_line(struct reader *reader, char *text,
	int (*accept)(struct reader *reader, char *line, size_t number))
{
	size_t number = 0;
	int status = 0;
	for (char *line; status == 0 && (line = strsep(&text, "\n")) != NULL;)
		status = accept(reader, line, ++number);
	return status;
}

static bool
is_block(const char *line, const char *word)
{
	size_t length = strlen(word);
	return strncmp(line, word, length) == 0 && isspace((unsigned char)line[length]);
}

/* --- switches --- */

static int
collect_switch(struct reader *reader, char *line, size_t number)
{
	if (!is_block(line, "Switch"))
		return 0;
	const char *id = take_quoted(&line), *name = take_quoted(&line);
	if (id == NULL || name == NULL) {
		layout_pass_over(reader->trouble, number, "a switch without a GUID or name");
		return 0;
	}
	struct chassis *switches =
		array_grown(reader->switches, reader->count, &reader->capacity, sizeof *switches);
	if (switches == NULL)
		return -1;
	reader->switches = switches;
	switches[reader->count++] = (struct chassis){.id = id, .name = name};
	return 0;
}

static int
compare_names(const void *a, const void *b)
{
	const struct chassis *const first = a, *const second = b;
	return strcmp(first->name, second->name);
}

static int
compare_ids(const void *a, const void *b)
{
	const struct chassis *const first = a, *const second = b;
	return strcmp(first->id, second->id);
}

/* Unmanaged switches all have the same name. */
static void
find_shared_names(struct reader *reader)
{
	struct chassis *at = reader->switches;
	if (reader->count == 0)
		return;
	qsort(at, reader->count, sizeof *at, compare_names);
	for (size_t i = 1; i < reader->count; i++)
		if (compare_names(&at[i - 1], &at[i]) == 0 && compare_ids(&at[i - 1], &at[i]) != 0)
			at[i - 1].is_shared = at[i].is_shared = true;
	qsort(at, reader->count, sizeof *at, compare_ids);
}

/* --- adapters --- */

static int
begin_adapter(struct reader *reader, char *line, size_t number)
{
	char *rest;
	const char *id = take_quoted(&line), *description = take_quoted(&line);
	reader->port = (struct topology_port){0};
	if (id == NULL || description == NULL) {
		layout_pass_over(reader->trouble, number, "an adapter without a GUID or name");
		return 0;
	}
	reader->port.node = strtok_r((char *)description, " ", &rest);
	reader->port.device = strtok_r(NULL, " ", &rest);
	/* The node has not set its description (rdma-ndd), so it is unknown. */
	if (reader->port.device == NULL)
		reader->port.node = NULL;
	return 0;
}

static int
add_link(struct reader *reader, const char *id)
{
	struct strbuf name = {0};
	const struct chassis key = {.id = id};
	const struct chassis *found = reader->count == 0
					      ? NULL
					      : bsearch(&key, reader->switches, reader->count,
							sizeof *reader->switches, compare_ids);
	if (found == NULL || found->is_shared)
		strbuf_addf(&name, "%s%s%s", found != NULL ? found->name : "",
			found != NULL ? " " : "", id);
	else
		strbuf_addf(&name, "%s", found->name);
	char *text = strbuf_detach_new(&name);
	int status = text != NULL ? topology_add(reader->topology, &reader->port, text) : -1;
	free(text);
	return status;
}

static int
accept_port(struct reader *reader, char *line, size_t number)
{
	char *end = strchr(line, ']');
	if (end == NULL) {
		layout_pass_over(reader->trouble, number, "a port without a number");
		return 0;
	}
	*end++ = '\0';
	reader->port.port = line + 1;
	const char *id = take_quoted(&end);
	if (id == NULL) {
		layout_pass_over(reader->trouble, number, "a port without its link partner");
		return 0;
	}
	/* Otherwise it is linked to another adapter. */
	return *id == 'S' ? add_link(reader, id) : 0;
}

static int
accept_line(struct reader *reader, char *line, size_t number)
{
	if (is_block(line, "Ca"))
		return begin_adapter(reader, line, number);
	if (is_block(line, "Switch") || is_block(line, "Rt"))
		reader->port.node = NULL;
	if (*line != '[' || reader->port.node == NULL)
		return 0;
	return accept_port(reader, line, number);
}

int
layout_read_ibnetdiscover(struct topology *topology, char *text, struct layout_trouble *trouble)
{
	struct reader reader = {.topology = topology, .trouble = trouble};
	char *copy = strdup(text);
	int status = copy != NULL ? each_line(&reader, copy, collect_switch) : -1;
	find_shared_names(&reader);
	if (status == 0)
		status = each_line(&reader, text, accept_line);
	free(reader.switches);
	free(copy);
	return status;
}
