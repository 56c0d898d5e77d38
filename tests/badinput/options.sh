# Misuse: status 2, one line, nothing on standard output.

{ prologue; echo 'section hooks ring=0
hook 0x10 1 tid=7 at=1 1
section end'; } | make_trace good.bin

while IFS= read -r options; do
	# shellcheck disable=SC2086
	eval "decode $options"
	refused "cpidecode $options" 2 '^cpidecode: '
done <<'LIST'

--report
--report nothing good.bin
--report "" good.bin
--format xml good.bin
--format good.bin
--report hooks --format folded good.bin
--report info --format csv good.bin
--report cpus --format svg good.bin
--no-such-option good.bin
-x good.bin
--strict=yes good.bin
--minor good.bin --minor
--minor x good.bin
--minor -1 good.bin
--minor 0x100 good.bin
--minor 0x100000000 --report hooks good.bin
--minor 1.5 good.bin
--minor "" good.bin
--cpu x good.bin
--cpu 1-0 good.bin
--cpu 1- good.bin
--cpu -1 good.bin
--cpu 1,,2 good.bin
--cpu 99999999999999999999 good.bin
--cpu "" good.bin
--tid x good.bin
--tid -1 good.bin
--tid 4294967296 good.bin
--pid 1x good.bin
--pid "" good.bin
--from yesterday good.bin
--from "" good.bin
--from 1.2.3 good.bin
--from + good.bin
--from +1y good.bin
--from +-1s good.bin
--from 2023-13-01 good.bin
--from 2023-02-30T00:00:00Z good.bin
--from 2023-11-14T25:00:00Z good.bin
--from 2023-11-14T22:13:22+99:00 good.bin
--to 99999999999999999999 good.bin
--to nan good.bin
--to 0x10 good.bin
--weight cycles good.bin
--weight tons --format folded good.bin
-o good.bin good.bin
-o "" good.bin
- -
--report info --tid 1 good.bin
LIST

decode --schema missing.hooks good.bin
refused "--schema: a missing file" 1 'missing.hooks.*No such file'
mkdir -p schemas
decode --schema schemas good.bin
refused "--schema: a directory" 1 'schemas'
while IFS='|' read -r name text; do
	printf "$text" >bad.hooks
	decode --schema bad.hooks good.bin
	refused "--schema: $name" 1 'bad.hooks.*line [0-9]+'
done <<'LIST'
no major|hook 1 "a"\n
no number|major x name\n
a major of 0|major 0 name\n
a major of 256|major 256 name\n
an unknown type|major 16 m\nhook 1 "a"\nu33 x\n
an unknown attribute|major 16 m\nhook 1 "a"\nu32 x wide\n
the same field twice|major 16 m\nhook 1 "a"\nu32 x\nu32 x\n
a repeat without an end|major 16 m\nhook 1 "a"\nrepeat 3\nu32 x\n
an end without a repeat|major 16 m\nhook 1 "a"\nend\n
a repeat in a repeat|major 16 m\nhook 1 "a"\nrepeat 2\nrepeat 2\nu32 x\nend\nend\n
a count that comes later|major 16 m\nhook 1 "a"\nrepeat n\nu32 x\nend\nu32 n\n
an if on nothing|major 16 m\nhook 1 "a"\nif n & 1\nu32 x\nend\n
a name without its quote|major 16 m\nhook 1 "a\n
LIST
