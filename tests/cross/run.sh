#!/bin/sh
# Builds everything for AArch64 and, where user-mode emulation is to be had, runs what can run
# there: it offers no restartable sequences, so the rings are guest rings.
# Exit status: 0 passed, 1 failed, 77 skipped, with the reason as the last line.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/deps.sh

unit="^(decoder_[a-z]*|libtrace_cpi|dump|ring_(layout|hooks|sections))\$"

d=$PWD/build-test-cross
trap 'rm -rf "$d"' EXIT
trap 'exit 1' INT TERM HUP
rm -rf "$d"
mkdir -p "$d/lists/partial" "$d/sysroot" "$d/debs"

if [ "$(uname -m)" = aarch64 ]; then
	echo "this machine is AArch64: the other builds were"
	exit 77
fi
need_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static cmake make pkg-config || {
	echo "the cross compiler cannot be installed"
	exit 77
}

# The libraries' arm64 packages, unpacked beside the build: the machine's own package state
# is not touched.
apt_arm64() {
	apt-get -oAPT::Architecture=arm64 -oAPT::Architectures=arm64 \
		-oDir::State::Lists="$d/lists" -oDir::State::status=/dev/null \
		-oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= -oAPT::Sandbox::User=root "$@"
}
apt_arm64 update >"$d/apt.log" 2>&1
if ! (cd "$d/debs" && apt_arm64 download zlib1g zlib1g-dev liblz4-1 liblz4-dev libxxhash0 \
	libxxhash-dev check libsubunit0 libsubunit-dev >>"$d/apt.log" 2>&1); then
	tail -n 5 "$d/apt.log"
	echo "the arm64 libraries cannot be downloaded"
	exit 77
fi
for deb in "$d"/debs/*.deb; do
	dpkg-deb -x "$deb" "$d/sysroot" || exit 1
done

lib=$d/sysroot/usr/lib/aarch64-linux-gnu
export PKG_CONFIG_LIBDIR="$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$d/sysroot"
cat >"$d/toolchain.cmake" <<EOF
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH $d/sysroot/usr /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,$lib -Wl,-rpath-link,$d/sysroot/lib/aarch64-linux-gnu")
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64-static;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=$lib:$d/sysroot/lib/aarch64-linux-gnu")
EOF
if ! cmake -S . -B "$d/build" -DCMAKE_TOOLCHAIN_FILE="$d/toolchain.cmake" -DSWTRACE_WERROR=ON \
	>"$d/log" 2>&1 || ! cmake --build "$d/build" -j "$(nproc)" >>"$d/log" 2>&1; then
	grep -nE 'error|warning' "$d/log" | head -n 30
	tail -n 20 "$d/log"
	echo "AArch64: the build failed"
	exit 1
fi
echo "AArch64: everything builds"

# The unit tests under the emulator (ctest uses it by itself).
export SWTRACE_TEST_EMULATED=1
(cd "$d/build" && ctest -R "$unit" --output-on-failure --timeout 300) >"$d/log" 2>&1
status=$?
grep -E '^ *[0-9]+/[0-9]+ Test' "$d/log"
grep -hE '^skipped[: ]' "$d/build/Testing/Temporary/LastTest.log"
if [ "$status" -ne 0 ]; then
	tail -n 60 "$d/log"
	exit 1
fi

# And a trace written and dumped there, decoded here.
emulate="qemu-aarch64-static -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=$d/build:$lib:$d/sysroot/lib/aarch64-linux-gnu"
SWTRACE_SESSION=/dev/shm/swtrace-cross.$$
export SWTRACE_SESSION
trap 'rm -rf "$d" "$SWTRACE_SESSION"' EXIT
writers=$d/build/tests/e2e/e2e_writers
if $emulate "$d/build/swtrace" init -s 4 && $emulate "$d/build/swtrace" on &&
	$emulate "$writers" 1 2 2000 && $emulate "$d/build/swtrace" off &&
	$emulate "$d/build/swtrace" dump "$d/t.bin" &&
	$emulate "$d/build/cpidecode" --report hooks --format json "$d/t.bin" >"$d/hooks" &&
	[ "$($emulate "$d/build/tests/e2e/e2e_verify" all 1 2 2000 <"$d/hooks")" = 4000 ]; then
	echo "AArch64: traced, dumped and decoded under emulation (guest rings)"
else
	echo "AArch64: the emulated trace went wrong"
	exit 1
fi
