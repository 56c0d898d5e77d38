# Sourced by run.sh: the emulated machine. Everything is below $arm64_dir: the kernel and busybox
# of Debian's arm64 packages, the initrd, and a folder for each boot with its console's log, its
# disk and what came out of that.

machine_dir() { # BOOT
	echo "$arm64_dir/boot/$1"
}
machine_out() {
	echo "$arm64_dir/boot/$1/out"
}

# The kernel and busybox.
machine_prepare() {
	if [ ! -f "$arm64_dir/guest.complete" ]; then
		[ -f "$arm64_dir/updated" ] || arm64_apt apt-get update >"$arm64_dir/apt.log" 2>&1
		image=$(arm64_apt apt-cache depends linux-image-cloud-arm64 2>/dev/null |
			awk '/Depends: linux-image/ { print $2; exit }')
		if [ -z "$image" ] || ! arm64_unpack guest "$image" busybox-static; then
			echo "the emulated machine's kernel cannot be downloaded"
			return 1
		fi
	fi
	kernel=$(ls "$arm64_dir"/guest/boot/vmlinuz-* 2>/dev/null)
	[ -f "$kernel" ] || { echo "there is no kernel in Debian's package"; return 1; }
}

machine_initrd() {
	root=$arm64_dir/root
	rm -rf "${root:?}" "${arm64_dir:?}/boot"
	mkdir -p "$root/bin" "$root/lib" "$root/modules" "$root/files" "$arm64_dir/boot" &&
		cp "$arm64_dir/guest/bin/busybox" "$root/bin/" || return 1
	for module in virtio_ring virtio virtio_mmio virtio_blk; do
		find "$arm64_dir/guest" -name "$module.ko" -exec cp '{}' "$root/modules/" \;
	done
	cp -L /usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1 /usr/aarch64-linux-gnu/lib/libc.so.6 \
		/usr/aarch64-linux-gnu/lib/libm.so.6 "$root/lib/" || return 1
	for library in libz.so.1 liblz4.so.1 libxxhash.so.0 libsubunit.so.0 libpfm.so.4; do
		find "$arm64_dir/sysroot" -name "$library" -exec cp -L '{}' "$root/lib/" \;
	done
	build=$arm64_dir/build
	cp -L "$build"/libswtrace.so.1 "$build"/libcpc.so.1 "$root/lib/" &&
		cp "$build/swtrace" "$build"/test_libcpc_shared "$build"/test_libcpc_static \
		"$build"/samples/cpc_* "$build/samples/compress_bench" "$build"/tests/emulation/emulation_* \
		"$build/tests/e2e/e2e_writers" "$root/bin/" &&
		cp README.md LICENSE formats/trace-file.md "$root/files/" &&
		cp -r tests/emulation/guest "$root/tests" && mkdir "$root/ring" || return 1
	find "$build/tests/ring" -maxdepth 1 -name 'ring_*' -exec cp '{}' "$root/ring/" \;
	mv "$root/tests/init" "$root/init" && chmod 755 "$root/init" || return 1
	# Not compressed: the emulated processor takes longer to inflate it than this machine to copy it. The
	# rings' programs are half of it, and for their boots alone.
	(cd "$root" && find . -path './ring/*' -prune -o -print | cpio -o -H newc --quiet) >"$arm64_dir/initrd" &&
		(cd "$root" && find ./ring/* | cpio -o -H newc --quiet) >"$arm64_dir/initrd.ring" &&
		cat "$arm64_dir/initrd" "$arm64_dir/initrd.ring" >"$arm64_dir/initrd.rings" || return 1
	rm -rf "$root" "$arm64_dir/initrd.ring"
}

# Leave out what only costs emulated instructions: signed return addresses and vectors, which no check
# uses, and the kernel's mitigations and clearing of pages.
machine_kernel="console=ttyAMA0 panic=-1 quiet loglevel=3 nokaslr mitigations=off init_on_alloc=0"

# machine_boot NAME SECONDS CPUS QEMU-OPTIONS KERNEL-ARGUMENTS: in the background. Each process
# of the chain ends with its parent, so that QEMU ends with this shell, however that ends.
machine_boot() {
	here=$(machine_dir "$1")
	case $5 in
	*programs=*) initrd=$arm64_dir/initrd.rings ;;
	*) initrd=$arm64_dir/initrd ;;
	esac
	mkdir -p "$here/out"
	truncate -s 64M "$here/disk"
	cat >"$here/start" <<EOT
setpriv --pdeathsig KILL timeout -k 5 $2 \\
	setpriv --pdeathsig KILL qemu-system-aarch64 -M virt -cpu max,pauth=off,sve=off,sme=off \\
	-m 2048 -smp $3 -nographic -no-reboot -nic none $4 -kernel $kernel \\
	-initrd $initrd -drive if=none,id=disk,format=raw,file=$here/disk \\
	-device virtio-blk-device,drive=disk \\
	-append "$machine_kernel $5" </dev/null >$here/console 2>&1
echo \$? >$here/status
EOT
	setpriv --pdeathsig KILL sh "$here/start" &
	echo "$!" >"$here/pid"
}

# Counts the machines that have not ended.
machine_running() {
	n=0
	for pid in "$arm64_dir"/boot/*/pid; do
		[ ! -f "$pid" ] || [ -f "${pid%/pid}/status" ] || n=$((n + 1))
	done
	echo $n
}
machine_wait() { # at most so many remain
	while [ "$(machine_running)" -gt "$1" ]; do
		sleep 0.2
	done
}
machine_stop() {
	for pid in "$arm64_dir"/boot/*/pid; do
		if [ -f "$pid" ] && [ ! -f "${pid%/pid}/status" ]; then
			kill -KILL "$(cat "$pid")" 2>/dev/null
		fi
	done
	wait
}
