// node lint.mjs LINTER [--fix]: the page's scripts, by ESLint's Linter (LINTER: the folder of npm's
// eslint-linter-browserify). They share one scope, so each page's are checked together, in the order of sink/page.c.
// The rules on layout describe the style that the scripts have; --fix changes what does not keep to it.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const sink = join(dirname(fileURLToPath(import.meta.url)), "../../decoder/sink");
const [folder, option] = process.argv.slice(2);
const { Linter } = await import(pathToFileURL(join(folder, "linter.mjs")));

const faults = {
	"array-callback-return": "error", "constructor-super": "error", "dot-notation": "error", "eqeqeq": "error",
	"for-direction": "error", "getter-return": "error", "no-async-promise-executor": "error", "no-caller": "error", "no-case-declarations": "error",
	"no-class-assign": "error", "no-compare-neg-zero": "error", "no-cond-assign": "error", "no-const-assign": "error", "no-constant-binary-expression": "error",
	"no-constructor-return": "error", "no-debugger": "error", "no-dupe-args": "error", "no-dupe-class-members": "error", "no-dupe-else-if": "error",
	"no-dupe-keys": "error", "no-duplicate-case": "error", "no-else-return": "error", "no-empty": "error", "no-empty-pattern": "error", "no-eval": "error",
	"no-ex-assign": "error", "no-extend-native": "error", "no-extra-bind": "error", "no-fallthrough": "error", "no-func-assign": "error",
	"no-global-assign": "error", "no-implied-eval": "error", "no-import-assign": "error", "no-inner-declarations": "error", "no-invalid-regexp": "error",
	"no-irregular-whitespace": "error", "no-lonely-if": "error", "no-loss-of-precision": "error", "no-new-func": "error", "no-new-wrappers": "error",
	"no-octal": "error", "no-promise-executor-return": "off", "no-prototype-builtins": "error", "no-redeclare": "error", "no-regex-spaces": "error",
	"no-self-assign": "error", "no-self-compare": "error", "no-setter-return": "error", "no-shadow-restricted-names": "error", "no-sparse-arrays": "error",
	"no-template-curly-in-string": "error", "no-this-before-super": "error", "no-throw-literal": "error", "no-undef": "error", "no-unexpected-multiline": "error",
	"no-unneeded-ternary": "error", "no-unreachable": "error", "no-unreachable-loop": "error",
	"no-unsafe-finally": "error", "no-unsafe-negation": "error", "no-unsafe-optional-chaining": "error", "no-unused-labels": "error",
	"no-useless-backreference": "error", "no-useless-call": "error", "no-useless-catch": "error", "no-useless-concat": "error", "no-useless-escape": "error",
	"no-useless-rename": "error", "no-useless-return": "error", "no-var": "error", "no-with": "error", "object-shorthand": "error", "prefer-const": ["error", { destructuring: "all" }],
	"prefer-rest-params": "error", "prefer-spread": "error", "radix": "error", "require-yield": "error", "use-isnan": "error", "valid-typeof": "error",
};
const layout = {
	"array-bracket-spacing": "error", "arrow-parens": "error", "arrow-spacing": "error", "block-spacing": "error", "brace-style": ["error", "1tbs", { allowSingleLine: true }],
	"comma-spacing": "error", "comma-style": "error", "computed-property-spacing": "error", "eol-last": "error", "func-call-spacing": "error",
	"dot-location": ["error", "property"], "indent": ["error", "tab"], "linebreak-style": "error",
	"operator-linebreak": ["error", "after", { overrides: { "?": "ignore", ":": "ignore" } }],
	"generator-star-spacing": ["error", "after"], "key-spacing": "error", "keyword-spacing": "error", "max-len": ["error", { code: 200, tabWidth: 4, ignoreRegExpLiterals: true }],
	"new-parens": "error", "no-extra-semi": "error", "no-mixed-spaces-and-tabs": "error", "no-multi-spaces": "error", "no-multiple-empty-lines": ["error", { max: 1 }],
	"no-trailing-spaces": "error", "no-whitespace-before-property": "error", "object-curly-spacing": ["error", "always"], "padded-blocks": ["error", "never"],
	"quotes": ["error", "double", { avoidEscape: true }], "rest-spread-spacing": "error", "semi": "error", "semi-spacing": "error", "space-before-blocks": "error",
	"space-before-function-paren": ["error", { anonymous: "always", named: "never", asyncArrow: "always" }], "space-in-parens": "error", "space-infix-ops": "error",
	"space-unary-ops": "error", "switch-colon-spacing": "error", "yield-star-spacing": ["error", "after"],
};
const known = ["addEventListener", "atob", "clearTimeout", "console", "devicePixelRatio", "document", "fetch", "history", "location", "matchMedia", "performance",
	"requestAnimationFrame", "setTimeout", "window", "Blob", "DecompressionStream", "HTMLInputElement", "HTMLSelectElement", "ImageData", "Node", "ReadableStream", "ResizeObserver",
	"Response", "TextDecoder", "TextEncoder", "URLSearchParams"];
const config = (rules) => [{ languageOptions: { ecmaVersion: 2024, sourceType: "script", globals: Object.fromEntries(known.map((name) => [name, "readonly"])) }, rules }];

const linter = new Linter({ configType: "flat" });
const source = readFileSync(join(sink, "page.c"), "utf8");
let faulty = 0, lines = 0;

// The names that a list of page.c has.
function scriptsOf(list) {
	const [, names] = new RegExp(`#define ${list}\\(X\\)((?:.*\\\\\n)*.*\n)`).exec(source);
	return [...names.matchAll(/X\((\w+)\)/g)].map((match) => match[1]);
}

function report(name, message) {
	faulty++;
	console.log(`decoder/sink/page/${name}.js:${message.line}:${message.column}: ${message.message} (${message.ruleId})`);
}

const pages = ["PAGE_SCRIPTS", "PAGE_CHANGE_SCRIPTS", "PAGE_EARLY_SCRIPTS"].map(scriptsOf), texts = new Map();
for (const name of new Set(pages.flat())) {
	const path = join(sink, "page", name + ".js");
	let text = readFileSync(path, "utf8");
	if (option === "--fix") {
		const fixed = linter.verifyAndFix(text, config(layout), name + ".js");
		if (fixed.fixed)
			writeFileSync(path, text = fixed.output);
	}
	for (const message of linter.verify(text, config(layout), name + ".js"))
		report(name, message);
	texts.set(name, text);
	lines += text.split("\n").length - 1;
}
// A name that one page does not use may be the other's. A fault in a shared script is reported once.
const used = new Set();
pages.forEach((names, i) => {
	const starts = [];
	let text = "";
	for (const name of names) {
		starts.push([text.split("\n").length, name]);
		text += texts.get(name);
	}
	const unused = i ? {} : { "no-unused-vars": ["error", { args: "after-used", caughtErrors: "none", ignoreRestSiblings: true }] };
	for (const message of linter.verify(text, config({ ...faults, ...unused }), "page.js")) {
		const [start, name] = starts.findLast(([line]) => line <= message.line);
		const local = { ...message, line: message.line - start + 1 }, key = [name, local.line, local.column, local.ruleId].join(" ");
		if (!used.has(key))
			report(name, local);
		used.add(key);
	}
});
if (faulty)
	process.exitCode = 1;
else
	console.log(`ok: ${texts.size} scripts, ${lines} lines`);
