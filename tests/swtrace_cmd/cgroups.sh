# Containers that share the PID namespace of the session's owner: told by their cgroups.
if ! unshare --cgroup --uts hostname box-gamma 2>/dev/null; then
	skip "cgroups: this user may not make their namespaces"
	return 0 2>/dev/null
fi

# in_namespace HOST COMMAND ...: in a cgroup namespace of its own, where its cgroup is "/".
in_namespace()
{
	host=$1
	shift
	# shellcheck disable=SC2016 # expanded inside
	unshare --cgroup --uts sh -c 'hostname "$1" && shift && exec "$@"' sh "$host" "$@"
}

group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/swtrace-test.$$
if mkdir "$group" 2>/dev/null && [ -e "$group/cgroup.procs" ] &&
	sh -c 'echo $$ >"$1"' sh "$group/cgroup.procs" 2>/dev/null; then
	named=yes
else
	skip "cgroups: no cgroup can be made here: one named by its path"
	rmdir "$group" 2>/dev/null
	named=
fi

# In a group, a command says its cgroup's name first.
in_group()
{
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$1" && sed -n "s/^[0-9]*:[^:]*://p" /proc/self/cgroup | grep -v "^/\$" |
		tail -n 1 >"$2" && shift 2 && exec "$@"' sh "$group/cgroup.procs" "$dir/path" "$@"
}

# containers_of FILE: tasks' names and containers, with their hooks.
containers_of()
{
	"$CPIDECODE" --report hooks --format csv "$1" 2>"$err" | tr -d '\r' | cut -d , -f 6,7 |
		sort | uniq -c | awk 'NR { print $2 ":" $1 }' | tr '\n' ' '
}

for name in home gamma delta; do
	cp "$WRITER" "$dir/$name"
done
for library in "$BUILD"/libswtrace.so*; do
	[ -e "$library" ] && cp -P "$library" "$dir"
done
LD_LIBRARY_PATH=$dir
export LD_LIBRARY_PATH
for mode in wrap cont; do
	fresh
	exits 0 "$SWTRACE" init -s 1 -t $mode -f "$dir/cgroups.bin"
	exits 0 "$SWTRACE" on
	exits 0 "$dir/home" hooks 10
	if [ $mode = wrap ] && [ -x "$CPIDECODE" ]; then
		exits 0 "$SWTRACE" dump "$dir/one.bin"
		same "of one container: columns" "$("$CPIDECODE" --report hooks --format csv "$dir/one.bin" | head -n 1 | tr -d '\r' | cut -d , -f 7)" major
		"$CPIDECODE" --report info "$dir/one.bin" >"$out"
		says "$out" '^  cgroup  */'
	fi
	exits 0 in_namespace box-gamma "$dir/gamma" hooks 20
	[ -z "$named" ] || exits 0 in_group "$dir/delta" hooks 30
	[ $mode = cont ] || exits 0 "$SWTRACE" dump "$dir/cgroups.bin"
	exits 0 "$SWTRACE" off
	exits 0 "$SWTRACE" free
	is_trace "$dir/cgroups.bin"
	[ -x "$CPIDECODE" ] || continue
	want="gamma,box-gamma:20 home,:10 task,container:1 "
	[ -z "$named" ] || want="delta,$(cat "$dir/path"):30 $want"
	same "$mode: names and containers" "$(containers_of "$dir/cgroups.bin")" "$want"
	"$CPIDECODE" --report info "$dir/cgroups.bin" >"$out"
	says "$out" ' gamma .* box-gamma$'
	says "$out" ' home .* -$'
done
[ -z "$named" ] || rmdir "$group"
unset LD_LIBRARY_PATH
