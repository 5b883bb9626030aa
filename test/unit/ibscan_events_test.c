/* Unit tests of ibscan's events: the devices that a record is about (spec#extra-scans); and of
 * told: changes of a port's states. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/events.h"

#include "../../tools/ibscan/told.h"
#include "check.h"

#include <stdio.h>

static void
concerned(void)
{
	static const struct {
		const char *record;
		enum events_about about;
		const char *device;
	} rows[] = {
		{"{'kind':'async','device':'mlx5_0','event':'PORT_ERR'}", EVENTS_DEVICE, "mlx5_0"},
		{"{'kind':'async','device':'mlx5_0','event':'PORT_ACTIVE'}", EVENTS_DEVICE,
			"mlx5_0"},
		{"{'kind':'async','device':'rdmap1','event':'LINK_UP'}", EVENTS_DEVICE, "rdmap1"},
		{"{'kind':'async','device':'mlx5_0','event':'DEVICE_FATAL'}", EVENTS_DEVICE,
			"mlx5_0"},
		{"{'kind':'gap','via':'link','lost':3}", EVENTS_ALL, NULL},
		{"{'kind':'gap','device':'mlx5_0'}", EVENTS_ALL, NULL},
		/* Not about a port's state. */
		{"{'kind':'async','device':'mlx5_0','event':'QP_FATAL'}", EVENTS_NOTHING, "mlx5_0"},
		{"{'kind':'async','device':'mlx5_0','event':'GID_CHANGE'}", EVENTS_NOTHING,
			"mlx5_0"},
		{"{'kind':'async','device':'mlx5_0','event':'XPORT_ERR'}", EVENTS_NOTHING,
			"mlx5_0"},
		/* No known device of this node. */
		{"{'kind':'async','device':null,'event':'LINK_DOWN'}", EVENTS_NOTHING, NULL},
		{"{'kind':'async','event':'LINK_DOWN'}", EVENTS_NOTHING, NULL},
		{"{'kind':'async','device':7,'event':'LINK_DOWN'}", EVENTS_NOTHING, NULL},
		{"{'kind':'async','device':'mlx5_0'}", EVENTS_NOTHING, NULL},
		{"{'kind':'async','device':'mlx5_0','event':['LINK_DOWN']}", EVENTS_NOTHING, NULL},
		{"{'kind':'cm','device':'mlx5_0','event':'DEVICE_REMOVAL'}", EVENTS_NOTHING, NULL},
		{"{'kind':'port','device':'mlx5_0','event':'LINK_DOWN'}", EVENTS_NOTHING, NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const char *device = "untouched";
		json_t *record = check_json_new(rows[i].record);
		check_row("%s", rows[i].record);
		CHECK_INT(events_parse(record, &device), rows[i].about);
		CHECK_STR(device, rows[i].device);
		json_decref(record);
	}
}

static void
set(struct text_value *value, const char *text)
{
	value->present = text != NULL;
	snprintf(value->text, sizeof value->text, "%s", text != NULL ? text : "");
}

static void
compared(void)
{
	struct told *told = told_new();
	struct port port = {.number = 1}, other = {.number = 2};

	set(&port.state, "4: ACTIVE");
	set(&port.phys_state, "5: LinkUp");
	set(&port.operstate, "up");
	CHECK(told_is_new(told, "m0", &port));
	told_note(told, "m0", &port);
	CHECK(!told_is_new(told, "m0", &port));
	/* Each device's port separately. */
	CHECK(told_is_new(told, "m1", &port));
	CHECK(told_is_new(told, "m0", &other));

	/* Each of the states. */
	struct port changed[] = {port, port, port, port, port, port};
	set(&changed[0].state, "1: DOWN");
	set(&changed[1].phys_state, "2: Polling");
	set(&changed[2].operstate, "down");
	set(&changed[3].operstate, NULL);
	changed[4].has_carrier = true;
	changed[5].has_carrier = changed[5].carrier = true;
	for (size_t i = 0; i < CHECK_COUNT(changed); i++) {
		check_row("change %zu", i);
		CHECK(told_is_new(told, "m0", &changed[i]));
		told_note(told, "m0", &changed[i]);
		CHECK(!told_is_new(told, "m0", &changed[i]));
		CHECK(told_is_new(told, "m0", &port));
	}
	/* Without a memory nothing happens. */
	told_note(NULL, "m0", &port);
	told_free(told);
	told_free(NULL);
}

static const struct check_test tests[] = {
	{"events about port states name a device, and lost events mean all devices", concerned},
	{"a port's states are new if one differs from the last written", compared},
};

CHECK_MAIN(tests)
