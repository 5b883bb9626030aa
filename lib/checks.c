/* checks - the checks that events belong to. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

static const char *const names[CHECK_N] = {
	[CHECK_IB_STATE] = "InfiniBandStateCheck",
	[CHECK_IB_DEGRADATION] = "InfiniBandDegradationCheck",
	[CHECK_IB_CHARDEV] = "InfiniBandCharDeviceCheck",
	[CHECK_ETH_STATE] = "EthernetStateCheck",
	[CHECK_ETH_DEGRADATION] = "EthernetDegradationCheck",
	[CHECK_EFA_STATE] = "EFAStateCheck",
	[CHECK_EFA_DEGRADATION] = "EFADegradationCheck",
};

const char *
check_name(enum check check)
{
	return check < CHECK_N ? names[check] : NULL;
}

enum check
check_find(const char *name, size_t length)
{
	enum check check = 0;
	while (check < CHECK_N && !words_equal(names[check], name, length))
		check++;
	return check;
}

const char *
check_unknown(struct words *words, const char *name, size_t length)
{
	words_begin(words, name, length);
	for (enum check check = 0; check < CHECK_N; check++)
		words_offer(words, check_name(check));
	return words_unknown(words, "check");
}

static const struct {
	enum check state, degradation;
} of_layer[LAYER_N] = {
	[LAYER_INFINIBAND] = {CHECK_IB_STATE, CHECK_IB_DEGRADATION},
	[LAYER_ETHERNET] = {CHECK_ETH_STATE, CHECK_ETH_DEGRADATION},
	[LAYER_EFA] = {CHECK_EFA_STATE, CHECK_EFA_DEGRADATION},
};

enum check
check_state(enum layer layer)
{
	return of_layer[layer].state;
}

enum check
check_degradation(enum layer layer)
{
	return of_layer[layer].degradation;
}

enum layer
check_layer(enum check check)
{
	for (enum layer layer = 0; layer < LAYER_N; layer++) {
		if (of_layer[layer].state == check || of_layer[layer].degradation == check)
			return layer;
	}
	/* CHECK_IB_CHARDEV */
	return LAYER_INFINIBAND;
}

enum check
check_of_counter(enum layer layer, bool fatal, bool fatal_as_degradation)
{
	return fatal && !fatal_as_degradation ? check_state(layer) : check_degradation(layer);
}
