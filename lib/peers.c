/* peers - which ports and cards are evidence about each other, and which ports run slower than
 * others of their kind. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include "layer.h"
#include "portfacts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More lanes than any link has. */
#define WIDTH_MAX 1024

/* --- the most common value --- */

static int
compare_values(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

enum peers_verdict
peers_mode(double *values, size_t count, double *mode)
{
	size_t best = 0;
	double most_common = 0;
	bool tied = false;

	if (count < 2)
		return PEERS_ALONE;
	qsort(values, count, sizeof *values, compare_values);
	for (size_t start = 0, end = 0; start < count; start = end) {
		do
			end++;
		while (end < count && values[end] <= values[start]);
		tied = end - start == best || (tied && end - start < best);
		if (end - start > best) {
			best = end - start;
			most_common = values[start];
		}
	}
	if (tied)
		return PEERS_TIED;
	*mode = most_common;
	return PEERS_MEETS;
}

/* --- grouping ports into peers --- */

/* NULL (unknown) comes first and equals itself. */
static int
compare_texts(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

struct peers_kind
peers_kind_of(const struct scan *scan, const struct scan_port *port)
{
	const struct scanrec_device *device =
		port->device != SIZE_MAX ? &scan->devices[port->device].record : NULL;
	struct peers_kind kind = {
		.role = portfacts_no_peers(port->record.role) == NULL ? port->record.role : NULL,
		.link_layer = port->record.link_layer,
		.hca_type = device != NULL ? device->hca_type : NULL,
		.board_id = device != NULL ? device->board_id : NULL,
	};
	if (kind.role != NULL && device != NULL)
		kind.reason = device->reason;
	return kind;
}

int
peers_compare_kinds(const struct peers_kind *a, const struct peers_kind *b)
{
	int order = compare_texts(a->role, b->role);
	if (order == 0)
		order = compare_texts(a->reason, b->reason);
	if (order == 0)
		order = compare_texts(a->link_layer, b->link_layer);
	if (order == 0)
		order = compare_texts(a->hca_type, b->hca_type);
	return order != 0 ? order : compare_texts(a->board_id, b->board_id);
}

static int
compare_ports(const void *a, const void *b)
{
	const struct peers_port *left = *(const struct peers_port *const *)a;
	const struct peers_port *right = *(const struct peers_port *const *)b;
	return peers_compare_kinds(&left->kind, &right->kind);
}

/* mlx5 shows 4X QDR for an Ethernet link that is down or whose mode it cannot name
 * (mlx5_query_port_roce). efa shows the same rate for all adapters, or the adapter's rate whatever
 * its link does (efa_query_port). */
static bool
is_placeholder(const struct peers_port *port)
{
	enum layer layer = layer_find(port->kind.link_layer);
	if (layer == LAYER_EFA)
		return true;
	return layer == LAYER_ETHERNET && port->width == 4 && port->rate_gbps >= 40 &&
	       port->rate_gbps <= 40;
}

static bool
has_rate(const struct peers_port *port)
{
	return port->rate_gbps > 0 && !is_placeholder(port);
}

static bool
has_width(const struct peers_port *port)
{
	return port->width > 0 && !is_placeholder(port);
}

/* Compare the port with the most common rate and width. A port that is faster with fewer lanes is
 * not at fault. */
static enum peers_verdict
eval_port(const struct peers_port *port, enum peers_verdict rates, enum peers_verdict widths)
{
	bool known = widths == PEERS_MEETS && has_width(port);
	bool narrow = known && port->width < port->peer_width;
	bool wide = known && port->width > port->peer_width;

	if (!has_rate(port) && !has_width(port))
		return PEERS_NOT_EVALUATED;
	if (!has_rate(port))
		return narrow ? PEERS_WIDTH_BELOW : widths;
	if (rates != PEERS_MEETS)
		return rates;
	if (port->rate_gbps < port->peer_rate_gbps)
		return wide ? PEERS_OTHER_WIRING : PEERS_RATE_BELOW;
	return narrow && port->rate_gbps <= port->peer_rate_gbps ? PEERS_WIDTH_BELOW : PEERS_MEETS;
}

/* Evaluate ports that are peers. `values` has room for all of them. */
static void
eval_group(struct peers_port **peers, size_t count, double *values)
{
	double rate_gbps = 0, width = 0;
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		if (has_rate(peers[i]))
			values[known++] = peers[i]->rate_gbps;
	}
	enum peers_verdict rates = peers_mode(values, known, &rate_gbps);
	known = 0;
	for (size_t i = 0; i < count; i++) {
		if (has_width(peers[i]))
			values[known++] = peers[i]->width;
	}
	enum peers_verdict widths = peers_mode(values, known, &width);
	for (size_t i = 0; i < count; i++) {
		peers[i]->peer_rate_gbps = rate_gbps;
		peers[i]->peer_width = (unsigned)width;
		peers[i]->verdict = eval_port(peers[i], rates, widths);
	}
}

struct peers_port
peers_describe(const struct scan *scan, const struct scan_port *port, bool counts)
{
	const struct scanrec_port *record = &port->record;
	return (struct peers_port){
		.kind = peers_kind_of(scan, port),
		.counts = counts,
		.rate_gbps = record->rate_gbps,
		.width = peers_width(record->rate),
	};
}

int
peers_eval(struct peers_port *ports, size_t count)
{
	size_t chosen = 0;

	for (size_t i = 0; i < count; i++) {
		ports[i].verdict = PEERS_NOT_EVALUATED;
		ports[i].peer_rate_gbps = 0;
		ports[i].peer_width = 0;
	}
	/* + 1: calloc(0) may return NULL. */
	struct peers_port **sorted = calloc(count + 1, sizeof *sorted);
	double *values = calloc(count + 1, sizeof *values);
	if (sorted == NULL || values == NULL) {
		free(sorted);
		free(values);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		if (ports[i].kind.role != NULL && ports[i].counts)
			sorted[chosen++] = &ports[i];
	}
	qsort(sorted, chosen, sizeof *sorted, compare_ports);
	for (size_t start = 0, end = 0; start < chosen; start = end) {
		while (end < chosen && compare_ports(&sorted[start], &sorted[end]) == 0)
			end++;
		eval_group(sorted + start, end - start, values);
	}
	free(sorted);
	free(values);
	return 0;
}

/* --- texts --- */

unsigned
peers_width(const char *rate)
{
	const char *at = rate != NULL ? strchr(rate, '(') : NULL;
	unsigned width = 0;

	if (at == NULL)
		return 0;
	for (at++; *at >= '0' && *at <= '9' && width < WIDTH_MAX; at++)
		width = width * 10 + (unsigned)(*at - '0');
	return *at == 'X' && width < WIDTH_MAX ? width : 0;
}

char *
peers_rate(double rate_gbps, char *text, size_t size)
{
	/* 10 digits are more than any rate has; %g omits zeros after the point. */
	snprintf(text, size, "%.10g Gb/s", rate_gbps);
	return text;
}

char *
peers_reason(const struct peers_port *port, char *text, size_t size)
{
	char own[PEERS_TEXT_SIZE], peers[PEERS_TEXT_SIZE];

	if (size > 0)
		*text = '\0';
	if (port->verdict == PEERS_RATE_BELOW)
		snprintf(text, size, "rate %s, peers %s",
			peers_rate(port->rate_gbps, own, sizeof own),
			peers_rate(port->peer_rate_gbps, peers, sizeof peers));
	else if (port->verdict == PEERS_WIDTH_BELOW)
		snprintf(text, size, "width %uX, peers %uX", port->width, port->peer_width);
	return text;
}
