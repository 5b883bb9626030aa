/* webaddress - hides the parts of a sink's address that may be secret. Everything after the host of
 * a webhook may be: whoever knows it can post there. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_WEBADDRESS_H
#define NHM_WEBADDRESS_H

#include <stddef.h>

/* Reason for rejecting an address with a password. */
extern const char webaddress_password[];

/* Reason for rejecting a text that should be a webhook. */
extern const char webaddress_expected[];

/* Return the part after http:// or https://, or NULL if the text begins with neither. */
const char *webaddress_rest(const char *text);

/* Return how many bytes of `text` may be shown to all users:
 *  - of a webhook, or an address of unknown kind: up to the end of the host
 *  - of an address of another sink: up to a query
 *  - of one with user information or a database password that may be secret: up to the `//`
 *  - of a webhook that is not a valid address: the scheme
 *  - of a path or any other text: everything */
size_t webaddress_shown(const char *text);

/* Overwrite the part of `text` that may not be shown, in place, as on a command line, which all
 * users can read. Leave `https://host/...`, if there is room for that. */
void webaddress_hide(char *text);

#endif
