/* printer - finds which part of the kernel printed a message, by the form of its beginning. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "printer.h"

#include "cursor.h"
#include "words.h"

/* Longest name of a driver or interface, bytes. IFNAMSIZ is 16 with the NUL. */
#define DRIVER_MAX 32
#define INTERFACE_MAX 15
/* Longest name of an RDMA device, bytes. IB_DEVICE_NAME_MAX is 64 with the NUL. */
#define RDMA_MAX 63

/* Not from ctype.h: those depend on the locale and are function calls. */
static inline int
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline int
is_hex(int c)
{
	return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static inline int
is_letter(int c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

static inline int
is_octal(int c)
{
	return c >= '0' && c <= '7';
}

/* Bytes in names of drivers and functions. */
static inline int
is_name(int c)
{
	return is_letter(c) || is_digit(c) || c == '.' || c == '-';
}

/* Skip all bytes for which `is` holds. Return false unless there are `least` to `most` of them. A
 * line has many such runs, so inlining `is` halves the time in a storm. */
static inline __attribute__((always_inline)) bool
skip_run(struct cursor *at, int (*is)(int), size_t least, size_t most)
{
	const char *start = at->at;
	while (!cursor_at_end(at) && is((unsigned char)*at->at) && (size_t)(at->at - start) <= most)
		at->at++;
	size_t length = (size_t)(at->at - start);
	return length >= least && length <= most;
}

static bool
begins_with(const struct cursor *word, const char *text)
{
	struct cursor at = *word;
	return cursor_skip_text(&at, text);
}

/* --- devices ---
 *
 *   pci       = 4*8 hex ":" 2 hex ":" 2 hex "." octal
 *               ; pci_setup_device(), drivers/pci/probe.c
 *   port      = pci ":pcie" 2*4 hex
 *               ; a service of a port, until Linux 4.18: pcie_device_init(),
 *               ; drivers/pci/pcie/portdrv.c
 *   auxiliary = "mlx5_core." name "." number
 *               ; sub-functions and parts of the driver: auxiliary_device_add(),
 *               ; drivers/base/auxiliary.c */

static bool
skip_pci(struct cursor *at)
{
	return skip_run(at, is_hex, 4, 8) && cursor_skip_char(at, ':') &&
	       skip_run(at, is_hex, 2, 2) && cursor_skip_char(at, ':') &&
	       skip_run(at, is_hex, 2, 2) && cursor_skip_char(at, '.') &&
	       skip_run(at, is_octal, 1, 1);
}

static bool
skip_auxiliary(struct cursor *at)
{
	if (!cursor_skip_text(at, "mlx5_core.") || !skip_run(at, is_letter, 1, DRIVER_MAX))
		return false;
	/* `mlx5_core.eth-rep.0` */
	while (cursor_skip_char(at, '-')) {
		if (!skip_run(at, is_letter, 1, DRIVER_MAX))
			return false;
	}
	return cursor_skip_char(at, '.') && skip_run(at, is_digit, 1, 10);
}

/* Parse a device's name and set `*bus` to its bus. */
static bool
parse_device_name(struct cursor *at, const char **bus)
{
	struct cursor from = *at;
	if (skip_pci(at)) {
		struct cursor service = *at;
		*bus = "pci";
		if (cursor_skip_text(&service, ":pcie") && skip_run(&service, is_hex, 2, 4)) {
			*bus = "pci_express";
			*at = service;
		}
		return true;
	}
	*at = from;
	*bus = "auxiliary";
	return skip_auxiliary(at);
}

/* --- interfaces ---
 *
 *   interface = 1*15 name-byte / "(unnamed net_device)"
 *               ; netdev_name(); dev_valid_name(), net/core/dev.c: no blank, colon or slash
 *   state     = " (" 1*15 letter ")"
 *               ; netdev_reg_state() */

static inline int
is_interface_byte(int c)
{
	return c > ' ' && c != 0x7f && c != ':' && c != '/';
}

static bool
skip_interface(struct cursor *at)
{
	return cursor_skip_text(at, "(unnamed net_device)") ||
	       skip_run(at, is_interface_byte, 1, INTERFACE_MAX);
}

static void
skip_state(struct cursor *at)
{
	struct cursor state = *at;
	if (cursor_skip_text(&state, " (") && skip_run(&state, is_letter, 1, 15) &&
		cursor_skip_char(&state, ')'))
		*at = state;
}

/* --- messages about a device ---
 *
 *   message   = driver " " device [ " " interface [ state ] ] ": " [ where ] body
 *               ; __dev_printk(), drivers/base/core.c; with an interface __netdev_printk(),
 *               ; net/core/dev.c, whose device is the interface's parent
 *   driver    = 1*32 name-byte
 *               ; dev_driver_string(): the bus if there is no driver
 *   where     = [ name ":" ] function ":" line ":(pid " pid "): "
 *               ; mlx5_core_err(), drivers/net/ethernet/mellanox/mlx5/core/mlx5_core.h; until
 *               ; Linux 4.x it begins with the name of the device */

/* Skip `wait_func:1176:(pid 126): `. On false, the cursor may have moved. */
static bool
skip_where(struct cursor *at)
{
	struct cursor word;
	if (!cursor_parse_word(at, &word))
		return false;
	size_t tail = strlen(":(pid");
	if ((size_t)(word.end - word.at) < tail || memcmp(word.end - tail, ":(pid", tail) != 0)
		return false;
	struct cursor names = {word.at, word.end - tail};
	bool has_function = false, has_line = false;
	while (!cursor_at_end(&names)) {
		const char *name = names.at;
		if (!skip_run(&names, is_name, 1, 128))
			return false;
		has_function |= is_letter((unsigned char)*name) != 0;
		has_line = is_digit((unsigned char)*name) != 0;
		if (!cursor_at_end(&names) && !cursor_skip_char(&names, ':'))
			return false;
	}
	return has_function && has_line && cursor_skip_char(at, ' ') &&
	       skip_run(at, is_digit, 1, 10) && cursor_skip_text(at, "): ");
}

static void
set_body(struct cursor at, struct printer *out)
{
	struct cursor behind = at;
	if (skip_where(&behind))
		at = behind;
	out->body = at.at;
	out->body_length = (size_t)(at.end - at.at);
}

static unsigned
forms_of(const struct cursor *driver, const char *bus)
{
	if (strcmp(bus, "auxiliary") == 0)
		return begins_with(driver, "mlx5_") ? PRINTER_DRIVER : PRINTER_NONE;
	if (strcmp(bus, "pci") != 0)
		return PRINTER_PCI;
	return PRINTER_PCI | (cursor_equals(driver, "mlx5_core") ? PRINTER_DRIVER : PRINTER_NONE) |
	       (cursor_equals(driver, "efa") ? PRINTER_EFA : PRINTER_NONE);
}

static bool
parse_device(struct cursor at, struct printer *out)
{
	struct cursor driver = at;
	const char *bus;

	if (!skip_run(&at, is_name, 1, DRIVER_MAX))
		return false;
	driver.end = at.at;
	if (!cursor_skip_char(&at, ' '))
		return false;
	const char *device = at.at;
	if (!parse_device_name(&at, &bus))
		return false;
	*out = (struct printer){.forms = forms_of(&driver, bus),
		.bus = bus,
		.device = device,
		.device_length = (size_t)(at.at - device)};
	if (cursor_skip_char(&at, ' ')) {
		bool names_rdma = (out->forms & PRINTER_EFA) != 0;
		if (names_rdma ? !skip_run(&at, is_interface_byte, 1, RDMA_MAX)
			       : !skip_interface(&at))
			return false;
		skip_state(&at);
	}
	if (!cursor_skip_text(&at, ": "))
		return false;
	set_body(at, out);
	return out->forms != PRINTER_NONE;
}

/* --- messages of the driver core ---
 *
 *   message = driver ": probe of " device " failed with error " number
 *             ; call_driver_probe(), earlier really_probe(), drivers/base/dd.c: pr_warn() until
 *             ; Linux 6.10, then dev_err() */

static bool
parse_probe(struct cursor at, struct printer *out)
{
	struct cursor driver = at;
	const char *bus;

	if (!begins_with(&driver, "mlx5_") || !skip_run(&at, is_name, 1, DRIVER_MAX) ||
		!cursor_skip_text(&at, ": "))
		return false;
	*out = (struct printer){.forms = PRINTER_PROBE, .body = at.at};
	out->body_length = (size_t)(at.end - at.at);
	if (!cursor_skip_text(&at, "probe of "))
		return false;
	out->device = at.at;
	if (!parse_device_name(&at, &bus))
		return false;
	out->device_length = (size_t)(at.at - out->device);
	if (!cursor_skip_text(&at, " failed with error "))
		return false;
	cursor_skip_char(&at, '-');
	return skip_run(&at, is_digit, 1, 10) && cursor_at_end(&at);
}

/* --- messages of the network core ---
 *
 *   message = "NETDEV WATCHDOG: " interface " (" driver "): transmit queue " number " timed out"
 *             [ " " number " ms" ]
 *             ; dev_watchdog(), net/sched/sch_generic.c: WARN_ONCE() until Linux 6.7, then
 *             ; netdev_crit() */

static bool
parse_watchdog(struct cursor at, struct printer *out)
{
	if (!cursor_skip_text(&at, "NETDEV WATCHDOG: "))
		return false;
	*out = (struct printer){.forms = PRINTER_WATCHDOG, .device = at.at};
	if (!skip_interface(&at))
		return false;
	out->device_length = (size_t)(at.at - out->device);
	if (!cursor_skip_text(&at, " (mlx5_core") || !skip_run(&at, is_name, 0, DRIVER_MAX) ||
		!cursor_skip_text(&at, "): "))
		return false;
	out->body = at.at;
	out->body_length = (size_t)(at.end - at.at);
	if (!cursor_skip_text(&at, "transmit queue ") || !skip_run(&at, is_digit, 1, 10) ||
		!cursor_skip_text(&at, " timed out"))
		return false;
	return cursor_at_end(&at) ||
	       (cursor_skip_char(&at, ' ') && skip_run(&at, is_digit, 1, 20) &&
		       cursor_skip_text(&at, " ms") && cursor_at_end(&at));
}

/* --- messages about an RDMA device ---
 *
 *   message = "infiniband " ( "rdmap" / "efa_" ) name ": " body
 *             ; Amazon's own efa driver calls dev_printk() with the RDMA device, which has a
 *             ; class but no driver: kernels before 5.2 have no ibdev_printk(). The kernel's efa
 *             ; uses the form about a device, with the RDMA device instead of the interface. */

static bool
parse_rdma(struct cursor at, struct printer *out)
{
	if (!cursor_skip_text(&at, "infiniband "))
		return false;
	struct cursor name = at;
	if (!(begins_with(&name, "rdmap") || begins_with(&name, "efa_")) ||
		!skip_run(&at, is_name, 1, RDMA_MAX))
		return false;
	*out = (struct printer){.forms = PRINTER_EFA,
		.bus = "infiniband",
		.device = name.at,
		.device_length = (size_t)(at.at - name.at)};
	if (!cursor_skip_text(&at, ": "))
		return false;
	set_body(at, out);
	return true;
}

bool
printer_parse(const char *text, size_t length, struct printer *out)
{
	const struct cursor at = {text, text + length};
	if (parse_device(at, out) || parse_rdma(at, out) || parse_probe(at, out) ||
		parse_watchdog(at, out))
		return true;
	*out = (struct printer){0};
	return false;
}

/* --- dictionaries ---
 *
 *   SUBSYSTEM = bus                                ; set_dev_info(), drivers/base/core.c
 *   DEVICE    = "+" bus ":" device */

bool
printer_is_named(const struct printer *printer, const char *subsystem, size_t subsystem_length,
	const char *device, size_t device_length)
{
	if (printer->bus == NULL)
		return true;
	struct cursor at = {device, device != NULL ? device + device_length : NULL};
	return subsystem != NULL && words_equal(printer->bus, subsystem, subsystem_length) &&
	       device != NULL && cursor_skip_char(&at, '+') &&
	       cursor_skip_text(&at, printer->bus) && cursor_skip_char(&at, ':') &&
	       (size_t)(at.end - at.at) == printer->device_length &&
	       memcmp(at.at, printer->device, printer->device_length) == 0;
}
