/* portfacts - what one port record says by itself. Pure. */
#include "portfacts.h"

#include <string.h>

static bool
is(const char *text, const char *wanted)
{
	return text != NULL && strcmp(text, wanted) == 0;
}

bool
portfacts_is_up(const struct scanrec_port *port)
{
	return is(port->state, "ACTIVE") && is(port->phys_state, "LinkUp");
}

bool
portfacts_is_ethernet(const struct scanrec_port *port)
{
	return is(port->link_layer, "Ethernet");
}

enum portfacts_gids
portfacts_gids(const struct scanrec_port *port)
{
	uint64_t total = 0, ipv4_mapped = 0;

	if (port->gids == NULL || !portfacts_is_ethernet(port) || !is(port->state, "ACTIVE") ||
		rec_get_u64(port->gids, "total", &total) != REC_OK ||
		rec_get_u64(port->gids, "ipv4_mapped", &ipv4_mapped) != REC_OK)
		return PORTFACTS_GIDS_UNKNOWN;
	if (total == 0)
		return PORTFACTS_GIDS_NONE;
	return ipv4_mapped == 0 ? PORTFACTS_GIDS_NO_IPV4 : PORTFACTS_GIDS_FINE;
}

const char *
portfacts_gids_reason(enum portfacts_gids gids)
{
	switch (gids) {
	case PORTFACTS_GIDS_NO_IPV4:
		return "no IPv4 GID";
	case PORTFACTS_GIDS_NONE:
		return "no valid GID";
	case PORTFACTS_GIDS_UNKNOWN:
	case PORTFACTS_GIDS_FINE:
	case PORTFACTS_GIDS_N:
		break;
	}
	return "";
}
