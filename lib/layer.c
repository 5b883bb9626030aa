/* layer - the link layers of ports; each has its own checks. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "layer.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *port;
} layers[LAYER_N] = {
	[LAYER_INFINIBAND] = {"InfiniBand", "Port"},
	[LAYER_ETHERNET] = {"Ethernet", "RoCE port"},
	[LAYER_EFA] = {"EFA", "EFA port"},
};

enum layer
layer_find(const char *link_layer)
{
	for (enum layer layer = 0; link_layer != NULL && layer < LAYER_N; layer++) {
		if (strcmp(layers[layer].name, link_layer) == 0)
			return layer;
	}
	return LAYER_INFINIBAND;
}

const char *
layer_name(enum layer layer)
{
	return layers[layer].name;
}

const char *
layer_port(enum layer layer)
{
	return layers[layer].port;
}
