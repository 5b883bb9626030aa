/* verbsdriver - which drivers can remove a device while a process has it open. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "verbsdriver.h"

#include "array.h"

#include <stddef.h>
#include <string.h>

/* Drivers by their name in sysfs, each with the file below drivers/infiniband/hw that sets
 * disassociate_ucontext. Some have the name of the network driver on which the RDMA driver is
 * built. */
static const char *const drivers[] = {
	"bnxt_en",   /* bnxt_re/main.c */
	"erdma",     /* erdma/erdma_main.c */
	"hns3",      /* hns/hns_roce_main.c */
	"i40e",      /* irdma/verbs.c */
	"ice",       /* irdma/verbs.c */
	"idpf",      /* irdma/verbs.c */
	"ionic",     /* ionic/ionic_ibdev.c */
	"mana",      /* mana/device.c */
	"mlx4_core", /* mlx4/main.c */
	"mlx5_core", /* mlx5/main.c */
};

bool
verbsdriver_lets_go(const char *driver)
{
	for (size_t i = 0; i < ARRAY_COUNT(drivers); i++)
		if (strcmp(drivers[i], driver) == 0)
			return true;
	return false;
}
