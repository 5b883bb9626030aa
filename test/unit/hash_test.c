/* Unit tests of hash: FNV-1a, 64 bits. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "hash.h"

#include "check.h"

static void
vectors(void)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} rows[] = {
		{"", UINT64_C(0xcbf29ce484222325)},
		{"a", UINT64_C(0xaf63dc4c8601ec8c)},
		{"foobar", UINT64_C(0x85944171f73967e8)},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("\"%s\"", rows[i].text);
		CHECK_U64(hash_bytes(HASH_START, rows[i].text, strlen(rows[i].text)), rows[i].hash);
	}
}

static void
continues(void)
{
	uint64_t parts = hash_bytes(hash_bytes(HASH_START, "foo", 3), "bar", 3);
	CHECK_U64(parts, hash_bytes(HASH_START, "foobar", 6));
}

static void
high_bytes(void)
{
	/* As unsigned char, even if char is signed: (offset ^ 0xff) * prime. */
	CHECK_U64(hash_bytes(HASH_START, "\xFF", 1), UINT64_C(0xaf64724c8602eb6e));
	CHECK(hash_bytes(HASH_START, "\0", 1) != HASH_START);
}

static const struct check_test tests[] = {
	{"the published test vectors match", vectors},
	{"a text hashed in parts has the hash of the whole", continues},
	{"bytes above 127 and NUL count", high_bytes},
};
CHECK_MAIN(tests)
