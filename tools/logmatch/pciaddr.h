/* pciaddr - PCI addresses in texts: `dddd:bb:dd.f`. Pure. */
#ifndef LOGMATCH_PCIADDR_H
#define LOGMATCH_PCIADDR_H

#include <stdbool.h>
#include <stddef.h>

/* Room for an address and a NUL. A domain has four digits, or five where there are more than 65536 (VMD's begin at 10000). */
#define PCIADDR_SIZE 16

/* The first address in the text, in lower case; "" when there is none. */
void pciaddr_find(const char *text, size_t length, char out[PCIADDR_SIZE]);

/* True when the whole text is an address. */
bool pciaddr_is(const char *text);

/* The card: the address without the function. `pci` is an address. */
void pciaddr_card(const char *pci, char out[PCIADDR_SIZE]);

#endif
