/* webaddress - the address of a webhook. All that follows the host may be a secret, because whoever
 * knows it may post there. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_WEBADDRESS_H
#define NHM_WEBADDRESS_H

#include <stddef.h>

/* Why an address with a password will not do. */
extern const char webaddress_password[];

/* The part after http:// or https://; NULL when that is not what it begins with. */
const char *webaddress_rest(const char *text);

/* How much of `text`, from its beginning, may be shown to all: of an address up to the host, or the
 * scheme if a password comes before the host; of an address of another kind, such as nats:nats://,
 * the scheme if there is a password in it; of anything else all. */
size_t webaddress_shown(const char *text);

/* Takes what may not be shown out of `text`, where it is, as on a command line, which all users of
 * the machine may read: `https://host/...` is left, as far as there is room. */
void webaddress_hide(char *text);

#endif
