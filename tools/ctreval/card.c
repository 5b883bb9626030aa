/* card - when a card with fewer active ports than its peers is an event: SPEC section 4.3, as pure functions and one table. */
#include "card.h"

#include "peers.h"

enum card_verdict
card_mode(double *active, size_t count, unsigned *mode)
{
	double most_common = 0;

	enum peers_verdict verdict = peers_mode(active, count, &most_common);
	if (verdict != PEERS_MEETS)
		return verdict == PEERS_ALONE ? CARDS_SINGLETON : CARDS_TIED;
	if (most_common <= 0)
		return CARDS_ZERO;
	*mode = (unsigned)most_common;
	return CARDS_DECISIVE;
}

struct step {
	enum card_memory next;
	enum card_action action;
};

/* Every cell is filled. */
static const struct step table[CARD_MEMORY_N][CARD_SIGHT_N] = {
	[CARD_FINE] =
		{
			[CARD_NOT_JUDGED] = {CARD_FINE, CARD_SAY_NOTHING},
			[CARD_MEETS] = {CARD_FINE, CARD_SAY_NOTHING},
			[CARD_BELOW_FIRST] = {CARD_ANOMALOUS, CARD_SAY_ANOMALOUS},
			[CARD_BELOW_YOUNG] = {CARD_WAITING, CARD_SAY_NOTHING},
			[CARD_BELOW_COVERED] = {CARD_WAITING, CARD_SAY_NOTHING},
			[CARD_BELOW] = {CARD_ANOMALOUS, CARD_SAY_ANOMALOUS},
		},
	[CARD_WAITING] =
		{
			[CARD_NOT_JUDGED] = {CARD_WAITING, CARD_SAY_NOTHING},
			[CARD_MEETS] = {CARD_FINE, CARD_SAY_NOTHING},
			[CARD_BELOW_FIRST] = {CARD_ANOMALOUS, CARD_SAY_ANOMALOUS},
			[CARD_BELOW_YOUNG] = {CARD_WAITING, CARD_SAY_NOTHING},
			[CARD_BELOW_COVERED] = {CARD_WAITING, CARD_SAY_NOTHING},
			[CARD_BELOW] = {CARD_ANOMALOUS, CARD_SAY_ANOMALOUS},
		},
	[CARD_ANOMALOUS] =
		{
			[CARD_NOT_JUDGED] = {CARD_ANOMALOUS, CARD_SAY_NOTHING},
			[CARD_MEETS] = {CARD_FINE, CARD_SAY_HEALTHY},
			[CARD_BELOW_FIRST] = {CARD_ANOMALOUS, CARD_SAY_NOTHING},
			[CARD_BELOW_YOUNG] = {CARD_ANOMALOUS, CARD_SAY_NOTHING},
			[CARD_BELOW_COVERED] = {CARD_ANOMALOUS, CARD_SAY_NOTHING},
			[CARD_BELOW] = {CARD_ANOMALOUS, CARD_SAY_NOTHING},
		},
};

enum card_action
card_step(enum card_memory *memory, enum card_sight sight)
{
	struct step step = table[*memory][sight];
	*memory = step.next;
	return step.action;
}
