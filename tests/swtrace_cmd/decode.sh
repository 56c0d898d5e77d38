# The writer's hooks (major 0x22) in a trace, by minor.

# minors FILE ...: the minors of its hooks, a line each.
minors()
{
	for trace; do
		"$CPIDECODE" --report hooks --format csv "$trace" 2>"$dir/told" ||
			echo "cpidecode of $trace failed: $(head -n 1 "$dir/told")"
	done | awk -F, '$7 == 34 { print $8 } /failed/ { print }'
}

# holds N FILE ...: the minors 0 to N - 1, each once, in these files together.
holds()
{
	want=$1
	shift
	got=$(minors "$@" | sort -n | awk -v n="$want" '
		$1 != NR - 1 && !bad { bad = "line " NR " is " $0 }
		END { print bad ? bad : NR == n ? "all" : NR " hooks" }')
	same "$*: hooks 0 to $((want - 1)), each once" "$got" all
}

# hooks_in FILE ...: how many of the writer's hooks are there; none of them twice.
hooks_in()
{
	minors "$@" | sort | uniq -d | head -n 1 >"$dir/twice"
	[ ! -s "$dir/twice" ] || fail "$*: minor $(cat "$dir/twice") is there twice"
	minors "$@" | wc -l | tr -d ' '
}

# field KEY: of the drain in info --json.
field()
{
	"$SWTRACE" info --json 2>"$err" | tee "$out" | sed 's/.*"drain": {//' |
		sed -n "s/^[^}]*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p"
}

# From the line that off and record leave on stderr: hooks, lost, torn, rotations.
final()
{
	case $1 in
	hooks) sed -n 's/.*: \([0-9]*\) hooks\{0,1\}, [0-9]* bytes; .*/\1/p' "$err" ;;
	*) sed -n "s/.*bytes;.*[ ,]$1 \([0-9]*\).*/\1/p" "$err" ;;
	esac
}
