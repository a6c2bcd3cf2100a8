#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/kernels/boot.sh KERNEL OUT FILE...: boots the kernel image in an emulator, with a root in
# memory that holds the FILEs in /t, runs /t/guest.sh there as the only process, and puts what that
# left in /out into the folder OUT.  Exits with 0 when the guest came to its end; what stood on its
# console is in OUT/console.
#
# Nothing is installed and no disk is used, so no module has to be loaded.  Results come back over
# the console as a packed archive between two marks.
set -eu
kernel=$1 out=$2
shift 2
mkdir -p "$out"
work=$(mktemp -d "${TMPDIR:-/tmp}/eddy-boot.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{bin,dev,proc,sys,tmp,t,out}
cp "$(command -v busybox)" "$root/bin/busybox"

# Dynamic programs bring their libraries along.
for file in "$@"; do
	cp -L "$file" "$root/t/"
	for lib in $(ldd "$file" 2>/dev/null | grep -o '/[^ ]*' || true); do
		mkdir -p "$root/${lib%/*}"
		cp -Lu "$lib" "$root/$lib"
	done
done

cat >"$root/init" <<'I'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/t:/bin HOME=/
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tracefs none /sys/kernel/tracing
ifconfig lo 127.0.0.1 up
cd /out
sh /t/guest.sh >/out/log 2>&1
echo
echo '--- begin'
tar -c . | gzip -1 | base64
echo '--- end'
poweroff -f
I
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$work/initrd"

# cx16: with it kernel 6.12 dies in cmpxchg16b in about half of the boots (emulator of qemu 7.2).
timeout -k 5 "${BOOT_SECONDS:-90}" qemu-system-x86_64 -machine q35 -cpu max,-cx16 \
	-accel tcg,thread=multi -smp 2 -m 1024 -nodefaults -no-user-config -no-reboot \
	-display none -serial stdio -kernel "$kernel" -initrd "$work/initrd" -append \
	'console=ttyS0 quiet loglevel=3 panic=-1 nokaslr mitigations=off tsc=reliable' \
	</dev/null 2>&1 | tr -d '\r' >"$out/console" || true
sed -n '/^--- begin$/,/^--- end$/p' "$out/console" | grep -v '^---' | base64 -d 2>/dev/null |
	tar -x -z -C "$out" 2>/dev/null
grep -q '^--- end$' "$out/console"
