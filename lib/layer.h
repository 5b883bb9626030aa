/* layer - the link layers of ports; each has its own checks. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LAYER_H
#define NHM_LAYER_H

enum layer {
	LAYER_INFINIBAND,
	LAYER_ETHERNET,
	LAYER_EFA,
	LAYER_N,
};

/* Return the layer for a port record's link_layer, which may be NULL. Anything but Ethernet and
 * EFA, above all Omni-Path, is treated like InfiniBand. */
enum layer layer_find(const char *link_layer);

/* Return InfiniBand, Ethernet or EFA, as spelt in records and the state file. */
const char *layer_name(enum layer layer);

/* Return what messages call a port of this layer: Port, RoCE port or EFA port. */
const char *layer_port(enum layer layer);

#endif
