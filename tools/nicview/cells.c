/* cells - formats a row's columns as text that is safe for a terminal. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cells.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *header;
	bool number;
} columns[COLUMN_N] = {
	[COLUMN_DEVICE] = {"DEVICE", false},
	[COLUMN_PORT] = {"PORT", true},
	[COLUMN_PCI] = {"PCI", false},
	[COLUMN_ROLE] = {"ROLE", false},
	[COLUMN_LINK] = {"LINK", false},
	[COLUMN_STATE] = {"STATE", false},
	[COLUMN_PHYS] = {"PHYS", false},
	[COLUMN_RATE] = {"Gb/s", true},
	[COLUMN_LANES] = {"LANES", false},
	[COLUMN_NETDEV] = {"NETDEV", false},
	[COLUMN_OPER] = {"OPER", false},
};

const char *
cell_header(enum column column)
{
	return columns[column].header;
}

bool
cell_is_number(enum column column)
{
	return columns[column].number;
}

char *
cell_escape(const char *text, char *out, size_t size)
{
	size_t used = 0;

	for (; *text != '\0'; text++) {
		unsigned char byte = (unsigned char)*text;
		bool printable = byte >= 0x20 && byte < 0x7F;
		size_t length = printable ? 1 : strlen("\\xNN");
		if (used + length >= size)
			break;
		snprintf(out + used, size - used, printable ? "%c" : "\\x%02x", byte);
		used += length;
	}
	out[used] = '\0';
	return out;
}

char *
cell_shorten(char *text, size_t width)
{
	size_t length = strlen(text);

	if (length <= width)
		return text;
	if (width > 0) {
		size_t tail = (width - 1) / 2, head = width - 1 - tail;
		text[head] = '~';
		memmove(text + head + 1, text + length - tail, tail);
	}
	text[width] = '\0';
	return text;
}

/* --- derived columns --- */

/* Return `400` of `400 Gb/sec (4X NDR)`. */
static const char *
rate_of(const struct scanrec_port *port, char *text, size_t size)
{
	size_t length = port->rate != NULL ? strspn(port->rate, "0123456789.") : 0;

	if (length > 0 && length < size && strncmp(port->rate + length, " Gb/sec", 7) == 0)
		snprintf(text, size, "%.*s", (int)length, port->rate);
	else if (port->rate_gbps > 0)
		snprintf(text, size, "%.10g", port->rate_gbps);
	else
		return NULL;
	return text;
}

/* Return `4X NDR` of the same. */
static const char *
lanes_of(const struct scanrec_port *port, char *text, size_t size)
{
	const char *open = port->rate != NULL ? strchr(port->rate, '(') : NULL;
	size_t length = open != NULL ? strcspn(++open, ")") : 0;

	while (length > 0 && open[length - 1] == ' ')
		length--;
	if (length == 0 || length >= size)
		return NULL;
	snprintf(text, size, "%.*s", (int)length, open);
	return text;
}

/* Return the PCI address; if `brief`, without the domain 0000, like lspci. */
static const char *
pci_of(const struct row *row, bool brief)
{
	const char *pci = row->unbound;
	if (pci == NULL && row->device != NULL)
		pci = row->device->pci;
	if (pci != NULL && brief && strncmp(pci, "0000:", 5) == 0)
		return pci + 5;
	return pci;
}

/* Return the role, or why there is none. */
static const char *
role_of(const struct row *row, bool brief)
{
	const struct scanrec_device *device = row->device;
	const char *role = NULL;

	if (row->port != NULL)
		role = row->port->role;
	if (device != NULL && role == NULL && device->vf)
		role = "vf";
	else if (device != NULL && role == NULL)
		role = device->role != NULL || device->monitored ? device->role : device->reason;
	return brief && role != NULL && strcmp(role, "management") == 0 ? "mgmt" : role;
}

static const char *
link_of(const struct scanrec_port *port, bool brief)
{
	const char *link_layer = port->link_layer;

	if (!brief || link_layer == NULL)
		return link_layer;
	if (strcmp(link_layer, "InfiniBand") == 0)
		return "IB";
	return strcmp(link_layer, "Ethernet") == 0 ? "Eth" : link_layer;
}

static const char *
name_of(const struct row *row)
{
	if (row->port != NULL)
		return row->port->device;
	if (row->device != NULL)
		return row->device->device;
	return row->absent != NULL ? row->absent : row->unbound;
}

static const char *
port_cell(const struct scanrec_port *port, enum column column, bool brief, char text[CELL_SIZE])
{
	switch (column) {
	case COLUMN_PORT:
		snprintf(text, CELL_SIZE, "%lld", (long long)port->port);
		return text;
	case COLUMN_LINK:
		return link_of(port, brief);
	case COLUMN_STATE:
		return port->state;
	case COLUMN_PHYS:
		return port->phys_state;
	case COLUMN_RATE:
		return rate_of(port, text, CELL_SIZE);
	case COLUMN_LANES:
		return lanes_of(port, text, CELL_SIZE);
	case COLUMN_NETDEV:
		return port->netdev;
	case COLUMN_OPER:
		return port->operstate;
	case COLUMN_DEVICE:
	case COLUMN_PCI:
	case COLUMN_ROLE:
	case COLUMN_N:
		break;
	}
	return NULL;
}

char *
cell_text(const struct row *row, enum column column, bool brief, char text[CELL_SIZE])
{
	char made[CELL_SIZE];
	const char *value = NULL;

	if (column == COLUMN_DEVICE)
		value = name_of(row);
	else if (column == COLUMN_PCI)
		value = pci_of(row, brief);
	else if (column == COLUMN_ROLE)
		value = role_of(row, brief);
	else if (row->port != NULL)
		value = port_cell(row->port, column, brief, made);
	return cell_escape(value != NULL && *value != '\0' ? value : "-", text, CELL_SIZE);
}
