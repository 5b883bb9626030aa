/* config - the devices and counters selected by the command line and the configuration. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "commalist.h"

#include <stdlib.h>
#include <string.h>

/* Append a counter. `def` NULL: of the NICs of all vendors; else only of the vendors of `def`. */
static int
add(struct scan_config *config, bool any_group, enum counter_group group, const char *file,
	size_t length, const struct counter_def *def)
{
	struct counter_name *listed =
		realloc(config->listed, (config->listed_count + 1) * sizeof *listed);
	if (listed == NULL)
		return -1;
	config->listed = listed;

	char *copy = strndup(file, length);
	if (copy == NULL)
		return -1;
	struct counter_name *name = &listed[config->listed_count++];
	*name = (struct counter_name){.any_group = any_group, .group = group, .file = copy};
	for (enum vendor vendor = 0; vendor <= VENDOR_OTHER; vendor++)
		name->vendors[vendor] = def == NULL || counter_is_of(def, vendor);
	return 0;
}

static const char *
choose_configured(struct scan_config *config, const struct counter_list *counters)
{
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_def *def = &counters->items[i];
		if (def->enabled &&
			add(config, false, def->group, def->file, strlen(def->file), def) < 0)
			return "out of memory";
	}
	return NULL;
}

/* Append one element of the list: `length` bytes of `text`. Return NULL, or the reason for
 * rejecting it. */
static const char *
choose_one(struct scan_config *config, const char *text, size_t length)
{
	char name[256];
	enum counter_group group = COUNTER_PORT;
	const char *file = name;

	if (length >= sizeof name)
		return "a counter's name is too long";
	memcpy(name, text, length);
	name[length] = '\0';

	bool any_group = strchr(name, '/') == NULL;
	if (any_group ? !sysfs_is_name(name) : !counter_parse_path(name, &group, &file))
		return "not a counter (NAME, counters/NAME, hw_counters/NAME, "
		       "device_hw_counters/NAME "
		       "or statistics/NAME)";
	return add(config, any_group, group, file, strlen(file), NULL) < 0 ? "out of memory" : NULL;
}

const char *
config_choose(struct scan_config *config, const char *text, const struct counter_list *counters)
{
	if (strcmp(text, "all") == 0) {
		config->choice = COUNTERS_ALL;
		return NULL;
	}
	if (strcmp(text, "none") == 0) {
		config->choice = COUNTERS_NONE;
		return NULL;
	}
	config->choice = COUNTERS_LISTED;
	if (strcmp(text, "configured") == 0)
		return choose_configured(config, counters);

	const char *rest = text, *name, *reason = NULL;
	size_t length;
	while (reason == NULL && commalist_next(&rest, &name, &length))
		reason = choose_one(config, name, length);
	return reason == NULL && config->listed_count == 0 ? "no counter is named" : reason;
}

bool
config_wants_device(const struct scan_config *config, const char *name)
{
	if (config->include != NULL && !rx_match(config->include, name))
		return false;
	return config->exclude == NULL || !rx_match(config->exclude, name);
}

bool
config_wants_counter(const struct scan_config *config, enum counter_group group, const char *file,
	enum vendor vendor)
{
	if (config->choice != COUNTERS_LISTED)
		return config->choice == COUNTERS_ALL;
	for (size_t i = 0; i < config->listed_count; i++) {
		const struct counter_name *wanted = &config->listed[i];
		if ((wanted->any_group || wanted->group == group) && wanted->vendors[vendor] &&
			strcmp(wanted->file, file) == 0)
			return true;
	}
	return false;
}

void
config_fini(struct scan_config *config)
{
	for (size_t i = 0; i < config->listed_count; i++)
		free(config->listed[i].file);
	free(config->listed);
	rx_free(config->include);
	rx_free(config->exclude);
	*config = (struct scan_config){0};
}
