/* efa - recognises EFA adapters (AWS), and evaluates their ports by their network interfaces. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "efa.h"

#include "array.h"
#include "vendor.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define WHITE_SPACE " \t\r\n\v\f"

bool
efa_is_device(const char *driver, const char *vendor)
{
	return vendor_find(driver, vendor) == VENDOR_AMAZON;
}

/* drivers/infiniband/hw/efa/efa_main.c: 0xefa0 and so on; those of ENA are 0xec20 and the like. */
bool
efa_is_function(const char *vendor, const char *device)
{
	static const char family[] = "0xefa";
	return vendor_find(NULL, vendor) == VENDOR_AMAZON &&
	       strncasecmp(device, family, strlen(family)) == 0;
}

/* Return false if the interface reports that it carries no traffic. A driver that does not maintain
 * the operational state leaves it at `unknown`. */
static bool
may_carry_traffic(const char *operstate)
{
	static const char *const fine[] = {"up", "unknown", ""};
	operstate += strspn(operstate, WHITE_SPACE);
	size_t length = strcspn(operstate, WHITE_SPACE);
	for (size_t i = 0; i < ARRAY_COUNT(fine); i++) {
		if (strlen(fine[i]) == length && strncasecmp(fine[i], operstate, length) == 0)
			return true;
	}
	return false;
}

enum efa_sight
efa_port_eval(const char *netdev, const char *operstate, int64_t carrier)
{
	if (netdev == NULL)
		return EFA_UP;
	if (carrier == 0 || (operstate != NULL && !may_carry_traffic(operstate)))
		return EFA_DOWN;
	return operstate == NULL && carrier < 0 ? EFA_UNKNOWN : EFA_UP;
}
