// node picture.mjs BROWSER PAGE.html OUT.png WIDTH HEIGHT [FRAGMENT [SCRIPT]]: a picture of a page in a browser, as
// README shows one: of the view that the URL's fragment holds, after a script in the page.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { browserOf } from "./browsers.mjs";

const [program, page, output, width, height, fragment = "", script = ""] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), "cpidecode-picture.")), browser = browserOf(program, profile);
try {
	await browser.open("file://" + resolve(page) + fragment, Number(width), Number(height));
	await browser.until("document.documentElement?.getAttribute('aria-busy') === 'false'");
	await browser.evaluate(script);
	await browser.settled();
	writeFileSync(output, await browser.picture());
} finally {
	await browser.close();
	rmSync(profile, { recursive: true, force: true });
}
