/* conf - the configuration file of SPEC section 9, checked as a whole and read once. */
#include "conf.h"

#include "confcounters.h"
#include "confsysfs.h"
#include "diag.h"
#include "yamldoc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_EXCLUSION "^veth.*,^docker.*,^br-.*,^lo$"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Longest time a setting in seconds may name: a day. */
#define SECONDS_MAX 86400

/* Most scans that may have to confirm a disappearance. */
#define CONFIRM_SCANS_MAX 1000

static void
take_expressions(struct yamldoc *doc, yaml_node_t *node, struct rx_list *list, char **kept)
{
	struct rx_error error;
	const char *text = yamldoc_text(doc, node);
	if (text == NULL)
		return;
	char *copy = strdup(text);
	if (copy == NULL) {
		yamldoc_problem(doc, node, "out of memory");
		return;
	}
	free(*kept);
	*kept = copy;

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
	struct conf *conf = target;
	take_expressions(doc, node, &conf->exclusion, &conf->exclusion_text);
}

static void
take_inclusion(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	struct conf *conf = target;
	take_expressions(doc, node, &conf->inclusion, &conf->inclusion_text);
}

static void
take_counters(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	struct conf *conf = target;
	confcounters_take(doc, node, &conf->counters, &conf->left_out);
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

static void
take_patterns(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	confpatterns_take(doc, node, ((struct conf *)target)->patterns);
}

static void
take_driver_detection(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {{"patterns", take_patterns}};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
}

/* --- how ctreval judges cards, disappearances and boots --- */

static void
take_settle_seconds(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_unsigned(doc, node, 0, SECONDS_MAX, &((struct conf *)target)->settle_seconds);
}

static void
take_homogeneity(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {{"settleSeconds", take_settle_seconds}};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
}

static void
take_confirm_scans(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_unsigned(doc, node, 1, CONFIRM_SCANS_MAX, &((struct conf *)target)->confirm_scans);
}

static void
take_disappearance(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {{"confirmScans", take_confirm_scans}};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
}

static void
take_clear_check(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_bool(doc, node, &((struct conf *)target)->clear_check);
}

static void
take_baseline(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {{"clearCheck", take_clear_check}};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
}

static void
take_fatal_check(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const char *const words[] = {"state", "degradation"};
	size_t index;
	if (yamldoc_word(doc, node, "fatalCounterCheck", words, COUNT(words), &index))
		((struct conf *)target)->fatal_counters_as_degradation = index == 1;
}

/* --- what only the original has --- */

static void
take_class_infiniband(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	confsysfs_take(doc, node, "infiniband", &((struct conf *)target)->sysfs_root);
}

static void
take_class_net(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	confsysfs_take(doc, node, "net", &((struct conf *)target)->sysfs_root);
}

/* Its own default is all that can be had. */
static void
take_issm(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	(void)target;
	const char *text = yamldoc_text(doc, node);
	if (text != NULL && strcmp(text, "never") != 0)
		yamldoc_problem(doc, node,
			"\"%s\" cannot be had: character devices are not checked here, so issm is never",
			text);
}

static void
take_char_device_check(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	static const struct yamldoc_key keys[] = {{"issm", take_issm}};
	yamldoc_mapping(doc, node, keys, COUNT(keys), target);
}

static const struct yamldoc_key root_keys[] = {
	{"nicExclusionRegex", take_exclusion},
	{"nicInclusionRegexOverride", take_inclusion},
	{"counterDetection", take_counter_detection},
	{"nicDriverDetection", take_driver_detection},
	{"fatalCounterCheck", take_fatal_check},
	{"homogeneity", take_homogeneity},
	{"disappearance", take_disappearance},
	{"baseline", take_baseline},
	{"sysClassInfinibandPath", take_class_infiniband},
	{"sysClassNetPath", take_class_net},
	{"charDeviceCheck", take_char_device_check},
};

/* --- the file --- */

static int
set_defaults(struct conf *conf)
{
	struct rx_error error;
	*conf = (struct conf){
		.exclusion_text = strdup(DEFAULT_EXCLUSION),
		.inclusion_text = strdup(""),
		.counter_detection = true,
		.settle_seconds = 30,
		.confirm_scans = 1,
		.clear_check = true,
	};
	confpatterns_init(conf->patterns);
	if (conf->exclusion_text == NULL || conf->inclusion_text == NULL ||
		rx_list_init(&conf->exclusion, DEFAULT_EXCLUSION, &error) < 0 ||
		counter_list_init(&conf->counters) < 0) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	return 0;
}

static int
read_file(struct conf *conf, const char *path, const char *name, bool must_exist)
{
	struct yamldoc doc;

	switch (yamldoc_open(&doc, path, name)) {
	case YAMLDOC_OK:
		break;
	case YAMLDOC_UNREADABLE:
		if (errno == ENOENT && !must_exist)
			return 0;
		diag_error("%s: %s", name, strerror(errno));
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

static int
load(struct conf *conf, const char *path, const char *name, bool must_exist)
{
	int status = set_defaults(conf);
	if (status == 0)
		status = read_file(conf, path, name, must_exist);
	if (status != 0)
		conf_fini(conf);
	return status;
}

int
conf_load(struct conf *conf, const char *path)
{
	const char *used = path != NULL ? path : CONF_DEFAULT_PATH;
	return load(conf, used, used, path != NULL);
}

int
conf_load_as(struct conf *conf, const char *path, const char *name)
{
	return load(conf, path, name, true);
}

void
conf_fini(struct conf *conf)
{
	rx_list_fini(&conf->exclusion);
	rx_list_fini(&conf->inclusion);
	counter_list_fini(&conf->counters);
	free(conf->exclusion_text);
	free(conf->inclusion_text);
	free(conf->sysfs_root);
	free(conf->left_out);
	conf->exclusion_text = conf->inclusion_text = conf->sysfs_root = conf->left_out = NULL;
}

void
conf_warn(const struct conf *conf)
{
	if (conf->left_out != NULL)
		diag_warn("configuration: counters that are not known here, and left out: %s",
			conf->left_out);
}

int
conf_show(const char *path)
{
	struct conf conf;
	int status = conf_load(&conf, path);
	if (status != 0)
		return status;
	conf_warn(&conf);
	if (conf_print(&conf, stdout) < 0)
		status = diag_io_failure("stdout");
	conf_fini(&conf);
	return status;
}
