/* printer - finds which part of the kernel printed a message, by the form of its beginning
 * (spec#log-place). Pure.
 *
 * Messages contain texts that any user of the node can choose: names of files, programs, volumes or
 * USB devices. No message that begins in one of these forms begins with such a text. lockupline
 * parses the forms of lock-up reports. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_PRINTER_H
#define LOGMATCH_PRINTER_H

#include <stdbool.h>
#include <stddef.h>

/* Bits: a line of mlx5_core about its PCI function is both PRINTER_DRIVER and PRINTER_PCI. */
enum printer_form {
	PRINTER_NONE = 0,
	PRINTER_DRIVER = 1,   /* mlx5 about a function, a sub-function or their interface */
	PRINTER_PCI = 2,      /* PCI core, whatever driver the device has */
	PRINTER_PROBE = 4,    /* driver core about mlx5, until Linux 6.10 */
	PRINTER_WATCHDOG = 8, /* network core about an interface of mlx5, until Linux 6.7 */
	PRINTER_EFA = 16,     /* efa about a function or its RDMA device */
};

struct printer {
	unsigned forms; /* bits of enum printer_form */
	/* Bus and name of the device, which dev_printk() also writes into the record's dictionary.
	 * NULL: printk() wrote the message, so there is no dictionary. */
	const char *bus;
	const char *device; /* points into the message */
	size_t device_length;
	/* The text after the name of the function; points into the message. */
	const char *body;
	size_t body_length;
};

/* Parse the beginning of a message of `length` arbitrary bytes. Return false, and set `out` to
 * zeros, if it has none of the forms. */
bool printer_parse(const char *text, size_t length, struct printer *out);

/* Return true if the record's dictionary names the device of the message: `subsystem` is the value
 * of SUBSYSTEM=, `device` that of DEVICE=; NULL: absent. Always true for messages not written by
 * dev_printk(). */
bool printer_is_named(const struct printer *printer, const char *subsystem, size_t subsystem_length,
	const char *device, size_t device_length);

#endif
