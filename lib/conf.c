/* conf - the configuration file of SPEC section 9, checked as a whole and read once. */
#include "conf.h"

#include "diag.h"
#include "num.h"
#include "yamldoc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_EXCLUSION "^veth.*,^docker.*,^br-.*,^lo$"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Longest name of a counter, which goes into events and keys. */
#define NAME_MAX_BYTES 64

/* Longest time a setting in seconds may name: a day. */
#define SECONDS_MAX 86400

static void
take_expressions(struct yamldoc *doc, yaml_node_t *node, struct rx_list *list)
{
	struct rx_error error;
	const char *text = yamldoc_text(doc, node);
	if (text == NULL)
		return;

	struct rx_list fresh;
	if (rx_list_init(&fresh, text, &error) < 0) {
		yamldoc_problem(doc, node, "bad expression at character %zu: %s", error.offset + 1,
			error.reason);
		rx_list_fini(&fresh);
		return;
	}
	rx_list_fini(list);
	*list = fresh;
}

static void
take_exclusion(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	take_expressions(doc, node, &((struct conf *)target)->exclusion);
}

static void
take_inclusion(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	take_expressions(doc, node, &((struct conf *)target)->inclusion);
}

/* One of a few words; `*index` is its place in `words`. */
static bool
take_word(struct yamldoc *doc, yaml_node_t *node, const char *what, const char *const *words,
	size_t count, size_t *index)
{
	const char *text = yamldoc_text(doc, node);
	if (text == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(text, words[i]) == 0) {
			*index = i;
			return true;
		}
	}
	yamldoc_problem(doc, node, "unknown %s \"%s\"", what, text);
	return false;
}

/* --- counterDetection.counters[] --- */

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
	if (take_word(doc, node, "thresholdType", words, COUNT(words), &index))
		((struct counter_def *)target)->type = (enum counter_type)index;
}

static void
take_counter_unit(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const char *const words[] = {[COUNTER_PER_SECOND] = "second",
		[COUNTER_PER_MINUTE] = "minute",
		[COUNTER_PER_HOUR] = "hour"};
	size_t index;
	if (take_word(doc, node, "velocityUnit", words, COUNT(words), &index))
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
	struct conf *conf;
	const char **seen;
	size_t seen_count;
};

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

	struct counter_list *list = &pass->conf->counters;
	struct counter_def *def = counter_list_find(list, name);
	bool is_new = def == NULL;
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

static void
take_counters(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	struct counter_pass pass = {.conf = target};
	yamldoc_sequence(doc, node, take_counter, &pass);
	free(pass.seen);
}

static void
take_detection_enabled(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_bool(doc, node, &((struct conf *)target)->counter_detection);
}

static void
take_counter_detection(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {
		{"enabled", take_detection_enabled},
		{"counters", take_counters},
	};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
}

/* --- parts of later stages: checked here, so that one file serves all tools --- */

static void
take_pattern_name(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	/* SPEC section 5. */
	static const char *const words[] = {"cmd_exec_timeout", "health_poll_failed",
		"unrecoverable_err", "mlx5_napi_soft_lockup", "pci_power_insufficient",
		"port_module_high_temp", "access_reg_failed", "netdev_watchdog", "module_unplugged",
		"mlx5_tx_timeout_detected", "mlx5_rx_timeout_detected"};
	size_t index;
	(void)target;
	take_word(doc, node, "pattern", words, COUNT(words), &index);
}

static void
check_bool(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	bool ignored;
	(void)target;
	yamldoc_bool(doc, node, &ignored);
}

static void
check_strategy(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const char *const words[] = {
		"EXECUTE_REMEDIATION", "STORE_ONLY", "STORE_AND_ANALYSE"};
	size_t index;
	(void)target;
	take_word(doc, node, "processingStrategy", words, COUNT(words), &index);
}

static void
check_pattern(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {
		{"name", take_pattern_name},
		{"enabled", check_bool},
		{"processingStrategy", check_strategy},
	};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
	if (node->type == YAML_MAPPING_NODE && yamldoc_find(doc, node, "name") == NULL)
		yamldoc_problem(doc, node, "a pattern without a name");
}

static void
check_patterns(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_sequence(doc, node, check_pattern, target);
}

static void
check_driver_detection(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {{"patterns", check_patterns}};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
}

static void
check_seconds(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	unsigned ignored;
	(void)target;
	yamldoc_unsigned(doc, node, 0, SECONDS_MAX, &ignored);
}

static void
check_homogeneity(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {{"settleSeconds", check_seconds}};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
}

static void
check_scans(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	unsigned ignored;
	(void)target;
	yamldoc_unsigned(doc, node, 1, 1000, &ignored);
}

static void
check_disappearance(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {{"confirmScans", check_scans}};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
}

static void
check_baseline(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {{"clearCheck", check_bool}};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
}

static void
take_fatal_check(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const char *const words[] = {"state", "degradation"};
	size_t index;
	if (take_word(doc, node, "fatalCounterCheck", words, COUNT(words), &index))
		((struct conf *)target)->fatal_counters_as_degradation = index == 1;
}

static const struct yamldoc_key root_keys[] = {
	{"nicExclusionRegex", take_exclusion},
	{"nicInclusionRegexOverride", take_inclusion},
	{"counterDetection", take_counter_detection},
	{"nicDriverDetection", check_driver_detection},
	{"fatalCounterCheck", take_fatal_check},
	{"homogeneity", check_homogeneity},
	{"disappearance", check_disappearance},
	{"baseline", check_baseline},
};

/* --- the file --- */

static int
set_defaults(struct conf *conf)
{
	struct rx_error error;
	*conf = (struct conf){.counter_detection = true};
	if (rx_list_init(&conf->exclusion, DEFAULT_EXCLUSION, &error) < 0 ||
		counter_list_init(&conf->counters) < 0) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	return 0;
}

static int
read_file(struct conf *conf, const char *path, bool must_exist)
{
	struct yamldoc doc;

	switch (yamldoc_open(&doc, path)) {
	case YAMLDOC_OK:
		break;
	case YAMLDOC_UNREADABLE:
		if (errno == ENOENT && !must_exist)
			return 0;
		diag_error("%s: %s", path, strerror(errno));
		return errno == ENOENT   ? EXIT_NO_INPUT
		       : errno == EACCES ? EXIT_NO_PERMISSION
					 : EXIT_CONFIG;
	case YAMLDOC_MALFORMED:
		return EXIT_CONFIG;
	}
	yaml_node_t *root = yamldoc_root(&doc);
	if (root != NULL)
		yamldoc_mapping(&doc, root, root_keys, COUNT(root_keys), conf);
	yamldoc_close(&doc);
	return doc.problems > 0 ? EXIT_CONFIG : 0;
}

int
conf_load(struct conf *conf, const char *path)
{
	int status = set_defaults(conf);
	if (status == 0)
		status = read_file(conf, path != NULL ? path : CONF_DEFAULT_PATH, path != NULL);
	if (status != 0)
		conf_fini(conf);
	return status;
}

void
conf_fini(struct conf *conf)
{
	rx_list_fini(&conf->exclusion);
	rx_list_fini(&conf->inclusion);
	counter_list_fini(&conf->counters);
}
