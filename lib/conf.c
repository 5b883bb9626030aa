/* conf - reads and validates the configuration file (spec#configuration). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "conf.h"

#include "array.h"
#include "confcounters.h"
#include "confdoc.h"
#include "diag.h"
#include "num.h"
#include "runbook.h"
#include "words.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define DEFAULT_EXCLUSION "^veth.*,^docker.*,^br-.*,^lo$"

/* Longest duration of a setting in seconds: a day. */
#define SECONDS_MAX 86400

/* Upper limit of disappearance.confirmScans. */
#define CONFIRM_SCANS_MAX 1000

/* Longest scan interval: a day. */
#define INTERVAL_MAX_NS (SECONDS_MAX * NUM_NS_PER_S)

/* Longest grace period of a driver reload: a day. */
#define GRACE_MAX_NS (SECONDS_MAX * NUM_NS_PER_S)
/* Longest time after the boot without verdicts: an hour. */
#define BOOT_GRACE_MAX_NS (3600 * NUM_NS_PER_S)

/* Return true for a switch, a number or a date, which is a wrong type rather than an expression: as
 * an override, `false` would match no NIC. Some programs write `False`. */
static bool
is_other_type(const struct confdoc *doc, const yaml_node_t *node, const char *text)
{
	static const char *const switches[] = {"true", "false", "yes", "no", "on", "off"};
	if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	/* TOML has texts only in quotes. */
	bool is_other = doc->is_toml || (*text != '\0' && text[strspn(text, "0123456789")] == '\0');
	for (size_t i = 0; i < ARRAY_COUNT(switches) && !is_other; i++)
		is_other = strcasecmp(text, switches[i]) == 0;
	return is_other;
}

static void
accept_expressions(struct confdoc *doc, yaml_node_t *node, struct rx_list *list, char **kept)
{
	struct rx_error error;
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return;
	if (is_other_type(doc, node, text)) {
		confdoc_problem(doc, node,
			"%s is no list of expressions (write \"\" for an empty one)", text);
		return;
	}
	confdoc_copy(doc, text, kept);

	struct rx_list fresh;
	if (rx_list_init(&fresh, text, &error) < 0) {
		confdoc_problem(doc, node, "bad expression at character %zu: %s", error.offset + 1,
			error.reason);
		rx_list_fini(&fresh);
		return;
	}
	/* A text without an expression is a mistake. */
	if (fresh.count == 0 && *text != '\0')
		confdoc_problem(doc, node,
			"\"%s\" contains no expression (write \"\" for an empty list)", text);
	rx_list_fini(list);
	*list = fresh;
}

static void
accept_exclusion(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf *conf = target;
	accept_expressions(doc, node, &conf->exclusion, &conf->exclusion_text);
}

static void
accept_inclusion(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf *conf = target;
	accept_expressions(doc, node, &conf->inclusion, &conf->inclusion_text);
}

static void
accept_vendor(struct confdoc *doc, yaml_node_t *item, void *target)
{
	size_t vendor;
	if (confdoc_word(doc, item, "vendor", vendor_names, VENDOR_N, &vendor))
		((struct conf *)target)->acts_on[vendor] = true;
}

static void
accept_vendors(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf *conf = target;
	memset(conf->acts_on, 0, sizeof conf->acts_on);
	confdoc_sequence(doc, node, accept_vendor, conf);
}

static void
accept_counters(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf *conf = target;
	confcounters_parse(doc, node, &conf->counters);
}

static void
accept_patterns(struct confdoc *doc, yaml_node_t *node, void *target)
{
	confpatterns_parse(doc, node, ((struct conf *)target)->patterns);
}

static void
accept_sinks(struct confdoc *doc, yaml_node_t *node, void *target)
{
	confsinks_parse(doc, node, &((struct conf *)target)->sinks);
}

static void
accept_runbook_url(struct confdoc *doc, yaml_node_t *node, void *target)
{
	const char *text = confdoc_text(doc, node);
	const char *reason = text != NULL ? runbook_url_check(text) : NULL;
	if (reason != NULL)
		confdoc_problem(doc, node, "runbookUrl: %s", reason);
	else if (text != NULL)
		confdoc_copy(doc, text, &((struct conf *)target)->runbook_url);
}

static void
accept_interval(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf *conf = target;
	unsigned problems = doc->problems;
	confdoc_duration(doc, node, INTERVAL_MAX_NS, &conf->interval_ns);
	if (doc->problems == problems && conf->interval_ns == 0)
		confdoc_problem(doc, node, "the interval must be longer than 0");
}

static void
accept_fatal_check(struct confdoc *doc, yaml_node_t *node, void *target)
{
	static const char *const words[] = {"state", "degradation"};
	size_t index;
	if (confdoc_word(doc, node, "fatalCounterCheck", words, ARRAY_COUNT(words), &index))
		((struct conf *)target)->fatal_counters_as_degradation = index == 1;
}

static void
accept_issm(struct confdoc *doc, yaml_node_t *node, void *target)
{
	static const char *const words[] = {"never", "always"};
	size_t index;
	const char *text = confdoc_text(doc, node);
	/* The original accepts an empty value as the default. */
	if (text != NULL && *text == '\0')
		return;
	if (text != NULL &&
		confdoc_word(doc, node, "charDeviceCheck.issm", words, ARRAY_COUNT(words), &index))
		((struct conf *)target)->issm_always = index == 1;
}

/* --- keys of the original --- */

/* Return the length of ROOT in a path ROOT/class/CLASS; 0 if the path has another form. */
static size_t
root_length(const char *path, const char *class)
{
	static const char parent[] = "/class/";
	size_t length = strlen(path), tail = strlen(parent) + strlen(class);
	while (length > 0 && path[length - 1] == '/')
		length--;
	if (*path != '/' || length <= tail)
		return 0;
	const char *at = path + length - tail;
	if (memcmp(at, parent, strlen(parent)) != 0 ||
		memcmp(at + strlen(parent), class, strlen(class)) != 0)
		return 0;
	return length - tail;
}

/* Set the sysfs root from the directory of one of its classes. Both classes must have the same
 * root. */
static void
accept_class(struct confdoc *doc, yaml_node_t *node, const char *class, char **root)
{
	const char *path = confdoc_text(doc, node);
	if (path == NULL)
		return;
	size_t length = root_length(path, class);
	if (length == 0) {
		confdoc_problem(doc, node,
			"\"%s\" is not an absolute path SYSFS/class/%s, such as "
			"/nvsentinel/sys/class/%s",
			path, class, class);
		return;
	}
	if (*root != NULL && !words_equal(*root, path, length)) {
		confdoc_problem(doc, node,
			"\"%s\" is not below %s, the sysfs root of the other class", path, *root);
		return;
	}
	if (*root == NULL)
		*root = strndup(path, length);
	if (*root == NULL)
		confdoc_no_memory(doc);
}

static void
accept_class_infiniband(struct confdoc *doc, yaml_node_t *node, void *target)
{
	accept_class(doc, node, "infiniband", &((struct conf *)target)->sysfs_root);
}

static void
accept_class_net(struct confdoc *doc, yaml_node_t *node, void *target)
{
	accept_class(doc, node, "net", &((struct conf *)target)->sysfs_root);
}

/* As in the original, "" turns it off, and messages name the key. */
static void
accept_hold_down(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct conf *conf = target;
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return;
	conf->port_hold_down_ns = 0;
	if (*text != '\0' &&
		num_parse_duration(text, UINT64_MAX, &conf->port_hold_down_ns) != NUM_OK)
		confdoc_problem(doc, node,
			"portStateHoldDown: \"%s\" is not a duration, such as 90s or 2m", text);
}

#define TARGET(member) .target = offsetof(struct conf, member)

static const struct confdoc_key keys[] = {
	{"nicExclusionRegex", .accept = accept_exclusion},
	{"nicInclusionRegexOverride", .accept = accept_inclusion},
	{"vendors", .accept = accept_vendors},
	{"sinks", .accept = accept_sinks},
	{"runbookUrl", .accept = accept_runbook_url},
	{"interval", .accept = accept_interval},
	{"bootGrace", CONFDOC_DURATION, TARGET(boot_grace_ns), .max = BOOT_GRACE_MAX_NS},
	{"counterDetection.enabled", CONFDOC_BOOL, TARGET(counter_detection)},
	{"counterDetection.counters", .accept = accept_counters},
	{"nicDriverDetection.patterns", .accept = accept_patterns},
	{"fatalCounterCheck", .accept = accept_fatal_check},
	{"homogeneity.settleSeconds", CONFDOC_UNSIGNED, TARGET(settle_seconds), .max = SECONDS_MAX},
	{"disappearance.confirmScans", CONFDOC_UNSIGNED, TARGET(confirm_scans), .min = 1,
		.max = CONFIRM_SCANS_MAX},
	{"disappearance.driverReloadGrace", CONFDOC_DURATION, TARGET(driver_reload_grace_ns),
		.max = GRACE_MAX_NS},
	{"baseline.clearCheck", CONFDOC_BOOL, TARGET(clear_check)},
	{"sysClassInfinibandPath", .accept = accept_class_infiniband},
	{"sysClassNetPath", .accept = accept_class_net},
	{"charDeviceCheck.issm", .accept = accept_issm},
	{"stateCheck.portStateHoldDown", .accept = accept_hold_down},
};

/* --- the file --- */

static int
set_defaults(struct conf *conf)
{
	struct rx_error error;
	*conf = (struct conf){
		.exclusion_text = strdup(DEFAULT_EXCLUSION),
		.inclusion_text = strdup(""),
		.acts_on = {[VENDOR_NVIDIA] = true, [VENDOR_AMAZON] = true},
		.counter_detection = true,
		.settle_seconds = 30,
		.confirm_scans = 3,
		.clear_check = true,
	};
	confpatterns_init(conf->patterns);
	if (conf->exclusion_text == NULL || conf->inclusion_text == NULL ||
		rx_list_init(&conf->exclusion, DEFAULT_EXCLUSION, &error) < 0 ||
		counter_list_init(&conf->counters) < 0)
		return diag_no_memory();
	return 0;
}

/* An existing path that is not a readable file, such as a directory, is a wrong configuration. */
static int
report_unreadable(const char *path)
{
	bool absent = errno == ENOENT;
	int code = diag_open_failure(path);
	return code == EXIT_NO_INPUT && !absent ? EXIT_CONFIG : code;
}

/* Apply the tree, if there is one, and free it. */
static int
read_doc(struct conf *conf, struct confdoc *doc, enum confdoc_status status)
{
	switch (status) {
	case CONFDOC_OK:
		break;
	case CONFDOC_UNREADABLE:
	case CONFDOC_MALFORMED:
		return EXIT_CONFIG;
	case CONFDOC_NO_MEMORY:
		return EXIT_OS;
	case CONFDOC_REFUSED:
		return EXIT_NO_PERMISSION;
	}
	yaml_node_t *root = confdoc_root(doc);
	if (root != NULL)
		confdoc_mapping(doc, root, keys, ARRAY_COUNT(keys), conf);
	confdoc_close(doc);
	if (doc->starved)
		return EXIT_OS;
	return doc->problems > 0 ? EXIT_CONFIG : 0;
}

static int
read_file(struct conf *conf, const char *path, bool must_exist)
{
	struct confdoc doc;
	enum confdoc_status status = confdoc_open(&doc, path);
	if (status != CONFDOC_UNREADABLE)
		return read_doc(conf, &doc, status);
	return errno == ENOENT && !must_exist ? 0 : report_unreadable(path);
}

const char *
conf_file(const char *path)
{
	if (path != NULL)
		return path;
	bool only_toml = access(CONF_DEFAULT_PATH, F_OK) < 0 && errno == ENOENT &&
			 access(CONF_DEFAULT_TOML, F_OK) == 0;
	return only_toml ? CONF_DEFAULT_TOML : CONF_DEFAULT_PATH;
}

int
conf_load(struct conf *conf, const char *path)
{
	int status = set_defaults(conf);
	if (status == 0)
		status = read_file(conf, conf_file(path), path != NULL);
	if (status != 0)
		conf_fini(conf);
	return status;
}

int
conf_parse(struct conf *conf, const char *name, const char *text, size_t length)
{
	struct confdoc doc;
	int status = set_defaults(conf);
	if (status == 0)
		status = read_doc(conf, &doc, confdoc_parse(&doc, name, text, length));
	if (status != 0)
		conf_fini(conf);
	return status;
}

bool
conf_names_devices(const struct conf *conf)
{
	return conf->inclusion.count > 0 || strcmp(conf->exclusion_text, DEFAULT_EXCLUSION) != 0;
}

void
conf_fini(struct conf *conf)
{
	rx_list_fini(&conf->exclusion);
	rx_list_fini(&conf->inclusion);
	counter_list_fini(&conf->counters);
	confsinks_fini(&conf->sinks);
	free(conf->exclusion_text);
	free(conf->inclusion_text);
	free(conf->sysfs_root);
	free(conf->runbook_url);
	conf->exclusion_text = conf->inclusion_text = conf->sysfs_root = conf->runbook_url = NULL;
}

int
conf_show(const char *path)
{
	struct conf conf;
	int status = conf_load(&conf, path);
	if (status != 0)
		return status;
	if (conf_print(&conf, stdout) < 0)
		status = diag_io_failure("stdout");
	conf_fini(&conf);
	return status;
}
