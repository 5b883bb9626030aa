/* tomldoc - TOML as the tree that libyaml makes of YAML, so that whoever reads a configuration need
 * not know which of the two it was (toml++ does the TOML). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_TOMLDOC_H
#define NHM_TOMLDOC_H

#include <stddef.h>
#include <yaml.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a text is not TOML, and why. Line and column count from 1. */
struct tomldoc_error {
	size_t line, column;
	char reason[200];
	bool no_memory; /* it may be TOML */
};

/* Makes the tree of `length` bytes of TOML. Tables are mappings whose keys stand in the order of
 * the file, arrays are sequences, everything else is a scalar with its value as a text, in double
 * quotes if it was a string. Every node knows where it begins. Returns 0, and
 * yaml_document_delete() frees the document; or -1 with `*error`. */
int tomldoc_parse(
	yaml_document_t *document, const char *text, size_t length, struct tomldoc_error *error);

#ifdef __cplusplus
}
#endif

#endif
