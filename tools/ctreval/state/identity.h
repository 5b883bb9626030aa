/* identity - facts that identify a device or port and seldom change. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_IDENTITY_H
#define CTREVAL_IDENTITY_H

#include "num.h"
#include "table.h"

#include <stdbool.h>
#include <stdint.h>

/* Size of a fact with its NUL; longer facts are truncated. */
#define IDENTITY_TEXT_SIZE 65

/* Report a change only after it has lasted this long: a new network interface is renamed soon after
 * the driver creates it, and a link that comes up may try several rates. ibscan reads most of these
 * facts once a minute. */
#define IDENTITY_SETTLE_NS (60 * NUM_NS_PER_S)

/* In the order in which events list them: facts of a device, and from LINK_LAYER on facts of a
 * port. Columns: constant, key in records, name in messages. */
#define IDENTITY_FACTS(X) \
	X(DEVICE, "device", "name") \
	X(PCI, "pci", "PCI address") \
	X(NODE_GUID, "node_guid", "node GUID") \
	X(HCA_TYPE, "hca_type", "HCA type") \
	X(BOARD_ID, "board_id", "board ID") \
	X(FW_VER, "fw_ver", "firmware version") \
	X(DRIVER, "driver", "driver") \
	X(DRIVER_VERSION, "driver_version", "driver version") \
	X(PCI_LINK_SPEED, "pci_link_speed", "PCI link speed") \
	X(PCI_LINK_WIDTH, "pci_link_width", "PCI link width") \
	X(LINK_LAYER, "link_layer", "link layer") \
	X(RATE, "rate", "rate") \
	X(LID, "lid", "LID") \
	X(NETDEV, "netdev", "network interface")

#define IDENTITY_CONSTANT(fact, key, noun) IDENTITY_##fact,
enum identity_fact { IDENTITY_FACTS(IDENTITY_CONSTANT) IDENTITY_N };
#undef IDENTITY_CONSTANT

const char *identity_key(enum identity_fact fact);
const char *identity_noun(enum identity_fact fact);

/* Known facts; "": not known. */
struct identity {
	char facts[IDENTITY_N][IDENTITY_TEXT_SIZE];
};

/* One device or port. The key is the device's PCI address, or its name if it has none; for a port,
 * a slash and the port number follow. */
struct identity_entry {
	struct table_node node;
	struct identity told; /* as last reported, or as first seen */
	/* Hash of the facts that differ from `told`, and since when they do (CLOCK_BOOTTIME); 0:
	 * none differs. */
	uint64_t look, since_ns;
};

/* Return true if the fact is known in both and differs. */
bool identity_differs(const struct identity *told, const struct identity *now, enum identity_fact);

/* Compare an entry with the facts of a scan at `now_ns`. Return true when the difference has lasted
 * IDENTITY_SETTLE_NS: the caller then reports it and updates `told`. */
bool identity_step(struct identity_entry *entry, const struct identity *now, uint64_t now_ns);

/* Copy the facts that are known in `now` and unknown in `told`. Return true if there were any. */
bool identity_learn(struct identity *told, const struct identity *now);

#endif
