/* check - the checks that events belong to. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <string.h>

const char *
check_name(enum check check)
{
	switch (check) {
	case CHECK_IB_STATE:
		return "InfiniBandStateCheck";
	case CHECK_IB_DEGRADATION:
		return "InfiniBandDegradationCheck";
	case CHECK_IB_CHARDEV:
		return "InfiniBandCharDeviceCheck";
	case CHECK_ETH_STATE:
		return "EthernetStateCheck";
	case CHECK_ETH_DEGRADATION:
		return "EthernetDegradationCheck";
	case CHECK_EFA_STATE:
		return "EFAStateCheck";
	case CHECK_EFA_DEGRADATION:
		return "EFADegradationCheck";
	case CHECK_N:
		break;
	}
	return NULL;
}

enum check
check_find(const char *name, size_t length)
{
	enum check check = 0;
	while (check < CHECK_N && (strlen(check_name(check)) != length ||
					  strncmp(check_name(check), name, length) != 0))
		check++;
	return check;
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
	enum layer layer = 0;
	while (layer + 1 < LAYER_N && of_layer[layer].state != check &&
		of_layer[layer].degradation != check)
		layer++;
	return layer;
}

enum check
check_of_counter(enum layer layer, bool fatal, bool fatal_as_degradation)
{
	return fatal && !fatal_as_degradation ? check_state(layer) : check_degradation(layer);
}
