/* confcounters - the configuration's list of counters, merged by name over the built-in ones. */
#include "confcounters.h"

#include "num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest name of a counter, which goes into events and keys. */
#define NAME_MAX_BYTES 64

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void
take_counter_path(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	struct counter_def *def = target;
	enum counter_group group;
	const char *file;
	const char *text = yamldoc_text(doc, node);
	if (text == NULL)
		return;
	if (!counter_parse_path(text, &group, &file)) {
		yamldoc_problem(doc, node,
			"\"%s\" is no counter path (counters/, hw_counters/, statistics/ or "
			"/sys/class/net/{interface}/ and a file name)",
			text);
		return;
	}
	char *copy = strdup(file);
	if (copy == NULL) {
		yamldoc_problem(doc, node, "out of memory");
		return;
	}
	free(def->file);
	def->file = copy;
	def->group = group;
}

static void
take_counter_enabled(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_bool(doc, node, &((struct counter_def *)target)->enabled);
}

static void
take_counter_fatal(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_bool(doc, node, &((struct counter_def *)target)->fatal);
}

static void
take_counter_early(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_bool(doc, node, &((struct counter_def *)target)->early_breach);
}

static void
take_counter_type(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const char *const words[] = {
		[COUNTER_DELTA] = "delta", [COUNTER_VELOCITY] = "velocity"};
	size_t index;
	if (yamldoc_word(doc, node, "thresholdType", words, COUNT(words), &index))
		((struct counter_def *)target)->type = (enum counter_type)index;
}

static void
take_counter_unit(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const char *const words[] = {[COUNTER_PER_SECOND] = "second",
		[COUNTER_PER_MINUTE] = "minute",
		[COUNTER_PER_HOUR] = "hour"};
	size_t index;
	if (yamldoc_word(doc, node, "velocityUnit", words, COUNT(words), &index))
		((struct counter_def *)target)->unit = (enum counter_unit)index;
}

static void
take_counter_threshold(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	double value;
	const char *text = yamldoc_text(doc, node);
	if (text == NULL)
		return;
	if (num_parse_double(text, &value) != NUM_OK || value < 0)
		yamldoc_problem(doc, node, "threshold \"%s\" is not a number of at least 0", text);
	else
		((struct counter_def *)target)->threshold = value;
}

static void
take_counter_description(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	struct counter_def *def = target;
	const char *text = yamldoc_text(doc, node);
	if (text == NULL)
		return;
	/* Consumers of NVSentinel's conditions split their messages at `;`. */
	if (strchr(text, ';') != NULL) {
		yamldoc_problem(doc, node, "a description must not contain \";\"");
		return;
	}
	char *copy = strdup(text);
	if (copy == NULL) {
		yamldoc_problem(doc, node, "out of memory");
		return;
	}
	free(def->description);
	def->description = copy;
}

/* The name was taken before the other keys, because it says which row they are for. */
static void
take_nothing(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	(void)doc, (void)node, (void)target;
}

static const struct yamldoc_key counter_keys[] = {
	{"name", take_nothing},
	{"path", take_counter_path},
	{"enabled", take_counter_enabled},
	{"isFatal", take_counter_fatal},
	{"thresholdType", take_counter_type},
	{"threshold", take_counter_threshold},
	{"velocityUnit", take_counter_unit},
	{"earlyBreach", take_counter_early},
	{"description", take_counter_description},
};

/* State of one pass over the list of counters. */
struct counter_pass {
	struct counter_list *list;
	const char **seen;
	size_t seen_count;
	char **left_out;
};

/* True for names of the original that mean nothing here: no kernel has a port_rcv_discards, and EFA is not watched. */
static bool
is_foreign(const char *name)
{
	static const char *const names[] = {
		"port_rcv_discards",
		"efa_rx_drops",
		"efa_rdma_read_wr_err",
		"efa_rdma_write_wr_err",
		"efa_retrans_timeout_events",
		"efa_unresponsive_remote_events",
		"efa_impaired_remote_conn_events",
		"efa_no_completion_cmds",
		"efa_cmds_err",
		"efa_keep_alive_rcvd",
		"efa_reg_mr_err",
		"efa_create_qp_err",
		"efa_create_cq_err",
		"efa_create_ah_err",
	};
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/* What is wrong with it is still wrong. */
static void
leave_out(struct counter_pass *pass, struct yamldoc *doc, yaml_node_t *node, const char *name)
{
	struct counter_def def = {.enabled = true};
	char *list = NULL;
	yamldoc_mapping(doc, node, counter_keys, COUNT(counter_keys), &def);
	free(def.file);
	free(def.description);
	if (!def.enabled)
		return;
	const char *before = *pass->left_out;
	if (asprintf(&list, "%s%s%s", before != NULL ? before : "", before != NULL ? ", " : "",
		    name) < 0) {
		yamldoc_problem(doc, node, "out of memory");
		return;
	}
	free(*pass->left_out);
	*pass->left_out = list;
}

/* True when `name` was in the list before; remembers it otherwise. */
static bool
seen_before(struct counter_pass *pass, const char *name)
{
	for (size_t i = 0; i < pass->seen_count; i++) {
		if (strcmp(pass->seen[i], name) == 0)
			return true;
	}
	const char **seen = realloc(pass->seen, (pass->seen_count + 1) * sizeof *seen);
	if (seen == NULL)
		return false;
	pass->seen = seen;
	seen[pass->seen_count++] = name;
	return false;
}

static void
take_counter(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	struct counter_pass *pass = target;
	yaml_node_t *name_node = yamldoc_find(doc, node, "name");
	if (name_node == NULL) {
		yamldoc_problem(doc, node, "a counter without a name");
		return;
	}
	const char *name = yamldoc_text(doc, name_node);
	if (name == NULL)
		return;
	/* `:` separates the parts of a key in the state file. */
	if (*name == '\0' || strlen(name) > NAME_MAX_BYTES || strpbrk(name, ":/; \t\n") != NULL) {
		yamldoc_problem(doc, name_node, "\"%s\" cannot be a counter's name", name);
		return;
	}
	if (seen_before(pass, name)) {
		yamldoc_problem(doc, name_node, "counter \"%s\" is given twice", name);
		return;
	}

	struct counter_list *list = pass->list;
	struct counter_def *def = counter_list_find(list, name);
	bool is_new = def == NULL;
	if (is_new && is_foreign(name) && yamldoc_find(doc, node, "path") == NULL) {
		leave_out(pass, doc, node, name);
		return;
	}
	if (is_new)
		def = counter_list_add(list, name);
	if (def == NULL) {
		yamldoc_problem(doc, node, "out of memory");
		return;
	}
	yamldoc_mapping(doc, node, counter_keys, COUNT(counter_keys), def);

	if (is_new && yamldoc_find(doc, node, "path") == NULL)
		yamldoc_problem(doc, name_node, "counter \"%s\" is new and needs a path", name);
	if (is_new && yamldoc_find(doc, node, "thresholdType") == NULL)
		yamldoc_problem(
			doc, name_node, "counter \"%s\" is new and needs a thresholdType", name);
	if (def->description == NULL)
		def->description = strdup("Configured counter");
	if (def->description == NULL)
		yamldoc_problem(doc, node, "out of memory");
}

void
confcounters_take(
	struct yamldoc *doc, yaml_node_t *node, struct counter_list *list, char **left_out)
{
	struct counter_pass pass = {.list = list, .left_out = left_out};
	yamldoc_sequence(doc, node, take_counter, &pass);
	free(pass.seen);
}
