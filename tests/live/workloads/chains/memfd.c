// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies a program (argument 1) into memory without a name and becomes it. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	int from = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	int to = memfd_create("chain", MFD_CLOEXEC);
	struct stat st;

	if (from < 0 || to < 0 || fstat(from, &st) ||
	    sendfile(to, from, NULL, st.st_size) != st.st_size)
		return 1;
	fexecve(to, argv + 1, environ);
	perror("memfd");
	return 1;
}
