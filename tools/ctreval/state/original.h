/* original - converts state files of the original program, the Go nic-health-monitor. Pure: no
 * I/O.
 *
 * Version 2 of the original's file is one JSON object with these sections. Each is an object whose
 * keys repeat what is in its members, unless noted otherwise:
 *
 *   boot_id, scope           "incl=<nicInclusionRegexOverride>;excl=<nicExclusionRegex>"
 *   counter_snapshots        <device>:<port>:<counter> or net:<interface>:<counter>: value,
 *                            timestamp
 *   breach_flags             the same keys: breached, check_name, is_fatal, since, device, port (a
 *                            text)
 *   port_states              <device>_<port>: device, port, state, physical_state, link_layer
 *   known_devices            a list of names
 *   anomalous_cards          <link layer>/<card>: card, link_layer
 *   disappeared_devices      <link layer>/<device>: device, link_layer, observed_this_boot
 *   disappeared_ports        <link layer>/<device>_<port>: device, port, link_layer,
 *                            observed_this_boot
 *   device_miss_counts       <link layer>/<device>: device, link_layer, count
 *   missing_char_devices     <kind>/<device>_<port>: kind, device, port
 *   chardev_issm_mode        "never" or "always"
 *   pending_baselines        <check>: true while it must still be cleared after a boot
 *
 * Empty sections are absent, and later programs add sections without a new version. The original
 * has link layers and checks that ctreval lacks: ctreval cannot withdraw what they reported. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_ORIGINAL_H
#define CTREVAL_ORIGINAL_H

#include "rec.h"

#define ORIGINAL_VERSION 2

/* Return true if the file's version is ORIGINAL_VERSION. */
bool original_is(const json_t *root);

/* Convert a file to the content that statefile_decode() expects; members that are only copied are
 * not validated. `*left_out` becomes a text for messages, to free(), with the open conditions that
 * no check of ctreval can withdraw; NULL: none. Return NULL with `*error` if the original cannot
 * have written the file. */
json_t *original_ours_new(const json_t *root, char **left_out, struct rec_error *error);

/* Return the scope that the original stores for these two settings, trimmed. The caller must free()
 * it; NULL when memory ran out. */
char *original_scope_new(const char *exclusion, const char *inclusion);

#endif
