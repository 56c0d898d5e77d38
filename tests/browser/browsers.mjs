// Chooses the class for a browser by its program's name.
import { basename } from "node:path";
import { Browser } from "./devtools.mjs";
import { Firefox } from "./firefox.mjs";

export function browserOf(program, profile) {
	return basename(program).startsWith("firefox") ? new Firefox(program, profile) : new Browser(program, profile);
}
