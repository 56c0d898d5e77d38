# Sourced: makes sure that Debian packages are there. No package is asked for twice, and with
# everything there neither the network nor root is needed.

# have_packages PACKAGE...: whether all are installed; those that are not, in $missing.
have_packages() {
	missing=
	for package in "$@"; do
		dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
			missing="$missing $package"
	done
	[ -z "$missing" ]
}

# need_packages PACKAGE...: installs what is missing. Fails with one line if it cannot.
need_packages() {
	! have_packages "$@" || return 0
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null 2>&1 || ! sudo -n true 2>/dev/null; then
			echo "missing packages:$missing: run as root, or first: sudo apt-get install$missing" >&2
			return 1
		fi
		as_root="sudo -n"
	fi
	echo "installing$missing" >&2
	apt_log=$(mktemp)
	# A fresh machine may be updating itself.
	apt_waits='-o DPkg::Lock::Timeout=600 -o Acquire::Retries=3'
	# A failing update matters only if the install then fails too.
	# shellcheck disable=SC2086
	$as_root apt-get $apt_waits update >"$apt_log" 2>&1 || true
	# shellcheck disable=SC2086
	if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get $apt_waits install -y --no-install-recommends \
		$missing >>"$apt_log" 2>&1; then
		tail -n 20 "$apt_log" >&2
		rm -f "$apt_log"
		echo "could not install$missing (above: what apt-get said)" >&2
		return 1
	fi
	rm -f "$apt_log"
}

# Needed to build the project.
BUILD_PACKAGES="gcc libc6-dev make cmake pkg-config zlib1g-dev liblz4-dev libxxhash-dev lowdown"
# And to test it.
TEST_PACKAGES="$BUILD_PACKAGES g++ clang libclang-rt-dev check libncurses-dev libpfm4-dev libsqlite3-dev python3-bt2 python3-numpy python3-pandas python3-pip python3-setuptools python3-wheel man-db strace spin python3 dpkg-dev lintian"
# Readers of exports: go tool pprof, callgrind_annotate. 103 MB, 530 MB installed, of which the tests take two files.
READER_PACKAGES="golang-go valgrind"
