/* webaddress - the addresses of sinks. All that follows the host of a webhook may be a secret,
 * because whoever knows it may post there. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_WEBADDRESS_H
#define NHM_WEBADDRESS_H

#include <stddef.h>

/* Why an address with a password will not do. */
extern const char webaddress_password[];

/* Why what should be a webhook will not do. */
extern const char webaddress_expected[];

/* The part after http:// or https://; NULL when that is not what it begins with. */
const char *webaddress_rest(const char *text);

/* How much of `text`, from its beginning, may be shown to all. Of a webhook, and of an address of a
 * kind that there is not, up to the host, and up to the scheme if something comes before the host
 * with an @, or if it is not written as an address is; of another kind up to a query; of what is
 * no address all. What a sink takes is shown in full, but for a webhook. */
size_t webaddress_shown(const char *text);

/* Takes what may not be shown out of `text`, where it is, as on a command line, which all users of
 * the machine may read: `https://host/...` is left, as far as there is room. */
void webaddress_hide(char *text);

#endif
