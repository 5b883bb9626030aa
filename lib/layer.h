/* layer - the link layers by which ports are judged: each has its own checks. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LAYER_H
#define NHM_LAYER_H

enum layer {
	LAYER_INFINIBAND,
	LAYER_ETHERNET,
	LAYER_EFA,
	LAYER_N,
};

/* The layer of a port record's link_layer, nullable. Whatever is neither Ethernet nor EFA behaves
 * like InfiniBand, Omni-Path above all. */
enum layer layer_find(const char *link_layer);

/* InfiniBand, Ethernet, EFA: as records and the state file spell them. */
const char *layer_name(enum layer layer);

/* How messages call a port of this layer: Port, RoCE port, EFA port. */
const char *layer_port(enum layer layer);

#endif
