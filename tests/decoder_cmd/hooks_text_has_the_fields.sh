#!/bin/sh
. "${0%/*}/lib.sh"

# Fields of a user's schema: signed, unmeasured, repeated, a string with a quote, a hook that is cut off.
make_clocked u.bin <<'END'
cpus 1
section schema
| major 0x20 app "Application"
| hook 0x1 "request"
|   i32 delta
|   u32 size na0
|   u32 parts
|   repeat parts
|     u32 part
|   end
|   string path
| hook 0x2 "plain"
|   u32 a
|   u64 b
section hooks ring=0
hook 0x20 1 tid=1 at=1000 0xFFFFFFFE 0 2 7 8 "/a \"b\"\n"
hook 0x20 1 at=2000 5 6 0 "/c"
hook 0x20 2 at=3000 1 64:4294967296
hook 0x20 2 at=4000 1
hook 0x21 2 at=5000 1
section end
END
run 0 --report hooks u.bin
cat >expected <<'END'
00000020 00000001 FFFFFFFE 00000000 00000002 00000007 00000008 "/a \"b\"\n" request delta=-2 size=n/a parts=2 part=7,8 path="/a \"b\"\n"
00000020 00000001 00000005 00000006 00000000 "/c" request delta=5 size=6 parts=0 path="/c"
00000020 00000002 00000001 00000001 00000000 plain a=1 b=4294967296
00000020 00000002 00000001 plain a=1 [short]
00000021 00000002 00000001
END
sed 's/^.* 1 000000/000000/' out | cmp - expected || fail "fields"

# Hooks of one schema with equal numbers of words whose conditions and repeats come out differently, in
# turns: the places of the values are those of the hook.
make_clocked forms.bin <<'END'
cpus 1
section schema
| major 0x20 app "Application"
| hook 0x1 "mixed"
|   u32 known hex
|   u32 parts
|   if known & 1
|     u32 one na0
|   end
|   if known & 2
|     i32 two
|   end
|   repeat parts
|     u32 part
|     string name
|   end
section hooks ring=0
hook 0x20 1 at=1000 1 1 0 8 "a"
hook 0x20 1 at=2000 2 1 0xFFFFFFFF 8 "b"
hook 0x20 1 at=3000 0 2 7 8 "c" "d"
hook 0x20 1 at=4000 257 1 7 8 "e"
hook 0x20 1 at=5000 0 2 9 10 "\"" ","
hook 0x20 1 at=6000 3 1 5 6 "f"
section end
END
run 0 --report hooks forms.bin
cat >expected <<'END'
mixed known=1 parts=1 one=n/a part=8 name="a"
mixed known=2 parts=1 two=-1 part=8 name="b"
mixed known=0 parts=2 part=7,8 name="c","d"
mixed known=257 parts=1 one=7 part=8 name="e"
mixed known=0 parts=2 part=9,10 name="\"",","
mixed known=3 parts=1 one=5 two=6 name="f" [short]
END
sed 's/^.* mixed/mixed/' out | cmp - expected || fail "forms of hooks as text"
run 0 --report hooks --format json forms.bin
cat >expected <<'END'
{"known":1,"parts":1,"one":null,"part":[8],"name":["a"]}}
{"known":2,"parts":1,"two":-1,"part":[8],"name":["b"]}}
{"known":0,"parts":2,"part":[7,8],"name":["c","d"]}}
{"known":257,"parts":1,"one":7,"part":[8],"name":["e"]}}
{"known":0,"parts":2,"part":[9,10],"name":["\"",","]}}
{"known":3,"parts":1,"one":5,"two":6,"name":["f"]},"fit":"short"}
END
sed 's/^.*"fields"://' out | cmp - expected || fail "forms of hooks as JSON"
run 0 --report hooks --format csv forms.bin
grep -qF '"{""known"":0,""parts"":2,""part"":[9,10],""name"":[""\"""","",""]}"' out ||
	fail "forms of hooks as CSV"

# Text and JSON have the same fields.
command -v python3 >/dev/null || skip "fields of text beside those of JSON: no python3"
cat >compare.py <<'END'
import json, sys

def spell(value):
    if isinstance(value, list):
        return ",".join(map(spell, value))
    return "n/a" if value is None else value if isinstance(value, Number) else f'"{value}"'

class Number(str):
    pass

lines = 0
for text, row in zip(open(sys.argv[1]), open(sys.argv[2])):
    row = json.loads(row, parse_int=Number, parse_float=Number)
    if row["fields"] is None:
        continue
    fields = "".join(f" {name}={spell(value)}" for name, value in row["fields"].items())
    assert text.endswith(f' {row["name"]}{fields}\n'), (text, fields)
    lines += 1
assert lines > 1000
END
"$GENTRACE" -k mixed -n 1000 -c 2 g.bin
run 0 --report hooks --format json g.bin
mv out json
run 0 --report hooks g.bin
python3 compare.py out json || fail "other fields than JSON"
