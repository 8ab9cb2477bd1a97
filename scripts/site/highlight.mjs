// Syntax highlighting at build time, so that the site needs no script for it.
import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

for (const [name, definition] of Object.entries({ bash, ini, javascript, json, typescript, xml, yaml })) highlighter.registerLanguage(name, definition);
highlighter.registerAliases(["mjs", "cjs"], { languageName: "javascript" });
highlighter.registerAliases(["properties", "service"], { languageName: "ini" });

/** The code as HTML with one class per token, or undefined for a language without a grammar (plain text, program output). */
export function highlight(code, language) {
  return highlighter.getLanguage(language) === undefined ? undefined : highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}
