// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is completed is asked of the tables that are parsed by: an option that is added is completed
 * without another word.  A value is one of an option's choices, else a file.
 */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "capture/event_name.h"
#include "cli/command.h"
#include "output/writer.h"
#include "view/views.h"
#include "util/near_name.h"
#include "util/strbuf.h"

const struct option_row *const completion_tables[] = { NULL };

static const struct option_row help_row = { .name = "help", .letters = "h", .is_flag = true };

/* Calls visit for every option of a command. */
static void each_row(const struct command *c,
		     void (*visit)(const struct command *, const struct option_row *))
{
	for (const struct option_row *const *table = c->tables; *table; table++)
		for (const struct option_row *row = *table; row->name; row++)
			visit(c, row);
	visit(c, &help_row);
}

static void list_views(struct strbuf *to)
{
	char views[VIEW_LIST_BYTES] = "";

	view_list_names(views);
	for (const char *p = views; *p; p++)
		if (*p != ',')
			strbuf_addch(to, *p);
}

/* Tracepoints and events of PMUs are the machine's, and too many. */
static void list_events(struct strbuf *to)
{
	strbuf_addstr(to, "auto");
	for (size_t i = 0; event_name_at(i); i++)
		strbuf_addf(to, " %s", event_name_at(i));
}

static void list_formats(const struct command *c, struct strbuf *to)
{
	bool has_views = !strcmp(c->name, "report") || !strcmp(c->name, "record");

	strbuf_addstr(to, has_views ? "text tsv" : "");
	for (const struct writer *const *w = writers; *w; w++)
		strbuf_addf(to, "%s%s", to->len ? " " : "", (*w)->name);
}

/* "a b c"; empty: any value. */
static void list_values(const struct command *c, const struct option_row *row, struct strbuf *to)
{
	bool is_capture = !strcmp(c->name, "record") || !strcmp(c->name, "top") ||
			  !strcmp(c->name, "snapshot");

	for (size_t i = 0; i < row->nr_names; i++)
		strbuf_addf(to, "%s%s", i ? " " : "", row->names[i]);
	if (row->names)
		return;
	if (!strcmp(row->name, "view"))
		list_views(to);
	else if (!strcmp(row->name, "event") && is_capture)
		list_events(to);
	else if (!strcmp(row->name, "format") && strcmp(c->name, "diff") &&
		 strcmp(c->name, "annotate"))
		list_formats(c, to);
}

/* ---- bash --------------------------------------------------------------------------------- */

static void bash_pattern(const struct command *c, const struct option_row *row)
{
	printf("\t%s:--%s", c->name, row->name);
	for (const char *l = row->letters; l && *l; l++)
		printf(" | %s:-%c", c->name, *l);
	printf(") ");
}

/* What stands behind an option that takes a value. */
static void bash_value(const struct command *c, const struct option_row *row)
{
	_cleanup_strbuf_ struct strbuf values = STRBUF_INIT;

	if (row->is_flag)
		return;
	list_values(c, row, &values);
	bash_pattern(c, row);
	if (values.len)
		printf("words='%s' ;;\n", values.bytes);
	else
		puts("return ;;");
}

static void bash_word(const struct command *c, const struct option_row *row)
{
	(void)c;
	printf("--%s ", row->name);
}

static void print_bash(void)
{
	puts("# bash completion for eddy; made by 'eddy completion bash'\n"
	     "_eddy() {\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words= "
	     "list=\n"
	     "\tCOMPREPLY=()\n"
	     "\t# --option=value is three words\n"
	     "\tif [[ $cur == = ]]; then\n"
	     "\t\tcur=\n"
	     "\telif [[ $before == = ]] && ((COMP_CWORD > 2)); then\n"
	     "\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
	     "\tfi\n"
	     "\tif ((COMP_CWORD == 1)); then");
	printf("\t\twords='");
	for (const struct command *c = command_table; c->name; c++)
		printf("%s ", c->name);
	puts("--help --version'\n\telse case ${COMP_WORDS[1]}:$before in");
	for (const struct command *c = command_table; c->name; c++)
		each_row(c, bash_value);
	puts("\tcompletion:completion) words='bash zsh' ;;\n"
	     "\t*) [[ $cur == -* ]] && case ${COMP_WORDS[1]} in");
	for (const struct command *c = command_table; c->name; c++) {
		printf("\t\t%s) words='", c->name);
		each_row(c, bash_word);
		puts("' ;;");
	}
	puts("\t\tesac ;;\n"
	     "\tesac; fi\n"
	     "\t# Values joined by commas: the last one\n"
	     "\t[[ $cur == *,* ]] && list=${cur%,*},\n"
	     "\t[[ $words ]] && mapfile -t COMPREPLY < <(compgen -P \"$list\" -W \"$words\" -- "
	     "\"${cur##*,}\")\n"
	     "\treturn 0\n"
	     "}\n"
	     "complete -o default -F _eddy eddy");
}

/* ---- zsh ---------------------------------------------------------------------------------- */

static void zsh_spec(const struct command *c, const char *name, size_t len,
		     const struct option_row *row)
{
	_cleanup_strbuf_ struct strbuf values = STRBUF_INIT;
	const char *dashes = len > 1 ? "--" : "-";

	list_values(c, row, &values);
	printf(" \\\n\t\t'*%s%.*s", dashes, (int)len, name);
	if (row->is_flag)
		printf("'");
	else if (!strcmp(row->name, "root")) /* several, joined by commas */
		printf("%s:%s:_values -s , %s %s'", len > 1 ? "=" : "+", row->name, row->name,
		       values.bytes);
	else if (values.len)
		printf("%s:%s:(%s)'", len > 1 ? "=" : "+", row->name, values.bytes);
	else
		printf("%s:%s:_files'", len > 1 ? "=" : "+", row->name);
}

static void zsh_row(const struct command *c, const struct option_row *row)
{
	zsh_spec(c, row->name, strlen(row->name), row);
	for (const char *l = row->letters; l && *l; l++)
		zsh_spec(c, l, 1, row);
}

static void print_zsh(void)
{
	puts("#compdef eddy\n"
	     "# zsh completion for eddy; made by 'eddy completion zsh'\n"
	     "_eddy() {\n"
	     "\tlocal -a commands\n"
	     "\tcommands=(");
	for (const struct command *c = command_table; c->name; c++)
		printf("\t\t'%s:%s'\n", c->name, c->summary);
	puts("\t)\n"
	     "\tif ((CURRENT == 2)); then\n"
	     "\t\t_describe command commands\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tlocal command=$words[2]\n"
	     "\tshift words\n"
	     "\t((CURRENT--))\n"
	     "\tcase $command in");
	for (const struct command *c = command_table; c->name; c++) {
		printf("\t%s) _arguments", c->name);
		each_row(c, zsh_row);
		puts(strcmp(c->name, "completion") ? " \\\n\t\t'*:file:_files' ;;"
						   : " \\\n\t\t'*:shell:(bash zsh)' ;;");
	}
	puts("\tesac\n"
	     "}\n"
	     "_eddy \"$@\"");
}

static int refuse(const char *shell)
{
	struct near_name near = { .typed = shell };
	char hint[NEAR_NAME_BYTES];

	near_name_offer(&near, "bash");
	near_name_offer(&near, "zsh");
	near_name_hint(&near, "", hint);
	return command_usage("completion", "'%s' is not one of bash, zsh%s", shell, hint);
}

int completion_run(char **argv)
{
	const struct option_group none[] = { { 0 } };
	struct diag diag;
	char **operands;
	int r = options_parse(none, false, argv, &operands, &diag);

	if (r < 0)
		return command_usage("completion", "%s", diag.text);
	if (r == OPTIONS_HELP) {
		puts("usage: eddy completion bash|zsh\n\n"
		     "Prints what the shell completes: source <(eddy completion bash), or a file "
		     "of\n"
		     "the shell's directory of completions ('make install' writes both).");
		return EXIT_DONE;
	}
	if (!operands[0] || operands[1])
		return command_usage("completion", "one shell was expected: bash or zsh");
	if (!strcmp(operands[0], "bash"))
		print_bash();
	else if (!strcmp(operands[0], "zsh"))
		print_zsh();
	else
		return refuse(operands[0]);
	return EXIT_DONE;
}
