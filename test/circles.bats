#!/usr/bin/env bats
# circles: test/lint/circles, which `make lint` runs, finds files that include each other in a
# circle.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	TREE=$BATS_TEST_TMPDIR/tree
	mkdir -p "$TREE/lib" "$TREE/tools/x/in" "$TREE/tools/y"
	echo '#include <stdio.h>' >"$TREE/lib/a.h"
	printf '#include "%s"\n' a.h made.inc >"$TREE/lib/a.c"
	printf '/* b */\n\n#include "a.h"\n' >"$TREE/tools/x/b.h"
	printf '#include "%s"\n' b.h in/c.h >"$TREE/tools/x/b.c"
	echo '#include "a.h"' >"$TREE/tools/x/in/c.h"
	echo '#include "c.h"' >"$TREE/tools/x/in/c.c"
}

# fails_saying LINE... - check that circles fails with exactly these lines.
fails_saying() {
	run "$ROOT/test/lint/circles" "$TREE"
	[ "$status" -eq 1 ]
	diff <(printf '%s\n' "$@") <(echo "$output")
}

@test "a tree without circles passes silently" {
	run "$ROOT/test/lint/circles" "$TREE"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "two files that include each other fail, through their .c or their .h" {
	echo '  #  include "../b.h"' >"$TREE/tools/x/in/c.c"
	fails_saying 'a circle: tools/x/b tools/x/in/c' \
		'  tools/x/b.c:2: "in/c.h"' '  tools/x/in/c.c:1: "../b.h"'
	echo '#include "c.h"' >"$TREE/tools/x/in/c.c"
	echo '#include "../b.h"' >>"$TREE/tools/x/in/c.h"
	fails_saying 'a circle: tools/x/b tools/x/in/c' \
		'  tools/x/b.c:2: "in/c.h"' '  tools/x/in/c.h:2: "../b.h"'
}

@test "a circle of three fails, and the message lists only the includes that close it" {
	echo '#include "d.h"' >>"$TREE/tools/x/in/c.c"
	printf '#include "%s"\n' a.h ../b.h >"$TREE/tools/x/in/d.h"
	fails_saying 'a circle: tools/x/b tools/x/in/c tools/x/in/d' \
		'  tools/x/b.c:2: "in/c.h"' '  tools/x/in/c.c:2: "d.h"' \
		'  tools/x/in/d.h:2: "../b.h"'
}

@test "every circle is reported" {
	echo '#include "in/c.h"' >"$TREE/lib/a.h"
	echo '#include "../b.h"' >"$TREE/tools/x/in/c.c"
	echo '#include "f.h"' >"$TREE/lib/e.cc"
	echo '#include "e.h"' >"$TREE/lib/f.h"
	touch "$TREE/lib/e.h"
	fails_saying 'a circle: lib/e lib/f' '  lib/e.cc:1: "f.h"' '  lib/f.h:1: "e.h"' \
		'a circle: tools/x/b tools/x/in/c' \
		'  tools/x/b.c:2: "in/c.h"' '  tools/x/in/c.c:1: "../b.h"'
}

@test "an included name that two tools have means the file beside the including one" {
	touch "$TREE/tools/y/b.h" "$TREE/tools/y/d.h"
	printf '#include "%s"\n' b.h d.h >"$TREE/tools/y/d.c"
	echo '#include "d.h"' >"$TREE/tools/x/b.h"
	run "$ROOT/test/lint/circles" "$TREE"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "this tree has no circles" {
	"$ROOT/test/lint/circles"
}
