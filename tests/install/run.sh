#!/bin/sh
# Installs into a scratch prefix and builds consumers against it.
# Environment: BUILD: the build folder; SOURCE: the project's folder.
set -u
: "${BUILD:?}" "${SOURCE:?}"
here=$SOURCE/tests/install
. "$here/../lib/tally.sh"
prefix=$work/prefix
cc=${CC:-cc} cxx_compiler=${CXX:-c++}
SWTRACE_SESSION=$work/session # consumers trace nowhere
SWTRACE_CPC_REGISTRY=$work/registry
export SWTRACE_SESSION SWTRACE_CPC_REGISTRY

check "cmake --install" cmake --install "$BUILD" --prefix "$prefix"
for f in include/perfutil.h include/swtrace.h include/cpidecode.h include/cpidecode.hpp include/libcpc.h include/perflib.h include/p4counters.h include/libpctx.h include/cpc_event.h \
	bin/swtrace bin/cpidecode share/man/man3/perflib.3 share/man/man3/p4counters.3 share/man/man3/libpctx.3 share/man/man3/cpc_event.3 \
	share/man/man1/swtrace.1 share/man/man1/cpidecode.1 share/man/man3/perfutil.3 share/man/man3/swtrace.3 share/man/man3/SWTRACE_SCOPE.3 \
	share/man/man3/libcpidecode.3 share/doc/swtrace/LICENSE share/doc/swtrace/samples/print_intervals.py \
	share/man/man3/libcpc.3 share/man/man5/trace-file.5 share/bash-completion/completions/swtrace \
	share/bash-completion/completions/cpidecode share/zsh/site-functions/_swtrace \
	share/zsh/site-functions/_cpidecode share/fish/vendor_completions.d/swtrace.fish \
	share/fish/vendor_completions.d/cpidecode.fish share/swtrace/cpi.hooks \
	share/swtrace/cpuutil.hooks share/swtrace/interval.hooks share/swtrace/scope.hooks share/swtrace/counters.hooks \
	share/swtrace/python/pyproject.toml share/swtrace/python/swtrace/trace.py \
	share/doc/swtrace/formats/hook-schema.md; do
	check "installs $f" test -f "$prefix/$f"
done
libdir=$(dirname "$(find "$prefix" -name libswtrace.so)")
PKG_CONFIG_PATH=$libdir/pkgconfig
LD_LIBRARY_PATH=$libdir
export PKG_CONFIG_PATH LD_LIBRARY_PATH
strict="-O2 -Wall -Wextra -Wpedantic -Wshadow -Werror"

# Where the link line finds both kinds, -Bstatic takes the .a of these two libraries alone.
with_pkg_config() { # COMPILER FLAGS PROGRAM
	# shellcheck disable=SC2046,SC2086
	$1 $strict $2 "$3" -o "$work/c" $(pkg-config --cflags --libs libswtrace libcpidecode) -lm &&
		"$work/c" && readelf -d "$work/c" | grep -q 'NEEDED.*libswtrace'
}
with_pkg_config_static() { # COMPILER FLAGS PROGRAM
	# The last -Bdynamic: the system's own libraries stay shared.
	libs=$(pkg-config --static --libs libswtrace libcpidecode |
		sed 's/-lswtrace/-Wl,-Bstatic -lswtrace -Wl,-Bdynamic/
			s/-lcpidecode/-Wl,-Bstatic -lcpidecode -Wl,-Bdynamic/') || return 1
	# shellcheck disable=SC2046,SC2086
	$1 $strict $2 "$3" -o "$work/c" $(pkg-config --cflags libswtrace libcpidecode) $libs &&
		env -u LD_LIBRARY_PATH "$work/c" &&
		! readelf -d "$work/c" | grep -qE 'NEEDED.*lib(swtrace|cpidecode)'
}
counters_with_pkg_config() { # COMPILER FLAGS PROGRAM
	# shellcheck disable=SC2046,SC2086
	$1 $strict $2 "$3" -o "$work/c" $(pkg-config --cflags --libs libcpc) -lpthread \
		-Wl,-rpath,"$(pkg-config --variable=libdir libcpc)" &&
		env -u LD_LIBRARY_PATH "$work/c" && readelf -d "$work/c" | grep -q 'NEEDED.*libcpc'
}
counters_with_pkg_config_static() { # COMPILER FLAGS PROGRAM
	libs=$(pkg-config --static --libs libcpc |
		sed 's/-l\(cpc\|swtrace\)/-Wl,-Bstatic -l\1 -Wl,-Bdynamic/g') || return 1
	# shellcheck disable=SC2046,SC2086
	$1 $strict $2 "$3" -o "$work/c" $(pkg-config --cflags libcpc) $libs &&
		env -u LD_LIBRARY_PATH "$work/c" &&
		! readelf -d "$work/c" | grep -qE 'NEEDED.*lib(cpc|swtrace)'
}
# libperflib finds libcpidecode and libswtrace by itself, libcpc libswtrace.
queries_with_pkg_config() { # COMPILER FLAGS PROGRAM
	# shellcheck disable=SC2046,SC2086
	$1 $strict $2 "$3" -o "$work/c" $(pkg-config --cflags --libs libperflib) \
		-Wl,-rpath,"$(pkg-config --variable=libdir libperflib)" &&
		env -u LD_LIBRARY_PATH "$work/c" && readelf -d "$work/c" | grep -q 'NEEDED.*libperflib'
}
queries_with_pkg_config_static() { # COMPILER FLAGS PROGRAM
	libs=$(pkg-config --static --libs libperflib |
		sed 's/-lperflib/-Wl,-Bstatic -lperflib -Wl,-Bdynamic/
			s/-lswtrace/-Wl,-Bstatic -lswtrace -Wl,-Bdynamic/
			s/-lcpidecode/-Wl,-Bstatic -lcpidecode -Wl,-Bdynamic/') || return 1
	# shellcheck disable=SC2046,SC2086
	$1 $strict $2 "$3" -o "$work/c" $(pkg-config --cflags libperflib) $libs &&
		env -u LD_LIBRARY_PATH "$work/c" &&
		! readelf -d "$work/c" | grep -qE 'NEEDED.*lib(perflib|cpidecode|swtrace)'
}
reads_with_pkg_config() { # COMPILER FLAGS PROGRAM
	# shellcheck disable=SC2046,SC2086
	$1 $strict $2 "$3" -o "$work/c" $(pkg-config --cflags --libs libcpidecode) \
		-Wl,-rpath,"$libdir" && env -u LD_LIBRARY_PATH "$work/c" "$SOURCE/samples/measured.trace"
}
reads_with_pkg_config_static() { # COMPILER FLAGS PROGRAM
	libs=$(pkg-config --static --libs libcpidecode |
		sed 's/-lcpidecode/-Wl,-Bstatic -lcpidecode -Wl,-Bdynamic/') || return 1
	# shellcheck disable=SC2046,SC2086
	$1 $strict $2 "$3" -o "$work/c" $(pkg-config --cflags libcpidecode) $libs &&
		env -u LD_LIBRARY_PATH "$work/c" "$SOURCE/samples/measured.trace" &&
		! readelf -d "$work/c" | grep -qE 'NEEDED.*libcpidecode'
}
# The libraries share one copy of functions, state and fork handlers.
all_libraries="libperflib libcpc libswtrace libcpidecode"
together() {
	# shellcheck disable=SC2046,SC2086
	$cc $strict -std=c17 "$here/together.c" -o "$work/c" $(pkg-config --cflags --libs $all_libraries) \
		-Wl,-rpath,"$libdir" && env -u LD_LIBRARY_PATH "$work/c" || return 1
	for l in libcpc libperflib; do
		! nm --defined-only "$libdir/$l.so" |
			grep -E ' (swtrace_private_.*|(thread|handle|attach)_[a-z_]*fork)$' || return 1
		readelf -V "$libdir/$l.so" | grep -q "SWTRACE_PRIVATE_$(pkg-config --modversion $l)" ||
			return 1
	done
}
# A libswtrace of another release: the dynamic linker says which version is missing.
refuses_another_release() {
	mkdir -p "$work/other"
	echo 'SWTRACE_PRIVATE_0.9 { local: *; };' >"$work/other/map"
	echo 'int swtrace_other;' | $cc -shared -fPIC -x c - -o "$work/other/libswtrace.so.1" \
		-Wl,-soname,libswtrace.so.1 -Wl,--version-script="$work/other/map" || return 1
	# shellcheck disable=SC2046
	$cc -x c "$here/counters.c" -o "$work/c" $(pkg-config --cflags --libs libcpc) -lpthread || return 1
	! LD_LIBRARY_PATH="$work/other:$libdir" "$work/c" >"$work/refused" 2>&1 &&
		grep -q "SWTRACE_PRIVATE_.*not found" "$work/refused"
}
together_static() {
	# shellcheck disable=SC2086
	libs=$(pkg-config --static --libs $all_libraries |
		sed 's/-l\(perflib\|cpc\|swtrace\|cpidecode\)/-Wl,-Bstatic -l\1 -Wl,-Bdynamic/g') || return 1
	# shellcheck disable=SC2046,SC2086
	$cc $strict -std=c17 "$here/together.c" -o "$work/c" $(pkg-config --cflags $all_libraries) $libs &&
		env -u LD_LIBRARY_PATH "$work/c" || return 1
	nm "$work/c" | awk '$3 ~ /^(swtrace_private_.*|(thread|handle)_before_fork|attach_after_fork)$/ { print $3 }' |
		sort >"$work/shared"
	[ "$(wc -l <"$work/shared")" -gt 40 ] && [ -z "$(uniq -d "$work/shared")" ]
}
headers_alone() {
	for std in "c99 -x c" "c17 -x c" "c++11 -x c++" "c++17 -x c++"; do
		for headers in swtrace.h perflib.h p4counters.h libpctx.h cpc_event.h "perflib.h perfutil.h libcpc.h cpidecode.h p4counters.h" \
			"p4counters.h cpidecode.h libcpc.h perfutil.h perflib.h"; do
			case $std in *++) compiler=$cxx_compiler ;; *) compiler=$cc ;; esac
			# shellcheck disable=SC2086
			printf '#include <%s>\n' $headers |
				$compiler $strict -std=$std -I"$prefix/include" -fsyntax-only - ||
				return 1
		done
	done
}
# Elsewhere than at configuration: below DESTDIR, moved, with absolute folders.
moved() {
	rm -rf "$work/stage" "$work/moved" && DESTDIR=$work/stage cmake --install "$BUILD" &&
		mkdir -p "$work/moved" &&
		mv "$(dirname "$(dirname "$(find "$work/stage" -name perfutil.h)")")" "$work/moved/to" &&
		[ -z "$(find "$work/stage" -type f)" ] || return 1
	(
		libdir=$(dirname "$(find "$work/moved" -name libswtrace.so)")
		PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
		prefix=$work/moved/to
		with_pkg_config "$cc" "-std=c17" "$here/consumer.c" &&
			counters_with_pkg_config "$cc" "-std=c17 -x c" "$here/counters.c" &&
			queries_with_pkg_config "$cc" "-std=c17 -x c" "$here/queries.c" &&
			with_find_package
	)
}
absolute() {
	# Only configured: text needs no build.
	cmake -S "$SOURCE" -B "$work/absolute" -DSWTRACE_TESTS=OFF -DSWTRACE_SAMPLES=OFF \
		-DCMAKE_C_COMPILER="$cc" -DCMAKE_INSTALL_PREFIX=/opt/x \
		-DCMAKE_INSTALL_LIBDIR=/srv/lib -DCMAKE_INSTALL_INCLUDEDIR=/srv/include || return 1
	for l in libswtrace libcpidecode libcpc libperflib; do
		PKG_CONFIG_PATH=$work/absolute pkg-config --libs "$l" | grep -q -- "-L/srv/lib" &&
			PKG_CONFIG_PATH=$work/absolute pkg-config --cflags "$l" |
			grep -q -- "-I/srv/include" || return 1
		grep -q '"/srv/lib/' "$work/absolute/${l#lib}Config.cmake" || return 1
	done
}
with_find_package() {
	rm -rf "$work/cmake"
	cmake -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" &&
		cmake --build "$work/cmake" && "$work/cmake/c_shared" && "$work/cmake/c_static" &&
		"$work/cmake/cxx_shared" && "$work/cmake/cxx_static" &&
		"$work/cmake/cpc_c_shared" && "$work/cmake/cpc_c_static" &&
		"$work/cmake/cpc_cxx_shared" && "$work/cmake/cpc_cxx_static" &&
		"$work/cmake/perflib_c_shared" && "$work/cmake/perflib_c_static" &&
		"$work/cmake/perflib_cxx_shared" && "$work/cmake/perflib_cxx_static"
}
c="-std=c17 -x c" cxx="-std=c++17 -x c++"
for kind in "" _static; do
	how="with pkg-config${kind:+, static}"
	check "a C program $how" with_pkg_config$kind "$cc" "$c" "$here/consumer.c"
	check "a C++ program $how" with_pkg_config$kind "$cxx_compiler" "$cxx" "$here/consumer.c"
	check "a C++ program that writes hooks $how" \
		with_pkg_config$kind "$cxx_compiler" "$cxx" "$here/hooks.cc"
	check "the nested intervals of the CPI facility's description $how" \
		with_pkg_config$kind "$cc" "-std=c17 -x c" "$SOURCE/samples/nested_intervals.c"
	check "a C++ program that reads a trace by cpidecode.hpp $how" \
		reads_with_pkg_config$kind "$cxx_compiler" "-std=c++17" "$here/reader.cc"
	check "a C program that counts $how" \
		counters_with_pkg_config$kind "$cc" "$c" "$here/counters.c"
	check "a C++ program that counts $how" \
		counters_with_pkg_config$kind "$cxx_compiler" "$cxx" "$here/counters.c"
	check "a C program that queries $how" \
		queries_with_pkg_config$kind "$cc" "$c" "$here/queries.c"
	check "a C++ program that queries $how" \
		queries_with_pkg_config$kind "$cxx_compiler" "$cxx" "$here/queries.c"
	check "the first example of cpc_bind_curlwp(3CPC) $how" \
		counters_with_pkg_config$kind "$cc" "-std=gnu17 -x c" "$SOURCE/samples/cpc_measure.c"
	check "its second example $how" \
		counters_with_pkg_config$kind "$cc" "-std=gnu17 -x c" "$SOURCE/samples/cpc_overflow.c"
done
check "all libraries in one process" together
check "all libraries in one process, static" together_static
check "libcpc refuses a libswtrace of another release" refuses_another_release
check "C and C++ programs with find_package, shared and static" with_find_package
check "an installation below DESTDIR, moved, is found there" moved
check "absolute install folders are kept" absolute
# Names without their versions, from nm's lines; the versions themselves are absolute symbols.
public_names() {
	awk 'NF == 3 && $2 != "A" { sub("@.*", "", $3); print $3 }'
}
only_public_names() {
	! nm -D --defined-only "$libdir/libswtrace.so" "$libdir/libcpidecode.so" |
		public_names |
		grep -vE '^(swtrace_private_|Cpi|P4[A-Z]|Ai[A-Z]|CpuUtil|Trace|Is|RcToString|GetCycles|ReadCycles|Cycles|GetActive|Swtrace|swtrace_(gate|awake_|rest_|begin_|scope_(begin|end)_)$|cpidecode_)'
}
only_cpc_names() {
	! nm -D --defined-only "$libdir/libcpc.so" | public_names |
		grep -vE '^(cpc_[a-z_]*|pctx_[a-z_]*|_lwp_self|pthread_create)$' &&
		! nm -g --defined-only "$libdir/libcpc.a" | public_names |
		grep -vE '^(cpc_[a-z_]*|pctx_[a-z_]*|_lwp_self|__wrap_pthread_create)$'
}
check "libcpc exports its header's names, and what follows threads" only_cpc_names
only_perflib_names() {
	! nm -D --defined-only "$libdir/libperflib.so" | public_names |
		grep -vE '^Perf[A-Z][A-Za-z]*$' &&
		! nm -g --defined-only "$libdir/libperflib.a" | public_names |
		grep -vE '^Perf[A-Z][A-Za-z]*$'
}
# Every function of the header is there to be called, in both libraries.
all_perflib_names() {
	sed -n 's/^PERFLIB_API [^(]*[ *]\(Perf[A-Za-z]*\)(.*/\1/p' "$prefix/include/perflib.h" |
		sort -u >"$work/declared"
	[ "$(wc -l <"$work/declared")" -gt 20 ] || return 1
	for l in "-D $libdir/libperflib.so" "-g $libdir/libperflib.a"; do
		# shellcheck disable=SC2086
		nm --defined-only $l | public_names | sort -u >"$work/defined"
		comm -23 "$work/declared" "$work/defined" >"$work/missing"
		[ ! -s "$work/missing" ] || { cat "$work/missing"; return 1; }
	done
}
check "libperflib has all that its header declares" all_perflib_names
check "the public headers compile in any order, as C99 and as C++11 too" headers_alone
check "libperflib exports its header's names" only_perflib_names
check "the libraries export their headers' names only" only_public_names
# The released names with their versions, and the sizes of public structures: a changed or missing
# line breaks programs. Add new names to the list. It leaves out the libraries' private interface.
same_symbols() {
	for l in libswtrace libcpidecode libcpc libperflib; do
		nm -D --defined-only --with-symbol-versions "$libdir/$l.so" |
			awk '$2 != "A" && $3 !~ /@SWTRACE_PRIVATE_/ { print "'"$l"'", $2, $3 }'
	done | LC_ALL=C sort | diff "$here/abi_symbols.txt" -
}
same_layouts() {
	$cc -std=c17 $strict -I"$prefix/include" "$here/abi_layouts.c" -o "$work/layouts" &&
		"$work/layouts" | diff "$here/abi_layouts.txt" -
}
check "symbols and their versions are those of the released libraries" same_symbols
check "public structures have the sizes that were released" same_layouts
# Relative links of the installed documents, but those of this page's own headings.
links_lead_somewhere() {
	find "$prefix/share/doc/swtrace" -name '*.md' | while read -r page; do
		grep -oE '\]\([^)]*\)|src="[^"]*"' "$page" | sed -E 's/^\]\(|\)$|^src="|"$//g; s/#.*//' |
			while read -r link; do
			case $link in
			http* | '') continue ;;
			esac
			[ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
		done
	done >"$work/links"
	[ ! -s "$work/links" ] || { cat "$work/links"; return 1; }
}
check "links of the installed documents lead to installed files" links_lead_somewhere
has_pages() {
	for name in CpiInit CpiGetAndTrace TraceHook cpidecode_open cpc_open P4Assign pctx_run cpc_event_find PerfOpenQueryHandle; do
		MANPATH=$prefix/share/man man -w 3 "$name" >/dev/null || return 1
		# An installed system's man may be a stub that shows no pages at all.
		MANPATH=$prefix/share/man man -P cat "$name" 2>/dev/null | head -n 3 | grep -q 3 || return 1
	done
}
if command -v man >/dev/null; then
	check "man finds the pages of public functions by name" has_pages
fi
check "the installed commands run" sh -c "'$prefix/bin/swtrace' --version && '$prefix/bin/cpidecode' --version"
if command -v man >/dev/null; then
	pages_are_clean() {
		for p in "$prefix"/share/man/man?/*; do
			! grep -q '^\.so ' "$p" || continue # a link: has_pages follows them
			wrong=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$p" \
				2>&1 >/dev/null) || return 1
			[ -z "$wrong" ] || { echo "$p: $wrong"; return 1; }
		done
	}
	check "the man pages format without warnings" pages_are_clean
fi
packages() {
	# Lintian refuses the addresses of machines without a domain.
	cpack -G DEB --config "$BUILD/CPackConfig.cmake" -B "$work/deb" \
		-D CPACK_PACKAGE_CONTACT="swtrace <swtrace@packages.debian.org>" \
		-D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >"$work/cpack" 2>&1 || {
		cat "$work/cpack"
		return 1
	}
	ls "$work"/deb/libswtrace1_*.deb "$work"/deb/libswtrace-dev_*.deb "$work"/deb/swtrace_*.deb
}
# Into a root of its own; dependencies are the system's.
install_packages() {
	root=$work/root
	mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" && : >"$root/var/lib/dpkg/status" &&
		dpkg --root="$root" --force-depends --force-script-chrootless -i "$work"/deb/*.deb &&
		lib=$(dirname "$(find "$root/usr/lib" -name 'libswtrace.so.1')") &&
		LD_LIBRARY_PATH=$lib "$root/usr/bin/swtrace" --version &&
		LD_LIBRARY_PATH=$lib "$root/usr/bin/cpidecode" --version &&
		[ -z "$(find "$root/usr/share/man" -name '*.[135]')" ] &&
		dpkg --root="$root" --force-depends --force-script-chrootless -P libswtrace1 libcpidecode1 \
			libcpc1 libperflib1 libswtrace-dev swtrace &&
		left=$(find "$root" -path "$root/var" -prune -o -type f -print) && [ -z "$left" ]
}
lint_packages() {
	lintian --allow-root --fail-on error "$work"/deb/*.deb
}
if command -v cpack >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
	check "cpack makes the packages" packages
	if [ "$(id -u)" -eq 0 ]; then
		check "the packages install and remove cleanly" install_packages
	else
		count_skip "the packages install and remove cleanly" "dpkg takes root"
	fi
	if command -v lintian >/dev/null; then
		check "lintian finds no errors in the packages" lint_packages
	else
		count_skip "lintian finds no errors in the packages" "lintian is not installed"
	fi
else
	count_skip "packages" "cpack or dpkg-dev is not installed"
fi
uninstalls() {
	cmake --install "$BUILD" --prefix "$work/again" &&
		mkdir -p "$work/again/share/doc/other" && : >"$work/again/share/doc/other/file" &&
		cmake -DMANIFEST="$BUILD/install_manifest.txt" -P "$SOURCE/libtrace/package/uninstall.cmake" &&
		[ "$(find "$work/again" -type f)" = "$work/again/share/doc/other/file" ] &&
		[ -z "$(find "$work/again" -type d -name 'swtrace')" ]
}
check "uninstall removes what was installed, and nothing else" uninstalls
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
