/* headline - formats the summary line of a node. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "headline.h"

#include "cells.h"
#include "strbuf.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* Least useful width of a node's name. */
#define NODE_WIDTH_MIN 12

/* Format a record's time as `2026-01-02 03:04:05Z`. Another form stays unchanged. */
static void
format_time(const char *stamp, char *text, size_t size)
{
	static const char form[] = "0000-00-00T00:00:00.";
	size_t length = strlen(stamp);
	size_t same = 0;

	while (same < sizeof form - 1 && same < length &&
		(form[same] == '0' ? stamp[same] >= '0' && stamp[same] <= '9'
				   : stamp[same] == form[same]))
		same++;
	cell_escape(stamp, text, size);
	if (same < sizeof form - 1 || stamp[length - 1] != 'Z' || size < sizeof form)
		return;
	text[10] = ' ';
	strcpy(text + 19, "Z");
}

/* `18 NICs, 18 ports, 16 VFs, 8 planes` */
static void
append_counts(const struct scan *scan, struct strbuf *text)
{
	size_t nics = 0, vfs = 0, ports = 0, planes = 0;

	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scanrec_device *device = &scan->devices[i].record;
		nics += !device->vf && device->parent == NULL;
		vfs += device->vf;
	}
	for (size_t i = 0; i < scan->port_count; i++) {
		size_t index = scan->ports[i].device;
		const struct scanrec_device *device =
			index != SIZE_MAX ? &scan->devices[index].record : NULL;
		if (device != NULL && device->parent != NULL)
			planes++;
		else
			ports += device == NULL || !device->vf;
	}
	strbuf_addf(
		text, "%zu NIC%s, %zu port%s", nics, text_plural(nics), ports, text_plural(ports));
	if (vfs > 0)
		strbuf_addf(text, ", %zu VF%s", vfs, text_plural(vfs));
	if (planes > 0)
		strbuf_addf(text, ", %zu plane%s", planes, text_plural(planes));
}

struct tally {
	size_t marks[ROW_MARK_NONE + 1];
	size_t watched, unreadable;
};

static struct tally
count(const struct row_list *rows)
{
	struct tally tally = {0};
	for (size_t i = 0; i < rows->count; i++) {
		enum row_verdict verdict = rows->items[i].verdict;
		tally.marks[row_mark(verdict)]++;
		tally.watched += verdict != ROW_UNWATCHED && verdict != ROW_VIRTUAL;
		tally.unreadable += verdict == ROW_UNREADABLE;
	}
	return tally;
}

/* Return true if the rows may not show everything: a record was lost, or the scan is incomplete and
 * no row says what could not be read. */
static bool
is_incomplete(const struct scan *scan, const struct tally *tally)
{
	return !scan->whole || (scan->listed && !scan->complete && tally->unreadable == 0);
}

/* Append `1 problem, 2 warnings, 1 unclear` or `all well`. */
static void
append_verdict(const struct scan *scan, const struct tally *tally, struct strbuf *text)
{
	size_t problems = tally->marks[ROW_MARK_PROBLEM], warnings = tally->marks[ROW_MARK_WARNING],
	       unclear = tally->marks[ROW_MARK_UNCLEAR];

	if (problems > 0)
		strbuf_addf(text, "%zu problem%s", problems, text_plural(problems));
	else if (tally->watched == 0)
		strbuf_addf(text, "no port is monitored");
	else if (warnings == 0 && (unclear > 0 || is_incomplete(scan, tally)))
		strbuf_addf(text, "no problem");
	else if (warnings == 0)
		strbuf_addf(text, "all well");
	if (warnings > 0)
		strbuf_addf(text, "%s%zu warning%s", problems > 0 ? ", " : "", warnings,
			text_plural(warnings));
	if (unclear > 0)
		strbuf_addf(text, ", %zu unclear", unclear);
	if (is_incomplete(scan, tally))
		strbuf_addf(text, ", scan incomplete");
}

static enum row_mark
worst(const struct scan *scan, const struct tally *tally)
{
	for (enum row_mark mark = 0; mark < ROW_MARK_NONE; mark++) {
		if (tally->marks[mark] > 0)
			return mark;
	}
	return !is_incomplete(scan, tally) && tally->watched > 0 ? ROW_MARK_NONE : ROW_MARK_UNCLEAR;
}

/* Return true if the line fits with at least the least useful width of the node's name. */
static bool
fits(const char *node, const char *time, const char *said, size_t columns)
{
	size_t name = strlen(node) < NODE_WIDTH_MIN ? strlen(node) : NODE_WIDTH_MIN;
	return name + 2 + strlen(time) + 2 + strlen(said) <= columns;
}

enum row_mark
headline_format(const struct scan *scan, const struct row_list *rows, size_t columns,
	char text[HEADLINE_SIZE])
{
	char node[HEADLINE_SIZE], stamp[HEADLINE_SIZE / 4], bytes[HEADLINE_SIZE];
	struct strbuf said;
	struct tally tally = count(rows);
	bool ended = scan->end_json != NULL;
	strbuf_init(&said, bytes, sizeof bytes);

	if (ended && scan->end.error != NULL) {
		char error[HEADLINE_SIZE / 8];
		strbuf_addf(&said, "%s (class/infiniband: %s)",
			strcmp(scan->end.error, "ENOENT") == 0 ? "no RDMA devices"
							       : "RDMA devices cannot be listed",
			cell_escape(scan->end.error, error, sizeof error));
		if (rows->count > 0)
			strbuf_addf(&said, ", ");
	} else if (ended && rows->count == 0 && scan->whole) {
		strbuf_addf(&said, "no RDMA devices");
	} else {
		append_counts(scan, &said);
		strbuf_addf(&said, ": ");
	}
	if (rows->count > 0 || !scan->whole)
		append_verdict(scan, &tally, &said);

	cell_escape(scan->begin.node != NULL ? scan->begin.node : "-", node, sizeof node);
	format_time(scan->begin.ts, stamp, sizeof stamp);
	/* Drop the date first, then the time. */
	const char *time = stamp, *space = strchr(stamp, ' ');
	if (!fits(node, time, said.bytes, columns) && space != NULL)
		time = space + 1;
	if (!fits(node, time, said.bytes, columns))
		time = "";
	size_t others = strlen(time) + said.length + (*time != '\0' ? 4 : 2);
	size_t room = columns > others ? columns - others : 0;
	cell_shorten(node, room > NODE_WIDTH_MIN ? room : NODE_WIDTH_MIN);
	snprintf(text, HEADLINE_SIZE, "%s  %s%s%s", node, time, *time != '\0' ? "  " : "",
		said.bytes);
	return worst(scan, &tally);
}
