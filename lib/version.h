/* version - what --version prints. */
#ifndef NHM_VERSION_H
#define NHM_VERSION_H

#define NHM_VERSION "0.1.0"

#endif
