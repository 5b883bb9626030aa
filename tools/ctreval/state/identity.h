/* identity - what says which device or port it is, and seldom changes. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_IDENTITY_H
#define CTREVAL_IDENTITY_H

#include "table.h"

#include <stdbool.h>
#include <stdint.h>

/* Longest text of one, with its NUL; what is longer is cut. */
#define IDENTITY_TEXT_SIZE 65

/* So long a device or port must be the same again before that is told: an interface that a driver
 * has just made is about to get its name, and a link that comes up may try several rates. ibscan
 * reads most of these once a minute. */
#define IDENTITY_SETTLE_NS (UINT64_C(60) * 1000 * 1000 * 1000)

/* In the order in which they are told: of a device, and, from the link layer on, of a port. Each as
 * records call it, and as people do. */
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

/* What is known; "": not known. */
struct identity {
	char facts[IDENTITY_N][IDENTITY_TEXT_SIZE];
};

/* One device, by its PCI address or, if it has none, its name; or a port, with a slash and its
 * number behind that. */
struct identity_entry {
	struct table_node node;
	struct identity told; /* as it was when it was told, or first seen */
	/* It is not so any more: the hash of what differs, and since when; 0: it is so. */
	uint64_t look, since_ns; /* CLOCK_BOOTTIME */
};

/* Whether a fact is known to be another one. */
bool identity_differs(const struct identity *told, const struct identity *now, enum identity_fact);

/* Looks at an entry as it is in a scan at `now_ns`. True when it is time to tell what differs; the
 * caller does, and makes it what was told. */
bool identity_step(struct identity_entry *entry, const struct identity *now, uint64_t now_ns);

/* Takes over what is known and was not before. True when there was such a fact. */
bool identity_learn(struct identity *told, const struct identity *now);

#endif
