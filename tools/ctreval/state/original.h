/* original - a state file of the original program, the Go nic-health-monitor, as one of ours. Pure:
 * no I/O.
 *
 * Its version 2 has in sections of one JSON object what ours has, each an object whose keys repeat
 * what is in its members:
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
 *   pending_baselines        <check>: true when it is still to be cleared after a boot
 *
 * What is empty is left out, and what a later program adds does not change the version. It has link
 * layers and checks that we have not: what stands under those, nobody here can take back. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_ORIGINAL_H
#define CTREVAL_ORIGINAL_H

#include "rec.h"

#define ORIGINAL_VERSION 2

/* True for what says that it is of that version. */
bool original_is(const json_t *root);

/* The same as a content for statefile_decode(), which checks what is only carried over. `*left_out`
 * becomes what stands and nobody here can take back, as a text for people, to free(); NULL:
 * nothing. Returns NULL with `*error` when it is not what the original writes. */
json_t *original_ours_new(const json_t *root, char **left_out, struct rec_error *error);

/* The scope of the original for these two settings, which are trimmed; to free(), NULL when memory
 * ran out. */
char *original_scope_new(const char *exclusion, const char *inclusion);

#endif
