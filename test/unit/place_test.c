/* Unit tests of place: parsing DEVICE or DEVICE/PORT. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include "check.h"

#include <stdio.h>

static void
split(void)
{
	static const struct {
		const char *text, *device;
		bool is_place;
		uint64_t port;
	} rows[] = {
		{"mlx5_0", "mlx5_0", true, 0},
		{"mlx5_0/1", "mlx5_0", true, 1},
		{"mlx5_0/255", "mlx5_0", true, 255},
		{"mlx5_0/256", "mlx5_0", false, 0},
		{"mlx5_0/0", "mlx5_0", false, 0},
		{"mlx5_0/", "mlx5_0", false, 0},
		{"mlx5_0/1/2", "mlx5_0", false, 0},
		{"mlx5_0/x", "mlx5_0", false, 0},
		{"mlx5_0/-1", "mlx5_0", false, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[16];
		uint64_t port;
		check_row("%s", rows[i].text);
		snprintf(text, sizeof text, "%s", rows[i].text);
		bool is_place = place_split(text, &port);
		CHECK_INT(is_place, rows[i].is_place);
		CHECK_STR(text, rows[i].device);
		if (is_place)
			CHECK_U64(port, rows[i].port);
	}
}

static const struct check_test tests[] = {
	{"a place is a device, or a device and a port from 1 to 255 behind a slash", split},
};
CHECK_MAIN(tests)
