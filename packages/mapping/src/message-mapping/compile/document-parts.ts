// Parts and functions of a document and of its imports, by name. A document's own names take precedence.
import { isPlainObject } from "@sluice/engine/values";
import { memberNames } from "@sluice/model";
import { unknownProperties } from "../../problem.ts";
import { functionSchema, partSchema } from "../document-schema.ts";
import type { DocumentContext } from "./document-context.ts";
import type { Part } from "./rule-compiler.ts";
import { validName } from "./scope.ts";

interface DeclaredFunction {
  readonly args: readonly string[];
  readonly expr: string;
}

export interface Declarations {
  readonly parts: Map<string, Part>;
  readonly functions: Map<string, DeclaredFunction>;
}

type Members = Readonly<Record<string, unknown>>;
const maxImportDepth = 10;

/** Reads the declarations of a document; `imports` collects the ids of all documents it reaches. */
export function readDeclarations(document: Members, context: DocumentContext, imports: Set<string>): Declarations {
  return readInto({ parts: new Map(), functions: new Map() }, document, { context, imports, byId: new Map(), depth: 0 });
}

interface Reading {
  readonly context: DocumentContext;
  readonly imports: Set<string>;
  /** Declarations of imported documents, by id. In a circular import, the document being read provides the declarations read so far. */
  readonly byId: Map<string, Declarations>;
  readonly depth: number;
}

function readInto(declared: Declarations, document: Members, reading: Reading): Declarations {
  const { context } = reading;
  const { parts, functions } = declared;
  for (const id of importedIds(document, context)) {
    const found = importedDeclarations(id, reading);
    for (const [name, part] of found?.parts ?? []) parts.set(name, part);
    for (const [name, declaredFunction] of found?.functions ?? []) functions.set(name, declaredFunction);
  }
  for (const [name, part] of entries(document["parts"], "parts", context)) {
    if (isPlainObject(part)) {
      for (const fault of unknownProperties(part, memberNames(partSchema))) context.report(`part '${name}': ${fault}`);
      parts.set(name, { map: part["map"], parts: () => parts });
    } else context.report(`part '${name}' must be an object with 'map'`);
  }
  for (const [name, declaration] of entries(document["functions"], "functions", context)) {
    const declaredFunction = readFunction(name, declaration, context);
    if (declaredFunction !== undefined) functions.set(name, declaredFunction);
  }
  return declared;
}

function importedDeclarations(id: string, reading: Reading): Declarations | undefined {
  const { context, imports, byId, depth } = reading;
  const cached = byId.get(id);
  if (cached !== undefined) return cached;
  if (depth >= maxImportDepth) {
    context.report(`imports are nested deeper than ${maxImportDepth} levels`);
    return undefined;
  }
  const imported = context.environment.documents?.get(id);
  if (!isPlainObject(imported)) {
    context.report(`unknown message mapping '${id}'`, "document");
    return undefined;
  }
  imports.add(id);
  const declared: Declarations = { parts: new Map(), functions: new Map() };
  byId.set(id, declared);
  return readInto(declared, imported, { ...reading, depth: depth + 1 });
}

function importedIds(document: Members, context: DocumentContext): readonly string[] {
  const ids = document["import"];
  if (ids === undefined) return [];
  if (Array.isArray(ids) && ids.every((id) => typeof id === "string")) return ids;
  context.report("'import' must be a list of document ids");
  return [];
}

function entries(value: unknown, member: string, context: DocumentContext): readonly (readonly [string, unknown])[] {
  if (value === undefined) return [];
  if (isPlainObject(value)) return Object.entries(value);
  context.report(`'${member}' must be an object`);
  return [];
}

function readFunction(name: string, declaration: unknown, context: DocumentContext): DeclaredFunction | undefined {
  const { args = [], expr } = isPlainObject(declaration) ? declaration : ({} as Members);
  const names = Array.isArray(args) ? args.map(validName) : [undefined];
  if (validName(name) === undefined || names.includes(undefined) || typeof expr !== "string") {
    context.report(
      `function '${name.slice(0, 60)}' must have a string 'expr' and may have a list of names 'args'; names consist of letters, digits and _ and do not start with a digit`,
    );
    return undefined;
  }
  for (const fault of unknownProperties(declaration as Members, memberNames(functionSchema))) context.report(`function '${name}': ${fault}`);
  return { args: names as readonly string[], expr };
}
