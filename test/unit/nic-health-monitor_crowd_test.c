/* Unit tests of the supervisor's crowd: which of too many connections is closed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/peer.h"

#include "check.h"

#include <string.h>

/* A connection: `L` from this machine, `r` from another, `.` not open. Behind it: `?` has sent a
 * request, `+` has sent bytes, `!` is new, `x` is gone, `1` belongs to another user or address, `2`
 * to a third. From the oldest to the youngest. */
static size_t
choose(const char *text)
{
	struct peer_member members[20] = {{.is_open = false}};
	size_t count = 0;
	check_row("%s", text);
	for (; *text != '\0'; text++, count++) {
		members[count] = (struct peer_member){.is_open = *text != '.',
			.is_local = *text == 'L',
			.deadline_ns = 100 + count};
		for (; text[1] != '\0' && strchr("?+!x12", text[1]) != NULL; text++) {
			members[count].has_asked |= text[1] == '?';
			members[count].has_sent |= text[1] == '+';
			members[count].is_new |= text[1] == '!';
			members[count].is_gone |= text[1] == 'x';
			if (text[1] == '1' || text[1] == '2')
				members[count].owner = (uint64_t)(text[1] - '0');
		}
	}
	size_t chosen = peer_choose(members, count);
	return chosen == count ? 99 : chosen;
}

static void
chooses(void)
{
	CHECK_U64(choose(""), 99);
	CHECK_U64(choose(".."), 99);
	CHECK_U64(choose("L"), 0);
	CHECK_U64(choose(".LLL"), 1);
	CHECK_U64(choose("rrr"), 0);
	/* A connection without a request goes first. */
	CHECK_U64(choose("L?LLL"), 1);
	CHECK_U64(choose("r?r?rr?"), 2);
	CHECK_U64(choose("L?L?L?"), 0);
	/* A new one may be about to send a request, and a few bytes are no request. */
	CHECK_U64(choose("L+L+L!"), 0);
	CHECK_U64(choose("L+!L!L+!"), 0);
	CHECK_U64(choose("L+!L!L!"), 1);
	CHECK_U64(choose("L?L!L+"), 2);
	CHECK_U64(choose("L?L+!L!"), 1);
	CHECK_U64(choose("L?L?!L+!"), 2);
	/* The last one from this machine is spared, whatever the others have sent, even if it has
	 * sent nothing. */
	CHECK_U64(choose("Lrr"), 1);
	CHECK_U64(choose("Lr?r?"), 1);
	CHECK_U64(choose("L?r?r?"), 1);
	CHECK_U64(choose("r?r?L"), 0);
	/* Any more of them are treated like all others. */
	CHECK_U64(choose("LLr?r?"), 0);
	CHECK_U64(choose("L?Lr"), 1);
}

static void
shares(void)
{
	/* An owner with few connections loses none, whatever the others have sent. */
	CHECK_U64(choose("L1L?L?"), 1);
	CHECK_U64(choose("L1LL+!L+!"), 1);
	CHECK_U64(choose("L1L2L?L?"), 2);
	CHECK_U64(choose("r1r?r?"), 1);
	/* Among owners with equally many, the connections' requests decide. */
	CHECK_U64(choose("L?1L"), 1);
	CHECK_U64(choose("L1L"), 0);
	CHECK_U64(choose("L1L1?LL?L2"), 0);
	/* A connection whose peer is gone goes first, and one that is not open counts for no
	 * owner. */
	CHECK_U64(choose("L1LxL?L?"), 1);
	CHECK_U64(choose("L1L1.LL1"), 0);
	CHECK_U64(choose("r?Lx"), 1);
}

static const struct check_test tests[] = {
	{"of too many connections the oldest silent one is closed, but not the last from this "
	 "machine",
		chooses},
	{"the closed connection belongs to the user or address with the most", shares},
};
CHECK_MAIN(tests)
