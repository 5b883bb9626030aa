/* Unit tests of the supervisor's crowd: which of too many connections has to go. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/peer.h"

#include "check.h"

#include <string.h>

/* A connection: `L` of this machine, `r` of another, `.` none that is open; behind it a `?` has
 * asked, a `+` has sent something, a `!` is new, an `x` is gone, a `1` is of another user or
 * address, a `2` of a third. From the oldest to the youngest. */
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
	/* What holds a place and asks nothing goes first. */
	CHECK_U64(choose("L?LLL"), 1);
	CHECK_U64(choose("r?r?rr?"), 2);
	CHECK_U64(choose("L?L?L?"), 0);
	/* A new one may be about to ask, and a byte now and then is no question. */
	CHECK_U64(choose("L+L+L!"), 0);
	CHECK_U64(choose("L+!L!L+!"), 0);
	CHECK_U64(choose("L+!L!L!"), 1);
	CHECK_U64(choose("L?L!L+"), 2);
	CHECK_U64(choose("L?L+!L!"), 1);
	CHECK_U64(choose("L?L?!L+!"), 2);
	/* The last of this machine is spared, whatever the others have asked, and when it has not
	 * come to asking. */
	CHECK_U64(choose("Lrr"), 1);
	CHECK_U64(choose("Lr?r?"), 1);
	CHECK_U64(choose("L?r?r?"), 1);
	CHECK_U64(choose("r?r?L"), 0);
	/* More than that are as all others. */
	CHECK_U64(choose("LLr?r?"), 0);
	CHECK_U64(choose("L?Lr"), 1);
}

static void
shares(void)
{
	/* Who has few loses none, whatever the others have sent and asked. */
	CHECK_U64(choose("L1L?L?"), 1);
	CHECK_U64(choose("L1LL+!L+!"), 1);
	CHECK_U64(choose("L1L2L?L?"), 2);
	CHECK_U64(choose("r1r?r?"), 1);
	/* Who has as many as another one is judged by what they do. */
	CHECK_U64(choose("L?1L"), 1);
	CHECK_U64(choose("L1L"), 0);
	CHECK_U64(choose("L1L1?LL?L2"), 0);
	/* Who is gone goes first, and what is not open counts for nobody. */
	CHECK_U64(choose("L1LxL?L?"), 1);
	CHECK_U64(choose("L1L1.LL1"), 0);
	CHECK_U64(choose("r?Lx"), 1);
}

static const struct check_test tests[] = {
	{"of too many connections a silent one goes, the oldest, and a last one of this machine "
	 "stays",
		chooses},
	{"the one that goes is of the user or the address that has most", shares},
};
CHECK_MAIN(tests)
