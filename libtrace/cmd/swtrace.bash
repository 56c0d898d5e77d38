# bash completion for swtrace

_swtrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
	local words= files= i
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		words="init install on off enable disable maj info dump get free run record bench trigger doctor event stat ai counters
			--help --version"
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	# After these verbs' options comes a command with options of its own.
	if [[ $verb == run || $verb == record || $verb == bench || $verb == stat ]]; then
		for ((i = 2; i < COMP_CWORD; i++)); do
			case ${COMP_WORDS[i]} in
			-s|-t|-ss|-g|-o|-e|-p|-I|-n|--compress|--duration|--rotate|--keep|--against|--fail-if|--format)
				((i++))
				[[ ${COMP_WORDS[i]} == = ]] && ((i++)) ;;
			--) ((i++)); break ;;
			-*|=|none|lz4|zlib) ;;
			*) break ;;
			esac
		done
		if ((i < COMP_CWORD)) || [[ $i -eq $COMP_CWORD && $prev == -- ]]; then
			declare -F _command_offset >/dev/null && _command_offset "$i"
			return
		fi
	fi
	# --compress=value comes as three words, or as two right after the =.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	# Of ai these take no value; of counters -f takes another one.
	[[ $verb == ai && ($prev == -t || $prev == -s) ]] && prev=
	[[ $verb == counters && $prev == -f ]] && prev=counters-f
	case $prev in
	counters-f) words="csv tsv json" ;;
	--compress) words="none lz4 zlib" ;;
	--format) words="trace nrm2"; [[ $verb == bench ]] && words="text csv json" ;;
	-e|-p|-I|-n|--against|--fail-if) return ;;
	-t) [[ $verb == stat ]] && return; words="norm wrap"; [[ $verb == init ]] && words+=" cont" ;;
	-g) mapfile -t COMPREPLY < <(compgen -g -- "$cur"); return ;;
	-s|-ss|--duration|--rotate|--keep|--after|--count|--timeout) return ;;
	--cpu) words="intel amd arm p4 netburst netburst_p" ;;
	--sysfs) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); compopt -o filenames; return ;;
	-r|-si|-sc) return ;;
	--from|-cf|-l) files=1 ;;
	--when) words="label= elapsed> major= minor= mm= tid= pid= comm= cpu= cpi> lost>" ;;
	--on-signal) [[ ${COMP_WORDS[COMP_CWORD]} == = || ${COMP_WORDS[COMP_CWORD-1]} == = ]] &&
		words="USR1 USR2 QUIT ALRM CONT URG WINCH RTMIN" || files=1 ;;
	-o|-f) files=1 ;;
	*)
		case $verb in
		init) words="-s -t -ss -g -f --compress --rotate --keep --help" ;;
		run) words="-s -t -ss -g -o --compress -- --help" ;;
		record)
			words="-o --duration --compress --rotate --keep -s -ss -g --strict --force
				-- --help" ;;
		bench)
			words="-n --against --fail-if --format -s -o -- --help" ;;
		trigger)
			words="--when --after --count --timeout --compress --keep -o --help" ;;
		enable|disable) words="all 0x04 0x10 0x11 0x12 0x19 0xA8 0xC0 0xC8 0xC9 --help" ;;
		maj|info|doctor) words="--json --help" ;;
		stat)
			words="-e -p -t -a -I --per-cpu --duration --csv --json -o -- --help" ;;
		ai) words="-r -t -s -sp -l --json --csv --trace --help" ;;
		counters)
			if ((COMP_CWORD == 2)); then words="list instances query --help"
			elif [[ $cur == -* && ${COMP_WORDS[2]} == query ]]; then
				words="-si -sc -f -o -y -cf --from --trace --json --help"
			elif [[ $cur == -* ]]; then words="-q -qx --from --json --help"
			elif [[ ${COMP_WORDS[2]} == list || ${COMP_WORDS[2]} == instances ]]; then
				local IFS=$'\n'
				mapfile -t COMPREPLY < <(compgen -W "$(swtrace counters list --json 2>/dev/null |
					sed -n 's/^{"counterset": "\([^"]*\)".*/\1/p')" -- "$cur" |
					sed 's/ /\\ /g')
				return
			fi ;;
		event)
			if ((COMP_CWORD == 2)); then words="list show encode --help"
			elif [[ $cur == -* ]]; then words="--cpu --sysfs --try --json --help"
			fi ;;
		dump|get)
			if [[ $cur == -* ]]; then words="-o --format --compress --on-signal --keep --help"; else files=1; fi ;;
		*) words="--help" ;;
		esac ;;
	esac
	if [[ -n $files ]]; then
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}

complete -F _swtrace swtrace
