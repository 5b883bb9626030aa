/* Unit tests of words: suggesting known words for an unknown one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* Return the nearest of some names, or "" if none is near. */
static const char *
nearest(struct words *words, const char *word)
{
	static const char *const names[] = {
		"threshold", "thresholdType", "velocityUnit", "enabled", "path", "path2"};
	words_begin(words, word, strlen(word));
	for (size_t i = 0; i < CHECK_COUNT(names); i++)
		words_offer(words, names[i]);
	return words->nearest;
}

static void
slips(void)
{
	static const struct {
		const char *word, *nearest;
	} rows[] = {
		{"treshold", "threshold"},
		{"threshhold", "threshold"},
		{"thresohld", "threshold"},
		{"thrashold", "threshold"},
		{"Threshold", "threshold"},
		{"THRESHOLDTYPE", "thresholdType"},
		{"velocity_unit", "velocityUnit"},
		{"enabeld", "enabled"},
		{"pat", "path"},
		{"apth", "path"},
		/* The first of two that are equally near. */
		{"path3", "path"},
		{"path2", "path2"},
		/* Too far away for a suggestion. */
		{"patience", ""},
		{"p", ""},
		{"on", ""},
		{"", ""},
		{"settleSeconds", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct words words;
		check_row("%s", rows[i].word);
		CHECK_STR(nearest(&words, rows[i].word), rows[i].nearest);
	}
}

static void
hints(void)
{
	struct words words;
	words_begin(&words, "velocty,rest", 7);
	words_offer(&words, "delta");
	words_offer(&words, "velocity");
	CHECK_STR(words_hint(&words), " (did you mean \"velocity\"?)");
	CHECK_STR(words_unknown(&words, "thresholdType"),
		"unknown thresholdType \"velocty\" (did you mean \"velocity\"?); "
		"known: delta, velocity");
	words_begin(&words, "sum", 3);
	words_offer(&words, "delta");
	CHECK_STR(words_hint(&words), "");
	CHECK_STR(words_unknown(&words, "type"), "unknown type \"sum\"; known: delta");
}

/* Words are untrusted, and may have any length. */
static void
long_words(void)
{
	struct words words;
	char *word = check_repeat_new('x', 5000), *most = check_repeat_new('x', WORDS_NEAR_MAX),
	     *more = check_repeat_new('x', WORDS_NEAR_MAX + 1);
	words_begin(&words, word, strlen(word));
	words_offer(&words, most);
	CHECK_STR(words.nearest, "");
	CHECK_INT((int64_t)strlen(words_unknown(&words, "key")),
		(int64_t)(strlen("unknown key \"\"; known: ") + WORDS_SHOWN_MAX + WORDS_NEAR_MAX));
	words_begin(&words, most, strlen(most));
	words_offer(&words, word);
	words_offer(&words, more);
	CHECK_STR(words.nearest, "");
	words_offer(&words, most);
	CHECK_STR(words.nearest, most);
	free(word);
	free(most);
	free(more);
}

static void
many_choices(void)
{
	struct words words;
	char choice[20];
	words_begin(&words, "choice999", 9);
	for (int i = 0; i < 1000; i++) {
		snprintf(choice, sizeof choice, "choice%d", i);
		words_offer(&words, choice);
	}
	CHECK_STR(words.nearest, "choice999");
	CHECK_HAS(words_unknown(&words, "word"), "known: choice0, choice1, ");
	CHECK(strlen(words.list) < WORDS_LIST_MAX);
}

static void
equals(void)
{
	CHECK(words_equal("state", "state", 5));
	CHECK(words_equal("state", "states", 5));
	CHECK(words_equal("", "state", 0));
	CHECK(!words_equal("state", "state", 4));
	CHECK(!words_equal("state", "states", 6));
	CHECK(!words_equal("state", "State", 5));
}

static void
finds_one(void)
{
	static const char *const list[] = {"state", "degradation"};
	struct words words;
	size_t index = 42;
	CHECK_INT((int64_t)words_find(list, 2, "degradation"), 1);
	CHECK_INT((int64_t)words_find(list, 2, "State"), 2);
	CHECK(words_parse(&words, "check", list, 2, "state", &index) == NULL);
	CHECK_INT((int64_t)index, 0);
	CHECK_STR(words_parse(&words, "check", list, 2, "stat", &index),
		"unknown check \"stat\" (did you mean \"state\"?); known: state, degradation");
	CHECK_INT((int64_t)index, 0);
}

static const struct check_test tests[] = {
	{"a word with one typing error is recognised, and no other", slips},
	{"a hint names the nearest word and all known ones", hints},
	{"words of any length are accepted", long_words},
	{"choices beyond the limit do no harm", many_choices},
	{"bytes equal a word only if all of it is there", equals},
	{"a word of a list is found, and any other is refused with the list", finds_one},
};
CHECK_MAIN(tests)
