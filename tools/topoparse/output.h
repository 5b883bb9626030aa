/* output - the topology as GPU metadata, in the shape that NVSentinel's collector writes and topoclass reads. */
#ifndef TOPOPARSE_OUTPUT_H
#define TOPOPARSE_OUTPUT_H

#include "topo.h"

/* One JSON document with a line per GPU and per NIC, to free(); NULL when memory runs out. */
char *output_format_new(const struct topo *topo, size_t *length);

#endif
