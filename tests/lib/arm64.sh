# Sourced, after deps.sh: the project built for AArch64, on another machine. What is downloaded
# is unpacked in a folder of its own; the machine's package state is not touched.
#
# arm64_dir is that folder: SWTRACE_TEST_ARM64 if it is set (an absolute path; it stays, and the
# next one finds everything there), else a fresh one below the build folders, which arm64_done
# removes.

arm64_packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross cmake make pkg-config"

arm64_begin() { # NAME
	arm64_dir=${SWTRACE_TEST_ARM64:-$PWD/build-test-$1}
	[ -n "${SWTRACE_TEST_ARM64-}" ] || rm -rf "$arm64_dir"
	mkdir -p "$arm64_dir/lists/partial" "$arm64_dir/sysroot" "$arm64_dir/guest" "$arm64_dir/debs"
	arm64_lib=$arm64_dir/sysroot/usr/lib/aarch64-linux-gnu
}

arm64_done() {
	[ -n "${SWTRACE_TEST_ARM64-}" ] || rm -rf "$arm64_dir"
}

arm64_apt() { # COMMAND ARGUMENT...
	command=$1; shift
	"$command" -oAPT::Architecture=arm64 -oAPT::Architectures=arm64 \
		-oDir::State::Lists="$arm64_dir/lists" -oDir::State::status=/dev/null \
		-oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= -oAPT::Sandbox::User=root "$@"
}

# arm64_unpack FOLDER PACKAGE...: arm64 packages, downloaded once.
arm64_unpack() {
	to=$arm64_dir/$1; shift
	[ ! -f "$to.complete" ] || return 0
	[ -f "$arm64_dir/updated" ] ||
		{ arm64_apt apt-get update >"$arm64_dir/apt.log" 2>&1 && : >"$arm64_dir/updated"; }
	rm -rf "$arm64_dir/debs" && mkdir -p "$arm64_dir/debs" "$to" || return 1
	(cd "$arm64_dir/debs" && arm64_apt apt-get download "$@" >>"$arm64_dir/apt.log" 2>&1) || {
		tail -n 5 "$arm64_dir/apt.log"
		return 1
	}
	for deb in "$arm64_dir"/debs/*.deb; do
		dpkg-deb -x "$deb" "$to" || return 1
	done
	rm -rf "$arm64_dir/debs"
	: >"$to.complete"
}

arm64_toolchain() {
	cat >"$arm64_dir/toolchain.cmake" <<EOT
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH $arm64_dir/sysroot/usr /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,$arm64_lib -Wl,-rpath-link,$arm64_dir/sysroot/lib/aarch64-linux-gnu")
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64-static;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=$arm64_lib:$arm64_dir/sysroot/lib/aarch64-linux-gnu")
EOT
}

# Builds what runs there in $arm64_dir/build, warnings being errors; -O3 takes longer to compile than it
# gains here, and so does -O2 of what runs but briefly there. 0; 1 with what the compiler
# said; 77 where the libraries cannot be had, with the reason as the last line.
arm64_build() {
	if ! arm64_unpack sysroot zlib1g zlib1g-dev liblz4-1 liblz4-dev libxxhash0 libxxhash-dev \
		check libsubunit0 libsubunit-dev libpfm4 libpfm4-dev; then
		echo "the arm64 libraries cannot be downloaded"
		return 77
	fi
	arm64_toolchain
	if ! PKG_CONFIG_LIBDIR="$arm64_lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$arm64_dir/sysroot" \
		cmake -S . -B "$arm64_dir/build" -DCMAKE_TOOLCHAIN_FILE="$arm64_dir/toolchain.cmake" \
		-DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG" -DCMAKE_UNITY_BUILD=ON \
		"-DSWTRACE_TEST_UNOPTIMISED=cpidecode_objects;cpidecode_output;cpidecode;swtrace_cmd;perflib_own;cpc_own" \
		-DSWTRACE_WERROR=ON >"$arm64_dir/build.log" 2>&1 ||
		! cmake --build "$arm64_dir/build" -j "$(nproc)" >>"$arm64_dir/build.log" 2>&1; then
		grep -nE 'error|warning' "$arm64_dir/build.log" | head -n 30
		tail -n 20 "$arm64_dir/build.log"
		echo "AArch64: the build failed"
		return 1
	fi
}
