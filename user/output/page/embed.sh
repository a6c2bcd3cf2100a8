#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# embed.sh STYLE BODY SCRIPT...: html_page.h on standard output, files as C strings.  The scripts
# become one function, so that they see each other and nothing else does; its SHA-256 is what the
# page's policy allows to run.
set -eu
style=$1 body=$2
shift 2

text() {
	echo "static const char $1[] ="
	sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n"/'
	echo ';'
}
script() {
	printf '\n"use strict";\n(() => {\n'
	cat "$@"
	echo '})();'
}
# From hex digits to base64.
sha256() {
	sha256sum | cut -c 1-64 | sed 's/../\\x&/g' | xargs -0 /usr/bin/printf '%b' | head -c 32 | base64
}

echo '/* Made from user/output/page/ by embed.sh. */'
text html_page_style <"$style"
text html_page_body <"$body"
script "$@" | text html_page_script
echo "#define html_page_script_sha256 \"$(script "$@" | sha256)\""
