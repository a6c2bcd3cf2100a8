#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/kernels/boot.sh ARCH KERNEL OUT FILE...: boots the kernel image in an emulator of ARCH (x86_64
# or arm64), with a root in memory that holds the FILEs in /t, runs /t/guest.sh there as the only
# process, and puts what that left in /out into the directory OUT.  Exits with 0 when the guest came
# to its end; what stood on its console is in OUT/console.  With BOOT_ROOT=DIR the root holds
# what is in the directory too, and its /sbin/init is the first process, which has to run /guest.
#
# Nothing is installed and no disk is used, so no module has to be loaded.  Results come back over
# the console as a packed archive between two marks.  How long the guest takes says nothing, the
# machine may be busy: it is given up when its console has been silent for SILENT_SECONDS, and when
# its clock runs faster than ours (on a busy machine a kernel may measure it wrongly).
#
# Tried and left: icount.  The clock then counts instructions and samples come when they are due on the
# busiest machine; but its CPUs take turns, and a short process has ended before eddy looks at it.
set -eu
umask 022 # users of the guest run and read what stands there
arch=$1 kernel=$2 out=$3
shift 3
mkdir -p "$out"
work=$(mktemp -d "${TMPDIR:-/tmp}/eddy-boot.XXXXXX")
qemu=
trap '[[ -z $qemu ]] || kill $qemu 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' TERM INT
root=$work/root
mkdir -p "$root"
if [[ -n ${BOOT_ROOT:-} ]]; then cp -a "$BOOT_ROOT/." "$root"; fi
mkdir -p "$root"/{bin,dev,proc,sys,tmp,t,out}

# Dynamic programs bring their libraries along; another machine's are the cross-compiler's.
for file in "$@"; do
	cp -L "$file" "$root/t/"
done
if [[ $arch == "$(uname -m)" ]]; then
	cp "$(command -v busybox)" "$root/bin/busybox"
	for file in "$@"; do
		for lib in $(ldd "$file" 2>/dev/null | grep -o '/[^ ]*' || true); do
			mkdir -p "$root/${lib%/*}"
			cp -Lu "$lib" "$root/$lib"
		done
	done
else
	cp "build/$arch/sysroot/bin/busybox" "$root/bin/busybox"
	mkdir "$root/lib"
	cp -L /usr/aarch64-linux-gnu/lib/{ld-linux-aarch64,libc,libm}.so.? "$root/lib/"
fi

cat >"$root/init" <<'I'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/t:/bin HOME=/ GUEST=1
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tracefs none /sys/kernel/tracing
mount -t securityfs none /sys/kernel/security
ifconfig lo 127.0.0.1 up
[ ! -x /sbin/init ] || exec /sbin/init
exec /guest
I
cat >"$root/guest" <<'I'
#!/bin/busybox sh
export PATH=/t:/bin HOME=/ GUEST=1
cd /out
echo "--- up $(cut -d ' ' -f 1 /proc/uptime)"
sh /t/guest.sh >/out/log 2>&1
dmesg >/out/dmesg
echo
echo '--- begin'
tar -c . | gzip -1 | base64
echo '--- end'
poweroff -f
I
chmod +x "$root/init" "$root/guest"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$work/initrd"

case $arch in
x86_64)
	# cx16: with it kernel 6.12 dies in cmpxchg16b in about half of the boots (emulator of qemu 7.2).
	# One thread for both CPUs: the other way a kernel that patches its own code was brought down now
	# and then, and it is no faster.
	emulator=(qemu-system-x86_64 -accel 'tcg,thread=single' -machine q35 -cpu 'max,-cx16')
	console=ttyS0
	;;
arm64)
	# pauth-impdef: signs return addresses as the default would, at a fraction of the cost.
	emulator=(qemu-system-aarch64 -accel 'tcg,thread=multi' -machine virt -cpu 'max,pauth-impdef=on')
	console=ttyAMA0
	;;
*)
	echo "tests/kernels/boot.sh: no emulator for $arch is known" >&2
	exit 2
	;;
esac
"${emulator[@]}" -smp "${BOOT_CPUS:-2}" -m "${BOOT_MIB:-1024}" -nodefaults -no-user-config -no-reboot \
	-display none -serial stdio -kernel "$kernel" -initrd "$work/initrd" -append \
	"console=$console quiet loglevel=3 panic=-1 nokaslr mitigations=off tsc=reliable" \
	</dev/null >"$work/console" 2>&1 &
qemu=$!
# is_too_fast: the guest is up, and longer than its emulator runs
is_too_fast() {
	local up
	up=$(tr -d '\r' <"$work/console" | sed -n 's/^--- up \([0-9]*\).*/\1/p')
	[[ -n $up ]] || return 1
	is_timed=1
	((up > (SECONDS - began) * 3 / 2 + 3)) && echo "its clock says $up s after $((SECONDS - began)) s" >&2
}
began=$SECONDS is_timed=
said=0 silent=0
while kill -0 $qemu 2>/dev/null && ((silent < ${SILENT_SECONDS:-300} * 4)); do
	sleep 0.25
	silent=$((silent + 1))
	[[ $(stat -c %s "$work/console") == "$said" ]] && continue
	said=$(stat -c %s "$work/console") silent=0
	if [[ -z $is_timed ]] && is_too_fast; then break; fi
done
kill $qemu 2>/dev/null || true
tr -d '\r' <"$work/console" >"$out/console"
sed -n '/^--- begin$/,/^--- end$/p' "$out/console" | grep -v '^---' | base64 -d 2>/dev/null |
	tar -x -z -C "$out" 2>/dev/null
grep -q '^--- end$' "$out/console"
