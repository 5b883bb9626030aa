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

bool
check_is_ethernet(const char *link_layer)
{
	return link_layer != NULL && strcmp(link_layer, "Ethernet") == 0;
}

enum check
check_state(bool ethernet)
{
	return ethernet ? CHECK_ETH_STATE : CHECK_IB_STATE;
}

enum check
check_degradation(bool ethernet)
{
	return ethernet ? CHECK_ETH_DEGRADATION : CHECK_IB_DEGRADATION;
}

enum check
check_of_counter(bool ethernet, bool fatal, bool fatal_as_degradation)
{
	return fatal && !fatal_as_degradation ? check_state(ethernet) : check_degradation(ethernet);
}
