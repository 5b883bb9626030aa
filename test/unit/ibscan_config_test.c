/* Unit tests of ibscan's config: choosing devices and counters. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/config.h"

#include "check.h"

#include <stdlib.h>

static struct counter_list counters;

static void
set_up(void)
{
	CHECK_INT(counter_list_init(&counters), 0);
}

static void
words(void)
{
	static const struct {
		const char *text;
		enum counter_choice choice;
		bool any;
	} rows[] = {{"all", COUNTERS_ALL, true}, {"none", COUNTERS_NONE, false}};
	set_up();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scan_config config = {0};
		check_row("%s", rows[i].text);
		CHECK_STR(config_choose(&config, rows[i].text, &counters), NULL);
		CHECK_INT(config.choice, rows[i].choice);
		for (int group = 0; group < COUNTER_GROUP_N; group++)
			CHECK_INT(config_wants_counter(&config, (enum counter_group)group,
					  "any_file", VENDOR_AMAZON),
				rows[i].any);
		config_fini(&config);
	}
	counter_list_fini(&counters);
}

/* The choice is by file: several counters may be in one. */
static bool
is_configured(const struct counter_def *wanted, enum vendor vendor)
{
	for (size_t i = 0; i < counters.count; i++) {
		const struct counter_def *def = &counters.items[i];
		if (def->enabled && def->group == wanted->group &&
			strcmp(def->file, wanted->file) == 0 && counter_is_of(def, vendor))
			return true;
	}
	return false;
}

static void
configured(void)
{
	struct scan_config config = {0};
	set_up();
	CHECK_STR(config_choose(&config, "configured", &counters), NULL);
	for (size_t i = 0; i < counters.count; i++) {
		const struct counter_def *def = &counters.items[i];
		check_row("%s", def->name);
		for (enum vendor vendor = 0; vendor <= VENDOR_OTHER; vendor++)
			CHECK_INT(config_wants_counter(&config, def->group, def->file, vendor),
				is_configured(def, vendor));
	}
	check_row("%s", "");
	CHECK(!config_wants_counter(&config, COUNTER_HW, "symbol_error", VENDOR_NVIDIA));
	CHECK(!config_wants_counter(&config, COUNTER_PORT, "port_rcv_data", VENDOR_NVIDIA));
	CHECK(config_wants_counter(&config, COUNTER_PORT, "symbol_error", VENDOR_NVIDIA));
	config_fini(&config);
	counter_list_fini(&counters);
}

static void
listed(void)
{
	static const struct {
		const char *list;
		enum counter_group group;
		const char *file;
		bool wanted;
	} rows[] = {
		{"link_downed", COUNTER_PORT, "link_downed", true},
		{"link_downed", COUNTER_HW, "link_downed", true},
		{"link_downed", COUNTER_STATISTICS, "link_downed", true},
		{"link_downed", COUNTER_PORT, "link_downe", false},
		{"link_downed", COUNTER_PORT, "link_downed2", false},
		{"counters/x", COUNTER_PORT, "x", true},
		{"counters/x", COUNTER_HW, "x", false},
		{"hw_counters/x", COUNTER_HW, "x", true},
		{"hw_counters/x", COUNTER_PORT, "x", false},
		{"device_hw_counters/x", COUNTER_DEVICE_HW, "x", true},
		{"device_hw_counters/x", COUNTER_HW, "x", false},
		{"statistics/x", COUNTER_STATISTICS, "x", true},
		{"statistics/x", COUNTER_INTERFACE, "x", false},
		{"/sys/class/net/{interface}/x", COUNTER_INTERFACE, "x", true},
		{"a,hw_counters/b,c", COUNTER_PORT, "a", true},
		{"a,hw_counters/b,c", COUNTER_HW, "b", true},
		{"a,hw_counters/b,c", COUNTER_PORT, "b", false},
		{"a,hw_counters/b,c", COUNTER_INTERFACE, "c", true},
		{" a ,, hw_counters/b\t,", COUNTER_PORT, "a", true},
		{" a ,, hw_counters/b\t,", COUNTER_HW, "b", true},
		/* These words count only alone. */
		{"all,x", COUNTER_PORT, "y", false},
		{"none,x", COUNTER_PORT, "x", true},
	};
	set_up();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scan_config config = {0};
		check_row("%s", rows[i].list);
		CHECK_STR(config_choose(&config, rows[i].list, &counters), NULL);
		CHECK_INT(config.choice, COUNTERS_LISTED);
		for (enum vendor vendor = 0; vendor <= VENDOR_OTHER; vendor++)
			CHECK_INT(
				config_wants_counter(&config, rows[i].group, rows[i].file, vendor),
				rows[i].wanted);
		config_fini(&config);
	}
	counter_list_fini(&counters);
}

static void
refused(void)
{
	static const char *const lists[] = {"", ",", " , ", "a,.", ".", "..", "a/b", "counters/",
		"counters/..", "hw_counters/lifespan", "/etc/passwd", "counters/../state",
		"a,../b"};
	set_up();
	for (size_t i = 0; i < CHECK_COUNT(lists); i++) {
		struct scan_config config = {0};
		check_row("\"%s\"", lists[i]);
		CHECK(config_choose(&config, lists[i], &counters) != NULL);
		config_fini(&config);
	}
	struct scan_config config = {0};
	char *name = check_repeat_new('x', 300);
	check_row("%s", "300 bytes");
	CHECK(config_choose(&config, name, &counters) != NULL);
	config_fini(&config);
	free(name);
	counter_list_fini(&counters);
}

static struct rx *
expression(const char *text)
{
	struct rx_error error;
	return text != NULL ? rx_new(text, strlen(text), &error) : NULL;
}

static void
devices(void)
{
	static const struct {
		const char *include, *exclude, *device;
		bool wanted;
	} rows[] = {
		{NULL, NULL, "mlx5_0", true},
		{"^mlx5_", NULL, "mlx5_0", true},
		{"^mlx5_", NULL, "irdma0", false},
		{NULL, "_1$", "mlx5_1", false},
		{NULL, "_1$", "mlx5_10", true},
		{"^mlx5_", "_1$", "mlx5_0", true},
		/* Exclusion wins. */
		{"^mlx5_", "_1$", "mlx5_1", false},
		{"^mlx5_", "_1$", "irdma0", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scan_config config = {.include = expression(rows[i].include),
			.exclude = expression(rows[i].exclude)};
		check_row("row %zu", i);
		CHECK_INT(config_wants_device(&config, rows[i].device), rows[i].wanted);
		config_fini(&config);
		CHECK(config.include == NULL && config.exclude == NULL);
	}
}

static const struct check_test tests[] = {
	{"'all' is every counter, 'none' is no counter", words},
	{"'configured' is every enabled counter, each in its own directory", configured},
	{"a listed name is chosen in every directory, a listed path only there", listed},
	{"an empty, unknown or escaping name is refused", refused},
	{"a device is chosen if it is included and not excluded", devices},
};
CHECK_MAIN(tests)
