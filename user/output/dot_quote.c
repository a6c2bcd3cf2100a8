// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Graphviz reads a quoted text twice: a backslash hides the quote behind it, then it begins what is
 * replaced (\N, \n), and entities of HTML (&lt;, &#60;) become what they stand for.
 */
#include "output/dot_quote.h"

void dot_quote(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			putc('\\', out);
		putc(text[i], out);
		if (text[i] == '&')
			fputs("amp;", out);
	}
}
