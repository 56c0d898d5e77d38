#!/bin/sh
# The completion of bash, zsh and fish asks the commands: every verb and every option that --help
# shows, with their values; and the lines of commands that a verb runs are theirs.
. "${0%/*}/lib.sh"
: "${CPIDECODE:?the cpidecode command}" "${COMPLETION:?the folder of the shells' scripts}"

run 0 --help
sed -n 's/^  \([a-z]*\) .*/\1/p' out >verbs
run 0 --complete ''
cut -f1 out | grep -v '^-\|^help$' | diff verbs - >&2 || fail "other verbs than those of --help"

# options_in FILE: those that begin a line, or follow there behind a comma.
options_in()
{
	grep -o '^  -[^ ].*' "$1" | sed 's/  *[^- ,].*//' | tr ',' '\n' |
		sed -n 's/^ *\(--*[a-z][a-z-]*\).*/\1/p' | sort -u
}
while read -r verb; do
	run 0 "$verb" --help
	options_in out >shown
	run 0 --complete "$verb" -
	cut -f1 out | sort -u >offered
	[ -z "$(comm -23 shown offered)" ] ||
		fail "$verb: not offered: $(comm -23 shown offered | tr '\n' ' ')"
done <verbs
[ "$(wc -l <verbs)" -ge 20 ] || fail "few verbs"
"$CPIDECODE" --help >out
options_in out >shown
[ "$(wc -l <shown)" -ge 25 ] || fail "few options of cpidecode"
"$CPIDECODE" --complete - | cut -f1 | sort -u >offered
[ -z "$(comm -23 shown offered)" ] || fail "cpidecode: not offered: $(comm -23 shown offered)"

# Each offered report and format exists.
for option in --report --format; do
	"$CPIDECODE" --complete $option '' >words
	[ "$(wc -l <words)" -ge 6 ] || fail "$option: few words"
	while read -r word; do
		"$CPIDECODE" $option "$word" /nonexistent 2>err && fail "no file, and no error"
		! grep -q -e "$option $word: it is" err || fail "$option $word: $(cat err)"
	done <words
done

if command -v bash >/dev/null; then
	cat >try.bash <<'END'
for script in swtrace cpidecode; do . "$COMPLETION/bash/$script"; done
_command_offset() { COMPREPLY=("command from word $1"); }
try() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_"${1##*/}"
	echo "${COMPREPLY[*]}"
}
try "$SWTRACE" rec
try "$SWTRACE" record --compress = l
try "$SWTRACE" record --compress =
try "$SWTRACE" enable 0xC
try "$SWTRACE" counters list Proc
try "$SWTRACE" run --compress = lz4 -- ls -l
try "$CPIDECODE" --report w
END
	COMPLETION=$COMPLETION SWTRACE=$SWTRACE CPIDECODE=$CPIDECODE bash try.bash >got 2>&1
	diff - got >&2 <<'END' || fail "completion in bash"
record
lz4
none lz4 zlib
0xC0 0xC1 0xC2 0xC3 0xC8 0xC9
Processor\ Information Process
command from word 6
why
END
else
	echo "skipped: completion in bash: there is none here"
fi
for shell in zsh fish; do
	if command -v $shell >/dev/null; then
		for script in "$COMPLETION/$shell"/*; do
			$shell -n "$script" || fail "$script"
		done
	else
		echo "skipped: completion in $shell: there is none here"
	fi
done
