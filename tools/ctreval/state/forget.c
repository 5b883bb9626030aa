/* forget - forgets what a new boot, or another choice of devices, makes obsolete. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "forget.h"

/* Forget the card's verdict. Keep a card that is exempt because of a function that may be absent by
 * now. Return true if the card is still needed. */
static bool
keeps_exemption(struct card_entry *card)
{
	card->below = (struct below){.memory = BELOW_FINE};
	state_retract(&card->said);
	return *card->exempt_function != '\0';
}

/* Remove character devices that are missing but not reported yet. */
static void
forget_counted(struct state *state)
{
	table_foreach_safe (&state->chardevs, struct chardev_entry, entry, next) {
		if (!entry->said.stands)
			state_remove_chardev(state, entry);
	}
}

void
forget_boot(struct state *state)
{
	char *scope = state->scope;
	uint64_t stamp = state->stamp;
	struct table cards = state->cards, chardevs = state->chardevs;
	struct table identities = state->identities;
	struct host_nics host_nics = state->host_nics;
	char issm_mode[STATE_WORD_SIZE];
	bool stalled = state->pollstall.reported, executed = state->executed;

	state_copy(issm_mode, sizeof issm_mode, state->issm_mode);
	state->scope = NULL;
	state->cards = state->chardevs = state->identities = (struct table){0};
	state_reset(state);
	state->pollstall.reported = stalled;
	state->executed = executed;
	state->scope = scope;
	state->stamp = stamp;
	state->cards = cards;
	state->chardevs = chardevs;
	state->identities = identities;
	state->host_nics = host_nics;
	table_foreach_safe (&state->cards, struct card_entry, card, next) {
		if (!keeps_exemption(card))
			state_remove_card(state, card);
	}
	/* These times are of the last boot. */
	table_foreach (&state->identities, struct identity_entry, entry)
		entry->look = entry->since_ns = 0;
	state_copy(state->issm_mode, sizeof state->issm_mode, issm_mode);
	forget_counted(state);
	state->changed = true;
}

/* Keep open reports (also of a port that is gone), a held-back failure, and the counters. */
static void
forget_port(struct port_entry *entry)
{
	if (!port_is_reported(entry->health) && !entry->gone_said.stands && !entry->hold.held)
		entry->health = PORT_NEW;
	if (entry->rate.memory == BELOW_WAITING)
		entry->rate.memory = BELOW_FINE;
	entry->known = false;
	entry->missing = 0;
}

void
forget_scope(struct state *state)
{
	table_foreach (&state->ports, struct port_entry, port)
		forget_port(port);
	table_foreach (&state->devices, struct device_entry, device)
		device->known = false;
	table_foreach_safe (&state->cards, struct card_entry, card, next) {
		if (card->below.memory != BELOW_REPORTED && !keeps_exemption(card))
			state_remove_card(state, card);
	}
	state->settled = false;
	state->waited = 0;
	state->changed = true;
}
