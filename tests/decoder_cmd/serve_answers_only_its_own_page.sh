#!/bin/sh
# cpidecode serve: the page over 127.0.0.1 for its own address alone, until it is interrupted.
. "${0%/*}/lib.sh"
command -v python3 >/dev/null || skip "no python3 here"

"$CPIDECODE" --format html -o page.html plain.bin
cat >ask.py <<'END'
import atexit, json, re, signal, socket, subprocess, sys, time

program, trace, page = sys.argv[1:]
wanted = open(page, "rb").read()
server = subprocess.Popen([program, "serve", trace], stdout=subprocess.PIPE)
atexit.register(server.kill)
url = server.stdout.readline().decode()
host, path = re.fullmatch(r"http://(127\.0\.0\.1:\d+)(/[0-9a-f]{32}/)\n", url).groups()
port = int(host.split(":")[1])

def send(request):
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(request)
        answer = b""
        while more := s.recv(1 << 16):
            answer += more
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode(), body

def ask(method="GET", path=path, *headers, host=host):
    lines = [f"{method} {path} HTTP/1.1"] + ([f"Host: {host}"] if host else []) + list(headers)
    return send("\r\n".join(lines + ["", ""]).encode())

status, head, body = ask()
assert status == 200 and body == wanted, (status, len(body))
for line in ("Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", f"Content-Length: {len(wanted)}",
             "Content-Type: text/html; charset=utf-8", "Cache-Control: no-store"):
    assert line in head.split("\r\n"), head
assert ask("HEAD")[::2] == (200, b"")
assert ask("GET", path, f"Origin: http://{host}", "origin-agent: x")[0] == 200
assert ask("GET", path, host=None)[0] == 403
assert ask("GET", path, f"Host: {host}")[0] == 403
for other in ("localhost:%d" % port, "127.0.0.1", "example.com", host + ".example.com", host + "0", ""):
    assert ask(host=other or " ")[0] == 403, other
for origin in ("null", "http://example.com", f"https://{host}", f"http://{host}.example.com"):
    assert ask("GET", path, f"oRiGin:  {origin}\t")[0] == 403, origin
for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", "GETS", "CONNECT"):
    status, head, body = ask(method)
    assert status == 405 and "Allow: GET, HEAD" in head and wanted not in body, method
for wrong in ("/", "*", path[:-1], path + "x", path + "?", path[:-2] + "/", path.upper() if path.upper() != path else "//",
              path.replace("/", "//"), "/.." + path, "/favicon.ico", "http://" + host + path, path[:5] + ("0" if path[5] != "0" else "1") + path[6:]):
    assert ask("GET", wrong)[0] == 404, wrong
for bad in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET " + path.encode() + b"\r\n\r\n", b"GET / SMTP\r\n\r\n", b"\0\r\n\r\n",
            b"GET\0 / HTTP/1.1\r\n\r\n"):
    assert send(bad)[0] == 400, bad
assert send(b"GET / HTTP/1.1\r\n" + b"x" * 9000)[0] == 431

# Others are answered while some say nothing, send half of a request or do not read.
idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
for s in idle[:10]:
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: ".encode())
for s in idle[10:15]:
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
for s in idle[15:18]:
    s.close()
assert ask()[2] == wanted
for s in idle[:10]:
    s.sendall(f"{host}\r\n\r\n".encode())
    assert s.recv(12) == b"HTTP/1.1 200"

# More than it takes: those that have said nothing for the longest time make room, the others stay.
for s in idle:
    s.close()
silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
assert ask()[2] == wanted
assert silent[0].recv(1) == b""
silent[31].sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
assert silent[31].recv(12) == b"HTTP/1.1 200"

# No other address of this machine is bound.
bound = [line.split()[1] for line in open("/proc/net/tcp") if line.split()[3] == "0A" and line.split()[1].endswith(":%04X" % port)]
assert bound == ["0100007F:%04X" % port], bound

# With --tiles, the server has the tiles beneath the page, complete and in parts; without, it has none.
assert ask("GET", path + "tiles")[0] == ask("GET", path + "state")[0] == 404
server.send_signal(signal.SIGINT)
assert server.wait() == 0
server = subprocess.Popen([program, "serve", "--tiles", trace], stdout=subprocess.PIPE)
atexit.register(server.kill)
host, path = re.fullmatch(r"http://(127\.0\.0\.1:\d+)(/[0-9a-f]{32}/)\n", server.stdout.readline().decode()).groups()
port = int(host.split(":")[1])
tiles = open("page.tiles", "rb").read()
while True:
    status, head, body = ask("GET", path + "state", host=host)
    assert status == 200 and "Content-Type: application/json" in head.split("\r\n"), head
    if json.loads(body)["ready"]:
        break
    time.sleep(0.05)
assert ask("HEAD", path + "state", host=host)[::2] == (200, b"")
assert b"connect-src 'self'" in ask("GET", path, host=host)[2] and b"connect-src" not in wanted
assert ask("GET", path + "tiles", host=host)[2] == tiles
assert ask("HEAD", path + "tiles", host=host)[::2] == (200, b"")
for first, last in ((0, 0), (8, 20), (len(tiles) - 32, len(tiles) - 1), (5, len(tiles) + 9), (0, 2**62)):
    status, head, body = ask("GET", path + "tiles", f"Range: bytes={first}-{last}", host=host)
    assert status == 206 and body == tiles[first:last + 1], (first, last)
    assert f"Content-Range: bytes {first}-{min(last, len(tiles) - 1)}/{len(tiles)}" in head.split("\r\n"), head
for wrong in ("bytes=5-4", f"bytes={len(tiles)}-{len(tiles)}", "bytes=-5", "bytes=0-1,3-4", "lines=0-1", "bytes=0-99999999999999999999"):
    status, head, body = ask("GET", path + "tiles", f"Range: {wrong}", host=host)
    assert status == 416 and f"Content-Range: bytes */{len(tiles)}" in head.split("\r\n"), (wrong, head)
for wrong in ("/tiles", path + "tiles/", path + "tile", path[:-2] + "/tiles", path + "tiles?"):
    assert ask("GET", wrong, "Range: bytes=0-7", host=host)[0] == 404, wrong
assert ask("GET", path + "tiles", "Origin: http://example.com", host=host)[0] == 403
server.send_signal(signal.SIGINT)
assert server.wait() == 0
print("ok")
END
"$CPIDECODE" --format html --tiles -o page2.html plain.bin
mv page2.tiles page.tiles
python3 ask.py "$CPIDECODE" plain.bin page.html >answers 2>&1 || fail "$(cat answers)"

misuse 'it takes no --report' serve --report summary plain.bin
misuse 'it takes no --report' serve --format csv plain.bin
misuse 'it takes no --report' serve -o x.html plain.bin
misuse 'no trace file' serve
misuse 'expected a number from 1 to 65535' serve --port 65536 plain.bin
misuse '--port goes with serve' --port 80 plain.bin
run 1 serve /dev/null
[ ! -s out ] || fail "an address without a page: $(cat out)"
