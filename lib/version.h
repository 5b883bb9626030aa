/* version - the version that --version prints. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_VERSION_H
#define NHM_VERSION_H

#define NHM_VERSION "1.0.0"

#endif
