// Parts and functions of a document and of the documents it imports, by name. A document's own names win.
import { isPlainObject } from "@sluice/engine/spi";
import { unknownMembers } from "../../problem.ts";
import type { DocumentContext } from "./document-context.ts";
import type { Part } from "./rule-compiler.ts";

interface DeclaredFunction {
  readonly args: readonly string[];
  readonly expr: string;
}

export interface Declarations {
  readonly parts: Map<string, Part>;
  readonly functions: Map<string, DeclaredFunction>;
}

type Members = Readonly<Record<string, unknown>>;
const deepestImport = 10;

/** Reads what a document declares; `imports` collects the ids of all documents it reaches. */
export function readDeclarations(document: Members, context: DocumentContext, imports: Set<string>, depth = 0): Declarations {
  const parts = new Map<string, Part>();
  const functions = new Map<string, DeclaredFunction>();
  for (const id of importedIds(document, context)) {
    if (depth >= deepestImport) context.report(`imports are nested deeper than ${deepestImport} documents`);
    const imported = depth >= deepestImport ? undefined : context.environment.documents?.get(id);
    if (!isPlainObject(imported)) {
      context.report(`unknown message mapping '${id}'`, "document");
      continue;
    }
    if (imports.has(id)) continue;
    imports.add(id);
    const found = readDeclarations(imported, context, imports, depth + 1);
    for (const [name, part] of found.parts) parts.set(name, part);
    for (const [name, declared] of found.functions) functions.set(name, declared);
  }
  for (const [name, part] of entries(document["parts"], "parts", context)) {
    if (isPlainObject(part)) {
      for (const fault of unknownMembers(part, ["map", "note"])) context.report(`part '${name}': ${fault}`);
      parts.set(name, { map: part["map"], parts: () => parts });
    } else context.report(`part '${name}' must be an object with 'map'`);
  }
  for (const [name, given] of entries(document["functions"], "functions", context)) {
    const declared = readFunction(name, given, context);
    if (declared !== undefined) functions.set(name, declared);
  }
  return { parts, functions };
}

function importedIds(document: Members, context: DocumentContext): readonly string[] {
  const given = document["import"];
  if (given === undefined) return [];
  if (Array.isArray(given) && given.every((id) => typeof id === "string")) return given as readonly string[];
  context.report("'import' must be a list of document ids");
  return [];
}

function entries(value: unknown, member: string, context: DocumentContext): readonly (readonly [string, unknown])[] {
  if (value === undefined) return [];
  if (isPlainObject(value)) return Object.entries(value);
  context.report(`'${member}' must be an object`);
  return [];
}

const isName = (text: unknown): text is string => typeof text === "string" && /^\$?[\p{L}_][\p{L}\p{N}_]*$/u.test(text);

function readFunction(name: string, given: unknown, context: DocumentContext): DeclaredFunction | undefined {
  const { args = [], expr } = isPlainObject(given) ? given : ({} as Members);
  if (!isName(name) || !Array.isArray(args) || !args.every(isName) || typeof expr !== "string") {
    context.report(`function '${name.slice(0, 60)}' must have 'args', a list of names, and 'expr', a text`);
    return undefined;
  }
  for (const fault of unknownMembers(given as Members, ["args", "expr", "note"])) context.report(`function '${name}': ${fault}`);
  return { args: args.map((arg) => (arg as string).replace(/^\$/, "")), expr };
}
