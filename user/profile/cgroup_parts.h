/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a cgroup's path says of who runs in it: the unit of systemd and the container.
 *
 *	/system.slice/cron.service			cron.service
 *	/system.slice/docker-ID.scope			docker-ID.scope		ID
 *	/kubepods/burstable/podUID/ID						ID
 *
 * Paths are made by whoever may make cgroups there: what is found is what the path says, no more.
 */
#ifndef EDDY_PROFILE_CGROUP_PARTS_H
#define EDDY_PROFILE_CGROUP_PARTS_H

#include <stddef.h>

/* The last service or scope in the path, a part of it; NULL: there is none. */
const char *cgroup_unit(const char *path, size_t len, size_t *ret_len);

/*
 * The id, or the name where that is what it is known by (lxc, systemd-nspawn), of the innermost
 * container, a part of the path; NULL: there is none.  Known are the paths of docker, podman,
 * containerd, CRI-O, Kubernetes with both of its drivers, LXC, Incus and systemd-nspawn.  What
 * watches over a container from outside (conmon, lxc.monitor) is not in it.
 */
const char *cgroup_container(const char *path, size_t len, size_t *ret_len);

#endif
