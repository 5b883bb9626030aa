/* Unit tests of nicview's layout: the widths of columns, and which columns are left out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/nicview/layout.h"

#include "check.h"

/* The widths of h100-oci-one-port-down. */
static const struct layout_wish usual = {
	.full = {[COLUMN_DEVICE] = 7,
		[COLUMN_PORT] = 4,
		[COLUMN_PCI] = 12,
		[COLUMN_ROLE] = 10,
		[COLUMN_LINK] = 8,
		[COLUMN_STATE] = 6,
		[COLUMN_PHYS] = 8,
		[COLUMN_RATE] = 4,
		[COLUMN_LANES] = 6,
		[COLUMN_NETDEV] = 6,
		[COLUMN_OPER] = 4},
	.brief = {[COLUMN_DEVICE] = 7,
		[COLUMN_PORT] = 4,
		[COLUMN_PCI] = 7,
		[COLUMN_ROLE] = 7,
		[COLUMN_LINK] = 4,
		[COLUMN_STATE] = 6,
		[COLUMN_PHYS] = 8,
		[COLUMN_RATE] = 4,
		[COLUMN_LANES] = 6,
		[COLUMN_NETDEV] = 6,
		[COLUMN_OPER] = 4},
	.remarks = 12,
	.remarks_least = 12,
};

static size_t
total(const struct layout *layout)
{
	size_t width = LAYOUT_MARK_WIDTH + 1, shown = 0;
	for (size_t c = 0; c < COLUMN_N; c++) {
		width += layout->width[c];
		shown += layout->width[c] > 0;
	}
	return width + (shown > 0 ? (shown - 1) * layout->gap : 0);
}

static void
fits(void)
{
	for (size_t columns = 40; columns < 250; columns++) {
		struct layout layout;
		check_row("%zu columns", columns);
		layout_fit(&usual, columns, &layout);
		CHECK(total(&layout) <= columns);
		CHECK(layout.width[COLUMN_DEVICE] == 7 && layout.width[COLUMN_PORT] == 4 &&
			layout.width[COLUMN_STATE] == 6);
		if (layout.remarks > 0)
			CHECK_U64(total(&layout) + layout.gap + layout.remarks, columns);
	}
}

static void
keeps(void)
{
	/* The columns left out at common widths. */
	static const struct {
		size_t columns;
		bool pci, oper, lanes, netdev, brief;
	} rows[] = {
		{200, true, true, true, true, false},
		{100, true, true, true, true, true},
		{80, false, false, true, true, true},
		{60, false, false, false, false, true},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct layout layout;
		check_row("%zu columns", rows[i].columns);
		layout_fit(&usual, rows[i].columns, &layout);
		CHECK_INT(layout.width[COLUMN_PCI] > 0, rows[i].pci);
		CHECK_INT(layout.width[COLUMN_OPER] > 0, rows[i].oper);
		CHECK_INT(layout.width[COLUMN_LANES] > 0, rows[i].lanes);
		CHECK_INT(layout.width[COLUMN_NETDEV] > 0, rows[i].netdev);
		CHECK_INT(layout.brief[COLUMN_LINK], rows[i].brief);
		CHECK(layout.width[COLUMN_PHYS] > 0 && layout.width[COLUMN_ROLE] > 0);
		CHECK(layout.remarks >= usual.remarks_least);
	}
}

static void
absent(void)
{
	/* A column without any text takes no room, short form or not. */
	struct layout layout;
	struct layout_wish wish = usual;
	wish.full[COLUMN_PCI] = wish.full[COLUMN_ROLE] = 0;
	for (size_t columns = 40; columns < 250; columns++) {
		layout_fit(&wish, columns, &layout);
		CHECK_INT(layout.width[COLUMN_PCI], 0);
		CHECK_INT(layout.width[COLUMN_ROLE], 0);
	}
	CHECK_INT(layout.brief[COLUMN_LINK], false);
}

static void
hostile(void)
{
	/* With texts of any length no line grows beyond its width, as far as possible. */
	struct layout layout;
	struct layout_wish wish = {.remarks = 4000, .remarks_least = 24};
	for (size_t c = 0; c < COLUMN_N; c++)
		wish.full[c] = wish.brief[c] = CELL_SIZE - 1;
	for (size_t columns = 100; columns < 1000; columns++) {
		check_row("%zu columns", columns);
		layout_fit(&wish, columns, &layout);
		CHECK(total(&layout) <= columns);
		CHECK(layout.width[COLUMN_DEVICE] >= 12 && layout.width[COLUMN_STATE] >= 12);
	}
	/* One long name must not displace the other columns. */
	wish = usual;
	wish.full[COLUMN_DEVICE] = wish.brief[COLUMN_DEVICE] = 64;
	layout_fit(&wish, 120, &layout);
	CHECK_INT(layout.width[COLUMN_DEVICE], 20);
	CHECK(layout.width[COLUMN_PCI] > 0 && layout.width[COLUMN_OPER] > 0);
}

static const struct check_test tests[] = {
	{"at any width device, port and state are shown, and the line fits", fits},
	{"the least important column is left out first", keeps},
	{"an empty column takes no room", absent},
	{"texts of any length still give a table", hostile},
};
CHECK_MAIN(tests)
