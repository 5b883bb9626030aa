/* Unit tests of jsonout: writing JSON to the end of a text that grows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "jsonout.h"

#include "check.h"

#include <stdlib.h>

static void
nests(void)
{
	struct strbuf text = {0};
	struct jsonout out = {.text = &text};

	strbuf_addf(&text, "before ");
	jsonout_open(&out, '{');
	jsonout_key(&out, "empty");
	jsonout_open(&out, '[');
	jsonout_close(&out, ']');
	jsonout_key(&out, "list");
	jsonout_open(&out, '[');
	jsonout_open(&out, '{');
	jsonout_close(&out, '}');
	jsonout_bool(&out, true);
	jsonout_bool(&out, false);
	jsonout_null(&out);
	jsonout_string(&out, "");
	jsonout_u64(&out, 1);
	jsonout_integer(&out, 2);
	jsonout_open(&out, '[');
	jsonout_string(&out, "in");
	jsonout_close(&out, ']');
	jsonout_close(&out, ']');
	jsonout_key(&out, "last");
	jsonout_string(&out, "a");
	jsonout_close(&out, '}');
	CHECK_STR(text.bytes,
		"before {\"empty\":[],\"list\":[{},true,false,null,\"\",1,2,[\"in\"]],"
		"\"last\":\"a\"}");
	CHECK(!text.is_short);
	strbuf_fini(&text);
}

static void
numbers(void)
{
	struct strbuf text = {0};
	struct jsonout out = {.text = &text};

	jsonout_u64(&out, 0);
	jsonout_u64(&out, INT64_MAX);
	jsonout_u64(&out, (uint64_t)INT64_MAX + 1);
	jsonout_u64(&out, UINT64_MAX);
	jsonout_integer(&out, 0);
	jsonout_integer(&out, -1);
	jsonout_integer(&out, INT64_MIN);
	jsonout_integer(&out, INT64_MAX);
	CHECK_STR(text.bytes, "0,9223372036854775807,\"9223372036854775808\","
			      "\"18446744073709551615\","
			      "0,-1,-9223372036854775808,9223372036854775807");
	strbuf_fini(&text);
}

static void
escapes(void)
{
	struct strbuf text = {0};
	struct jsonout out = {.text = &text};

	jsonout_open(&out, '{');
	jsonout_key_of(&out, (const char *const[]){"a\"", "", "\\b", "\xC3\xA4\xFF", NULL});
	jsonout_string(&out, "\"\\\n\x1F\xC3\xA4\xFF");
	jsonout_key_of(&out, (const char *const[]){NULL});
	jsonout_null(&out);
	jsonout_close(&out, '}');
	CHECK_STR(text.bytes, "{\"a\\\"\\\\b\xC3\xA4\xEF\xBF\xBD\":"
			      "\"\\\"\\\\\\n\\u001F\xC3\xA4\xEF\xBF\xBD\",\"\":null}");
	strbuf_fini(&text);
}

/* Each byte of the texts takes up six bytes. */
static void
makes_room(void)
{
	struct strbuf text = {0};
	struct jsonout out = {.text = &text};
	char *wide = check_repeat_new('\x01', 1000);

	jsonout_open(&out, '{');
	jsonout_key_of(&out, (const char *const[]){wide, wide, NULL});
	jsonout_string(&out, wide);
	jsonout_close(&out, '}');
	CHECK(!text.is_short);
	CHECK_U64(text.length, 3 * 6000 + strlen("{\"\":\"\"}"));
	CHECK_STR(text.bytes + text.length - 8, "\\u0001\"}");
	free(wide);
	strbuf_fini(&text);
}

static void
writes_like_jansson(void)
{
	struct strbuf text = {0};
	struct jsonout out = {.text = &text};
	json_t *root =
		check_json_new("{'z':[1,-2,2.1,-1.7976931348623157e308,3.0,true,false,null,[],{}],"
			       "'a\\\"\\u00e4':{'text':'\\b\\f\\n\\r\\t\\u0001\\u007f/"
			       "\\\\\\\"\\u20ac\\ud83d\\ude00',"
			       "'min':-9223372036854775808,'max':9223372036854775807},'':''}");
	char *expected = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(15));

	jsonout_value(&out, root);
	CHECK_STR(text.bytes, expected);
	CHECK(!text.is_short);

	strbuf_clear(&text);
	out.comma = false;
	jsonout_open(&out, '{');
	jsonout_members(&out, root);
	jsonout_close(&out, '}');
	CHECK_STR(text.bytes, expected);
	free(expected);
	json_decref(root);
	strbuf_fini(&text);
}

static void
reserves(void)
{
	struct strbuf text = {0};
	struct jsonout out = {.text = &text};

	jsonout_open(&out, '[');
	for (int i = 0; i < 2; i++) {
		struct jsontext to = jsonout_reserve(&out, 3);
		JSONTEXT_PUT(&to, "100");
		jsonout_wrote(&out, &to);
	}
	jsonout_null(&out);
	CHECK_STR(text.bytes, "[100,100,null");
	CHECK(!text.is_short);
	/* More than the caller asked room for. */
	struct jsontext to = jsonout_reserve(&out, 3);
	JSONTEXT_PUT(&to, "1234");
	jsonout_wrote(&out, &to);
	CHECK_STR(text.bytes, "[100,100,null,");
	CHECK(text.is_short);
	strbuf_fini(&text);
}

static void
lacks_memory(void)
{
	struct strbuf text = {0};
	struct jsonout out = {.text = &text};
	json_t *root = check_json_new("{'a':[1,-1,0.5,'x',true,null]}");

	/* As after memory ran out at once, and after a part was written. */
	for (int part = 0; part < 2; part++) {
		out.comma = part == 1;
		text.is_short = false;
		if (part == 1)
			strbuf_add(&text, "part", 4);
		text.is_short = true;
		jsonout_open(&out, '{');
		jsonout_key(&out, "a");
		jsonout_string(&out, "text");
		jsonout_key_of(&out, (const char *const[]){"b", "c", NULL});
		jsonout_u64(&out, UINT64_MAX);
		jsonout_members(&out, root);
		struct jsontext to = jsonout_reserve(&out, 3);
		JSONTEXT_PUT(&to, "100");
		jsonout_wrote(&out, &to);
		jsonout_close(&out, '}');
		CHECK(text.is_short);
		CHECK_STR(text.bytes, part == 1 ? "part" : NULL);
	}
	json_decref(root);
	strbuf_fini(&text);
}

static const struct check_test tests[] = {
	{"commas are between members and between items, at every depth", nests},
	{"numbers are written to their last digit, and above 2^63-1 as strings", numbers},
	{"keys and texts are escaped, and an invalid byte becomes U+FFFD", escapes},
	{"the longest escapes fit", makes_room},
	{"a value is written byte for byte as jansson writes it", writes_like_jansson},
	{"a caller can write items itself, and more than it has reserved is a failure", reserves},
	{"when memory runs out, nothing more is written", lacks_memory},
};
CHECK_MAIN(tests)
