/* parse - parses sysfs' InfiniBand attributes (drivers/infiniband/core/sysfs.c). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_PARSE_H
#define IBSCAN_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parse state or phys_state, such as `4: ACTIVE`: digits, a colon, white space, a name. The name
 * may be missing (kernels print unknown values without one) and is then "". `*name` points into
 * `text`. Return false if there is no number. */
bool parse_numbered(const char *text, int64_t *id, const char **name);

/* Parse `400 Gb/sec (4X NDR)` or `2.5 Gb/sec (1X SDR)`. */
bool parse_rate_gbps(const char *text, double *gbps);

/* Parse lid or sm_lid, such as `0x11`: 16 bits. */
bool parse_lid(const char *text, int64_t *lid);

/* Parse current_link_width, such as `16`: PCI Express lanes, at most 32. Return 0 for anything
 * else, which virtual functions have, and functions that do not answer. */
int64_t parse_link_width(const char *text);

/* Return false for `Unknown`, the current_link_speed of such functions. */
bool parse_is_link_speed(const char *text);

/* Copy the value after `key=` in the lines of a uevent file. Return false if there is none or it
 * does not fit. */
bool parse_uevent(const char *lines, const char *key, char *value, size_t size);

enum parse_gid { GID_UNUSED, GID_OTHER, GID_IPV4_MAPPED };

/* Classify a GID such as `0000:0000:0000:0000:0000:ffff:0a00:0001`. An unused one is all zeros. */
enum parse_gid parse_gid(const char *text);

/* Return true for the phys_port_name of a VF or SF representor, `pf0vf3`, `c1pf0sf7`
 * (Documentation/networking/representors.rst). An uplink has `p0`. */
bool parse_is_representor(const char *phys_port_name);

/* Return false if the node GUID `0000:00ff:fe00:0001` is not the one that the kernel derives from
 * the Ethernet address `02:00:00:00:00:01`. Return true if it is, if the GUID is 0, and if either
 * cannot be parsed. */
bool parse_may_be_guid_of(const char *guid, const char *address);

#endif
