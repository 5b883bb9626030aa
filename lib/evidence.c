/* evidence - compares the card of a port that is not up with the other cards of the node. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include "layer.h"
#include "peers.h"
#include "portfacts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for the longest name in a record and a NUL. */
#define CARD_SIZE 65

/* A watched port. */
struct entry {
	struct peers_kind kind;
	enum layer layer;
	char card[CARD_SIZE];
	size_t port; /* index in the scan */
	bool up, readable;
};

bool
evidence_is_watched(const struct scan *scan, const struct scan_port *port)
{
	if (!port->record.monitored)
		return false;
	if (port->device == SIZE_MAX)
		return true;
	const struct scanrec_device *device = &scan->devices[port->device].record;
	return !device->vf && device->parent == NULL;
}

/* Write the annotated card, else the PCI address without its function, else the device's name. */
static void
name_card(char *card, const struct scanrec_device *device, const char *name)
{
	const char *known = device != NULL && device->card != NULL ? device->card : NULL;
	const char *pci = device != NULL ? device->pci : NULL;

	snprintf(card, CARD_SIZE, "%s", known != NULL ? known : pci != NULL ? pci : name);
	char *dot = known == NULL && pci != NULL ? strrchr(card, '.') : NULL;
	if (dot != NULL)
		*dot = '\0';
}

static struct entry
entry_of(const struct scan *scan, size_t index)
{
	const struct scan_port *port = &scan->ports[index];
	const struct scanrec_device *device =
		port->device != SIZE_MAX ? &scan->devices[port->device].record : NULL;
	struct entry entry = {
		.kind = peers_kind_of(scan, port),
		.layer = layer_find(port->record.link_layer),
		.port = index,
		.up = portfacts_is_up(&port->record),
		.readable = port->record.state != NULL && port->record.phys_state != NULL,
	};
	name_card(entry.card, device, port->record.device);
	return entry;
}

/* --- orders --- */

/* Return 0 for ports of the same card. A card with ports of two link layers counts as two. */
static int
compare_cards(const struct entry *a, const struct entry *b)
{
	int order = strcmp(a->card, b->card);
	return order != 0 ? order : (int)a->layer - (int)b->layer;
}

static int
compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = compare_cards(a, b);
	return order != 0 ? order : (a->port > b->port) - (a->port < b->port);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* --- cards that are not compared --- */

struct exempt {
	char (*cards)[CARD_SIZE]; /* sorted */
	size_t count;
};

/* A card with an unwatched function has fewer ports by intent; one with an unreadable function has
 * an unknown number. NICs that the operator selected by name are not compared with each other. */
static int
collect_exempt(const struct scan *scan, struct exempt *exempt)
{
	exempt->count = 0;
	exempt->cards = calloc(scan->device_count + 1, sizeof *exempt->cards);
	if (exempt->cards == NULL)
		return -1;
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scanrec_device *device = &scan->devices[i].record;
		if (!device->vf && device->parent == NULL &&
			(!device->monitored || device->error != NULL ||
				portfacts_is_pinned(device)))
			name_card(exempt->cards[exempt->count++], device, device->device);
	}
	qsort(exempt->cards, exempt->count, sizeof *exempt->cards, compare_names);
	return 0;
}

static bool
is_exempt(const struct exempt *exempt, const char *card)
{
	return bsearch(card, exempt->cards, exempt->count, sizeof *exempt->cards, compare_names) !=
	       NULL;
}

/* --- comparing --- */

struct card {
	const struct entry *first; /* its first port; decides its kind, as in ctreval */
	size_t start, end;         /* its entries */
	unsigned active;
	bool exempt;
};

static int
by_kind(const void *left, const void *right)
{
	const struct card *a = left, *b = right;
	return peers_compare_kinds(&a->first->kind, &b->first->kind);
}

static enum evidence_verdict
verdict_of(enum peers_verdict mode_found, unsigned active, double mode)
{
	if (mode_found == PEERS_ALONE)
		return EVIDENCE_ALONE;
	if (mode_found == PEERS_TIED)
		return EVIDENCE_TIED;
	if (mode <= 0)
		return EVIDENCE_ZERO;
	return active < mode ? EVIDENCE_BELOW : EVIDENCE_MEETS;
}

/* Evaluate a group of peers. `values` has room for all of them. */
static void
eval_cards(const struct card *cards, size_t count, const struct entry *entries, double *values,
	struct evidence *evidence)
{
	size_t known = 0;
	double mode = 0;
	unsigned most = 0;

	for (size_t i = 0; i < count; i++) {
		if (cards[i].exempt)
			continue;
		values[known++] = cards[i].active;
		if (cards[i].active > most)
			most = cards[i].active;
	}
	enum peers_verdict mode_found = peers_mode(values, known, &mode);
	for (size_t i = 0; i < count; i++) {
		const struct card *card = &cards[i];
		for (size_t e = card->start; e < card->end; e++)
			evidence[entries[e].port] = (struct evidence){
				.verdict = card->exempt
						   ? EVIDENCE_NONE
						   : verdict_of(mode_found, card->active, mode),
				.ports = (unsigned)(card->end - card->start),
				.active = card->active,
				.peer_active = mode > 0 ? (unsigned)mode : 0,
				.most_active = most,
				.first = e == card->start,
			};
	}
}

int
evidence_collect(const struct scan *scan, struct evidence *evidence)
{
	size_t count = 0, card_count = 0;
	struct exempt exempt = {0};
	/* One more, because calloc() of 0 bytes may return NULL. */
	struct entry *entries = calloc(scan->port_count + 1, sizeof *entries);
	struct card *cards = calloc(scan->port_count + 1, sizeof *cards);
	double *values = calloc(scan->port_count + 1, sizeof *values);
	int status = -1;
	if (entries == NULL || cards == NULL || values == NULL || collect_exempt(scan, &exempt) < 0)
		goto out;

	for (size_t i = 0; i < scan->port_count; i++) {
		evidence[i] = (struct evidence){.verdict = EVIDENCE_NONE};
		if (evidence_is_watched(scan, &scan->ports[i]))
			entries[count++] = entry_of(scan, i);
	}
	qsort(entries, count, sizeof *entries, compare_entries);
	for (size_t start = 0, end = 0; start < count; start = end) {
		struct card *card = &cards[card_count++];
		*card = (struct card){.first = &entries[start],
			.start = start,
			.exempt = is_exempt(&exempt, entries[start].card)};
		for (; end < count && compare_cards(&entries[start], &entries[end]) == 0; end++) {
			card->active += entries[end].up;
			card->exempt |= !entries[end].readable;
		}
		card->end = end;
	}
	qsort(cards, card_count, sizeof *cards, by_kind);
	for (size_t first = 0, last = 0; first < card_count; first = last) {
		while (last < card_count && by_kind(&cards[first], &cards[last]) == 0)
			last++;
		eval_cards(cards + first, last - first, entries, values, evidence);
	}
	status = 0;
out:
	free(entries);
	free(cards);
	free(values);
	free(exempt.cards);
	return status;
}
