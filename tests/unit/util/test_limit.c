// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of bounds: of one thing and of several, no two alike, in words that fit. */
#include "unit/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/limit.h"
#include "util/mem.h"

static size_t word_len(const char *text)
{
	return strcspn(text, " ");
}

/* What is counted: the noun, whose other words before it are the same in both. */
static void nouns(const char *one, const char *many, char *ret_one, char *ret_many, size_t size)
{
	while (*one && word_len(one) == word_len(many) && !strncmp(one, many, word_len(one))) {
		one += word_len(one) + 1;
		many += word_len(many) + 1;
	}
	snprintf(ret_one, size, "%.*s", (int)word_len(one), one);
	snprintf(ret_many, size, "%.*s", (int)word_len(many), many);
}

/* Of several, where it should be of one; what stands behind may be of several all the same. */
static bool first_verb_is_of_several(const char *text)
{
	static const char *const one[] = { "was",  "has",  "stays", "lost",
					   "died", "made", "got",   "is" };
	static const char *const several[] = { "were", "have", "stay", "are" };

	for (const char *word = text; *word; word += word_len(word) + (word[word_len(word)] != 0)) {
		for (size_t i = 0; i < ARRAY_SIZE(one); i++)
			if (word_len(word) == strlen(one[i]) &&
			    !strncmp(word, one[i], strlen(one[i])))
				return false;
		for (size_t i = 0; i < ARRAY_SIZE(several); i++)
			if (word_len(word) == strlen(several[i]) &&
			    !strncmp(word, several[i], strlen(several[i])))
				return true;
	}
	return true; /* a sentence has one */
}

/* "1 name was cut", "2 names were cut", "0 names were cut". */
static void one_and_several(void **state)
{
	for (enum limit i = 0; i < NR_LIMITS; i++) {
		const char *one = limit_text(i, 1), *many = limit_text(i, 2);
		char noun[64], nouns_of[64], want[80];

		assert_non_null(one);
		assert_non_null(many);
		assert_string_equal(limit_text(i, 0), many);
		assert_string_equal(limit_text(i, UINT64_MAX), many);
		nouns(one, many, noun, nouns_of, sizeof(noun));
		snprintf(want, sizeof(want), "%s%s", noun,
			 noun[strlen(noun) - 1] == 's' ? "es" : "s");
		assert_string_equal(nouns_of, want);
		assert_false(first_verb_is_of_several(one));
	}
}

static void known_ones(void **state)
{
	assert_string_equal(limit_text(LIMIT_NAMES, 1), "name was cut to 1024 bytes");
	assert_string_equal(limit_text(LIMIT_NAMES, 2), "names were cut to 1024 bytes");
	assert_string_equal(limit_text(LIMIT_MANGLED, 1),
			    "name stays mangled: reading it took too long, or its user's share of "
			    "it was used up");
}

/* The `.json` has one member for each. */
static void names_differ(void **state)
{
	for (enum limit i = 0; i < NR_LIMITS; i++)
		for (enum limit k = 0; k < i; k++) {
			assert_string_not_equal(limit_name(i), limit_name(k));
			assert_string_not_equal(limit_text(i, 1), limit_text(k, 1));
			assert_string_not_equal(limit_text(i, 2), limit_text(k, 2));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_and_several),
		cmocka_unit_test(known_ones),
		cmocka_unit_test(names_differ),
	};

	return cmocka_run_group_tests_name("limit", tests, NULL, NULL);
}
