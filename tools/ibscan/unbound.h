/* unbound - NICs on the PCI bus that no driver has: what class/infiniband cannot list. */
#ifndef IBSCAN_UNBOUND_H
#define IBSCAN_UNBOUND_H

#include <jansson.h>

/* PCI addresses, in natural order, of the NVIDIA network functions below bus/pci/devices that have no driver. Virtual functions are
 * not among them: they wait for a guest. NULL when the bus cannot be listed, or memory runs out. */
json_t *unbound_list_new(int root);

#endif
