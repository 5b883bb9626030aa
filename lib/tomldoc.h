/* tomldoc - parses TOML with toml++ into the tree that libyaml makes of YAML, so that the reader of
 * a configuration handles both alike. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_TOMLDOC_H
#define NHM_TOMLDOC_H

#include <stddef.h>
#include <yaml.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where and why a text is not TOML. Line and column count from 1. */
struct tomldoc_error {
	size_t line, column;
	char reason[200];
	bool no_memory; /* out of memory: the text may be TOML */
};

/* Parse `length` bytes of TOML. Tables become mappings with their keys in the order of the file,
 * arrays sequences, and all other values scalars as text, in double quotes if it was a string.
 * Every node has its position. Return 0, after which yaml_document_delete() frees the document, or
 * -1 with `*error`. */
int tomldoc_parse(
	yaml_document_t *document, const char *text, size_t length, struct tomldoc_error *error);

#ifdef __cplusplus
}
#endif

#endif
