// A client of WebSocket (RFC 6455) as far as the tests need it: one server on this machine, messages of text.
import { randomBytes } from "node:crypto";
import { request } from "node:http";

const TEXT = 1, CLOSE = 8, PING = 9, PONG = 10;

// The first frame in bytes, and the rest; null: incomplete.
function takeFrame(bytes) {
	if (bytes.length < 2)
		return null;
	let length = bytes[1] & 127, at = 2;
	if (length === 126) {
		if (bytes.length < 4)
			return null;
		length = bytes.readUInt16BE(2);
		at = 4;
	} else if (length === 127) {
		if (bytes.length < 10)
			return null;
		length = Number(bytes.readBigUInt64BE(2));
		at = 10;
	}
	if (bytes.length < at + length)
		return null;
	return { isLast: bytes[0] > 127, kind: bytes[0] & 15, data: bytes.subarray(at, at + length), rest: bytes.subarray(at + length) };
}

// A client masks what it sends.
function makeFrame(kind, data) {
	const head = data.length < 126 ? Buffer.alloc(2) : data.length < 65536 ? Buffer.alloc(4) : Buffer.alloc(10), mask = randomBytes(4);
	head[0] = 128 | kind;
	head[1] = 128 | (head.length === 2 ? data.length : head.length === 4 ? 126 : 127);
	if (head.length === 4)
		head.writeUInt16BE(data.length, 2);
	if (head.length === 10)
		head.writeBigUInt64BE(BigInt(data.length), 2);
	return Buffer.concat([head, mask, data.map((byte, i) => byte ^ mask[i & 3])]);
}

// Calls take(text) for each message. A promise of { send(text) }.
export function connect(port, path, take) {
	return new Promise((resolve, reject) => {
		const asked = request({ host: "127.0.0.1", port, path, headers: {
			"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
		} });
		asked.on("error", reject);
		asked.on("response", (answer) => reject(new Error(`no WebSocket: ${answer.statusCode}`)));
		asked.on("upgrade", (answer, socket, first) => {
			let pieces = [], rest = Buffer.alloc(0);
			const add = (bytes) => {
				rest = Buffer.concat([rest, bytes]);
				for (let frame; (frame = takeFrame(rest));) {
					rest = frame.rest;
					if (frame.kind === PING)
						socket.write(makeFrame(PONG, frame.data));
					if (frame.kind === CLOSE)
						socket.end();
					if (frame.kind >= CLOSE)
						continue;
					pieces.push(frame.data);
					if (frame.isLast) {
						const text = Buffer.concat(pieces).toString("utf8");
						pieces = [];
						take(text);
					}
				}
			};
			socket.on("data", add);
			socket.on("error", () => {});
			add(first);
			resolve({ send: (text) => socket.write(makeFrame(TEXT, Buffer.from(text))) });
		});
		asked.end();
	});
}
