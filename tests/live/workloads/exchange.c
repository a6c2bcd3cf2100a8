// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exchange A B SECONDS: exchanges two names of the current directory again and again, as somebody
 * does who waits for root to write to one of them.  A that has become root's is made anew where it
 * can be removed; B is a link and stays one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 3 ? atoi(argv[3]) : 0);
	char target[4096];
	ssize_t len = argc > 3 ? readlink(argv[2], target, sizeof(target) - 1) : -1;

	if (len < 0) {
		fprintf(stderr, "usage: exchange FILE LINK SECONDS\n");
		return 2;
	}
	target[len] = '\0';
	for (unsigned int i = 0; i % 1024 || time(NULL) < end; i++) {
		struct stat st;

		if (!renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE))
			continue;
		if (errno != ENOENT && errno != EPERM)
			return 1;
		/* One of the two was replaced, or has gone. */
		if (lstat(argv[2], &st) < 0 || !S_ISLNK(st.st_mode)) {
			(void)unlink(argv[2]);
			(void)!symlink(target, argv[2]);
		}
		if (lstat(argv[1], &st) < 0)
			close(open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0777));
	}
	return 0;
}
