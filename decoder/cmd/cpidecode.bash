# bash completion for cpidecode

_cpidecode()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} values=
	COMPREPLY=()
	# --option=value comes as three words, or as two right after the =.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]] && ((COMP_CWORD >= 2)); then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	case $prev in
	--report) values="summary intervals hooks cpus info diff why" ;;
	--format) values="text csv json folded svg nrm2" ;;
	--weight) values="cycles ns instructions thread_cycles" ;;
	--label|--minor|--cpu|--tid|--pid|--from|--to|--slice|--fail-if|--tail|--jobs|-j) return ;;
	esac
	if [[ -n $values ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "--report --format --weight --output -o
			--label --minor --cpu --tid --pid --from --to --slice --partial --fail-if --before --after --single-run --aa
			--tail --jobs -j
			--schema --strict
			--csv-safe --help --version" -- "$cur")
	else
		compopt -o filenames
		((COMP_CWORD > 1)) || values=merge
		mapfile -t COMPREPLY < <(compgen -f -W "$values" -- "$cur")
	fi
}

complete -F _cpidecode cpidecode
