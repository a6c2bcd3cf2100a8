/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path as a process in another root means it: in a container or after chroot(2), "/tmp" may be a
 * link to "/var/tmp", which is the container's own and nobody else's.
 */
#ifndef EDDY_UTIL_ROOT_PATH_H
#define EDDY_UTIL_ROOT_PATH_H

/*
 * Opens a path by O_PATH below a directory (/proc/PID/root; "" is our own root): links and ".." do
 * not lead out of it, and links of /proc (to a process's files, say) lead nowhere.  The last part
 * is not followed: of a link there is a descriptor of the link.  So nothing is opened that could
 * notice.  The directory itself may be given by any path, links in it are followed.
 *
 * Without openat2(2), which some containers refuse, no link on the way is followed at all.
 *
 * A descriptor, or -errno; -ELOOP: links that are not followed.
 */
int root_path_open(const char *root, const char *path);

/*
 * The same, but a link at the end is followed like those before it; where openat2(2) is refused
 * that is -ELOOP.  root_path_follow_at(): below an open directory, which stays the caller's.
 */
int root_path_follow(const char *root, const char *path);
int root_path_follow_at(int root, const char *path);

#endif
