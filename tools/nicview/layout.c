/* layout - fits the columns into the width of the table. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include "array.h"

/* Between columns. */
#define GAP 2
#define GAP_LEAST 1

enum measure { SHORTEN, CUT, LEAVE_OUT, CLOSE_UP };

/* Steps to narrow the table, in order. */
static const struct step {
	enum measure measure;
	enum column column;
	size_t width; /* for CUT */
} steps[] = {
	{SHORTEN, COLUMN_LINK, 0},
	{SHORTEN, COLUMN_PCI, 0},
	{SHORTEN, COLUMN_ROLE, 0},
	/* From here on text is lost. */
	{CLOSE_UP, COLUMN_N, 0},
	{CUT, COLUMN_DEVICE, 20},
	{CUT, COLUMN_PCI, 16},
	{CUT, COLUMN_ROLE, 16},
	{CUT, COLUMN_LINK, 12},
	{CUT, COLUMN_STATE, 16},
	{CUT, COLUMN_PHYS, 17},
	{CUT, COLUMN_RATE, 8},
	{CUT, COLUMN_LANES, 10},
	{CUT, COLUMN_NETDEV, 16},
	{CUT, COLUMN_OPER, 14},
	{LEAVE_OUT, COLUMN_PCI, 0},
	{LEAVE_OUT, COLUMN_OPER, 0},
	{LEAVE_OUT, COLUMN_LANES, 0},
	{LEAVE_OUT, COLUMN_NETDEV, 0},
	{LEAVE_OUT, COLUMN_LINK, 0},
	{LEAVE_OUT, COLUMN_RATE, 0},
	{LEAVE_OUT, COLUMN_ROLE, 0},
	{LEAVE_OUT, COLUMN_PHYS, 0},
	{CUT, COLUMN_DEVICE, 12},
	{CUT, COLUMN_STATE, 12},
};

/* Return the width of the mark and the columns, without the remarks. */
static size_t
used(const struct layout *layout)
{
	size_t total = LAYOUT_MARK_WIDTH + 1;
	bool first = true;

	for (size_t c = 0; c < COLUMN_N; c++) {
		if (layout->width[c] == 0)
			continue;
		total += layout->width[c] + (first ? 0 : layout->gap);
		first = false;
	}
	return total;
}

static bool
fits(const struct layout *layout, size_t remarks, size_t columns)
{
	return used(layout) + (remarks > 0 ? layout->gap + remarks : 0) <= columns;
}

static void
apply(const struct step *step, const struct layout_wish *wish, struct layout *layout)
{
	switch (step->measure) {
	case SHORTEN:
		layout->brief[step->column] = true;
		if (layout->width[step->column] > 0)
			layout->width[step->column] = wish->brief[step->column];
		break;
	case CUT:
		if (layout->width[step->column] > step->width)
			layout->width[step->column] = step->width;
		break;
	case LEAVE_OUT:
		layout->width[step->column] = 0;
		break;
	case CLOSE_UP:
		layout->gap = GAP_LEAST;
		break;
	}
}

void
layout_fit(const struct layout_wish *wish, size_t columns, struct layout *layout)
{
	*layout = (struct layout){.gap = GAP};
	for (size_t c = 0; c < COLUMN_N; c++)
		layout->width[c] = wish->full[c];
	for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
		bool lossless = steps[i].measure == SHORTEN;
		if (fits(layout, lossless ? wish->remarks : wish->remarks_least, columns))
			break;
		apply(&steps[i], wish, layout);
	}
	/* Dropping a column may have freed more width than was needed. */
	layout->gap = GAP;
	if (!fits(layout, wish->remarks_least, columns))
		layout->gap = GAP_LEAST;
	size_t left = used(layout) + layout->gap;
	layout->remarks = left < columns ? columns - left : 0;
}
