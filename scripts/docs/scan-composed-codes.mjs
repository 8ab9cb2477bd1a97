// Finds error codes that are not literals at the throw site: chosen by a conditional, looked up in a table, or concatenated. The possible parts are
// listed here; an unknown pattern fails the scan, so that it cannot be forgotten.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { sources } from "./scan-error-codes.mjs";

const codePattern = "[a-z][a-z0-9]*(?:-[a-z0-9]+)+";
const constructors = String.raw`\b(?:CompileError|ServiceError|report|fault|problem)\(\s*`;

export function scanComposedCodes(root, packages) {
  const texts = packages.flatMap((name) => sources(join(root, "packages", name, "src"))).map((file) => readFileSync(file, "utf8"));
  const found = new Set();
  for (const text of texts) {
    for (const [, code] of text.matchAll(new RegExp(String.raw`\bcode: "(${codePattern})"`, "g"))) found.add(code);
    const conditional = new RegExp(
      String.raw`(?:${constructors}|\bcode: )[^"\`,;(){}]*(?:"[^"]*"[^"\`,;(){}]*)?\? "(${codePattern})" : "(${codePattern})"`,
      "g",
    );
    for (const [, first, second] of text.matchAll(conditional)) found.add(first).add(second);
    for (const [, template] of text.matchAll(new RegExp(String.raw`(?:${constructors}|\bcode: )\`((?:[a-z0-9-]|\$\{[^{}\`]*\})+)\``, "g"))) {
      for (const code of expandTemplate(template, texts)) found.add(code);
    }
  }
  return [...found].toSorted();
}

/** The formats that input errors are reported for. */
const inputFormats = (texts) => texts.flatMap((text) => [...text.matchAll(/\b(?:invalidInput|readFault)\(\s*"([a-z0-9]+)"/g)].map(([, format]) => format));

const parts = {
  "${language}": () => ["xpath", "xquery"],
  "${kind}": () => ["zip", "tar"],
  "${format}": inputFormats,
  "${conflict.kind}": () => ["route-id", "claim"],
  '${noun === "expression" ? "expression" : "format"}': () => ["expression", "format"],
  '${error.code.toLowerCase().replaceAll("_", "-")}': yamlErrorCodes,
};

function expandTemplate(template, texts) {
  const [part, ...otherParts] = template.match(/\$\{[^{}]*\}/g) ?? [];
  if (part === undefined) return [template];
  if (otherParts.length > 0 || parts[part] === undefined) throw new Error(`unknown code template '${template}': add its parts to scan-composed-codes.mjs`);
  return parts[part](texts).map((value) => template.replace(part, value));
}

/** Errors of the YAML library, from its own list. */
function yamlErrorCodes() {
  const types = join(dirname(createRequire(join(import.meta.dirname, "../../packages/model/src/")).resolve("yaml")), "errors.d.ts");
  const list = /type ErrorCode = ([^;]+);/.exec(readFileSync(types, "utf8"))?.[1] ?? "";
  return [...list.matchAll(/'([A-Z0-9_]+)'/g)].map(([, code]) => code.toLowerCase().replaceAll("_", "-"));
}
