/* parse - the texts of sysfs' InfiniBand attributes, as pure functions. Formats:
 * drivers/infiniband/core/sysfs.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_PARSE_H
#define IBSCAN_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `4: ACTIVE`, of state and phys_state: digits, a colon, white space, a name. The name may be
 * missing (kernels print unknown values without one) and is then "". `*name` points into `text`.
 * False when there is no number. */
bool parse_numbered(const char *text, int64_t *id, const char **name);

/* `400 Gb/sec (4X NDR)`, `2.5 Gb/sec (1X SDR)`. */
bool parse_rate_gbps(const char *text, double *gbps);

/* `0x11`, of lid and sm_lid: 16 bits. */
bool parse_lid(const char *text, int64_t *lid);

/* `16`, of current_link_width: the lanes of a PCI Express link, at most 32. 0 for what is no width,
 * as of a function that does not answer, or is virtual. */
int64_t parse_link_width(const char *text);

/* False for what is no speed: `Unknown`, of current_link_speed of the same functions. */
bool parse_is_link_speed(const char *text);

/* The value after `key=` in a uevent file's lines, copied. False when there is none or it does not
 * fit. */
bool parse_uevent(const char *lines, const char *key, char *value, size_t size);

enum parse_gid { GID_UNUSED, GID_OTHER, GID_IPV4_MAPPED };

/* `0000:0000:0000:0000:0000:ffff:0a00:0001`: all zeros is an unused entry. */
enum parse_gid parse_gid(const char *text);

/* True for a phys_port_name of a VF or SF representor, `pf0vf3`, `c1pf0sf7`
 * (Documentation/networking/representors.rst); an uplink is `p0`. */
bool parse_is_representor(const char *phys_port_name);

/* False if a node GUID, `0000:00ff:fe00:0001`, is not the one that the kernel makes of an Ethernet
 * address, `02:00:00:00:00:01`. True if it is, if the GUID is 0, and for what is not such a GUID or
 * address. */
bool parse_may_be_guid_of(const char *guid, const char *address);

#endif
