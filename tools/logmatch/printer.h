/* printer - who printed a message of the kernel, by the form in which it begins (spec#log-place).
 * Pure.
 *
 * Messages hold texts that anybody on the node chooses: names of files and programs, of volumes, of
 * USB devices. None of these is at the beginning of a message in one of these forms. The forms of
 * lock-ups' reports are in lockupline. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_PRINTER_H
#define LOGMATCH_PRINTER_H

#include <stdbool.h>
#include <stddef.h>

/* Bits: a line of mlx5_core about its PCI function is PRINTER_DRIVER and PRINTER_PCI. */
enum printer_form {
	PRINTER_NONE = 0,
	PRINTER_DRIVER = 1,   /* mlx5, about a function, a sub-function or their interface */
	PRINTER_PCI = 2,      /* the PCI core, whatever driver the device has */
	PRINTER_PROBE = 4,    /* the driver core about mlx5, until Linux 6.10 */
	PRINTER_WATCHDOG = 8, /* the network core about an interface of mlx5, until Linux 6.7 */
	PRINTER_EFA = 16,     /* efa, about a function or its RDMA device */
};

struct printer {
	unsigned forms; /* of enum printer_form */
	/* The bus and the name of the device that dev_printk() wrote into the record's dictionary,
	 * too; NULL: printk() wrote the message, and no dictionary. */
	const char *bus;
	const char *device; /* in the message */
	size_t device_length;
	/* What was said of it, after the name of the function; in the message. */
	const char *body;
	size_t body_length;
};

/* Reads the beginning of a message, `length` bytes of any kind. False, and `out` is all zeros, when
 * it has none of the forms. */
bool printer_parse(const char *text, size_t length, struct printer *out);

/* True when a record's dictionary names the device of the message: `subsystem` is the value of
 * SUBSYSTEM=, and `device` that of DEVICE=, both of the given lengths; NULL: there is none. Always
 * true of messages for which dev_printk() is not used. */
bool printer_is_named(const struct printer *printer, const char *subsystem, size_t subsystem_length,
	const char *device, size_t device_length);

#endif
