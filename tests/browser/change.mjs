// node change.mjs DIFF.html DIFF.svg: the page of a differential flame graph has the frames of the picture, with their
// tooltips and colours.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import vm from "node:vm";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../decoder/sink/page");
vm.runInThisContext(readFileSync(join(folder, "decode.js"), "utf8"));
const page = vm.runInThisContext("({ bytesOfBase64, inflate })");
const [html, svg] = process.argv.slice(2).map((path) => readFileSync(path, "utf8"));
const blocks = [...html.matchAll(/<script type="text\/plain" class="([a-z]+)">([A-Za-z0-9+/=]*)<\/script>/g)];
assert.deepEqual(blocks.map((block) => block[1]), ["change"]);
const data = JSON.parse(new TextDecoder().decode(await page.inflate(new Blob([page.bytesOfBase64(blocks[0][2])]))));

const plain = (text) => text.replace(/&(lt|gt|quot|amp);/g, (_, name) => ({ lt: "<", gt: ">", quot: "\"", amp: "&" })[name]);
const drawn = [...svg.matchAll(/<title>([^<]*)<\/title>\s*<rect[^>]* fill="#([0-9a-f]{6})"/g)].map(([, text, colour]) => plain(text) + " " + colour);
assert.ok(drawn.length > 5, `${drawn.length} frames in the picture`);
assert.deepEqual(data.frames.map(([name, , , , colour, text]) => `${name}\n${text} ${colour.toString(16).padStart(6, "0")}`).sort(), drawn.sort());
data.frames.forEach(([, parent, , after], i) => assert.ok(i ? parent < i && after <= data.frames[parent][3] : parent === 0, "a parent comes first"));
console.log(`ok: ${drawn.length} frames of a differential flame graph`);
