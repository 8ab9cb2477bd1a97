// Files that look like flows to their author, but are not YAML.
import { basename, extname } from "node:path";
import { CommandError, UsageError } from "../command/declaration.ts";

interface FileType {
  /** With its article. */
  readonly name: string;
  readonly plural: string;
  /** `file`: a path to show in a command. */
  readonly fix: (file: string) => string;
}

const camelFix = (file: string): string => `rewrite the route in YAML, for example with \`camel transform route ${file} --format=yaml\``;

const types: Readonly<Partial<Record<string, FileType>>> = {
  ".java": { name: "a Java route", plural: "Java files", fix: camelFix },
  ".groovy": { name: "a Groovy route", plural: "Groovy files", fix: camelFix },
  ".kt": { name: "a Kotlin route", plural: "Kotlin files", fix: camelFix },
  ".kts": { name: "a Kotlin route", plural: "Kotlin files", fix: camelFix },
  ".xml": { name: "an XML file", plural: "XML files", fix: (file) => `convert Camel XML with \`sluice import ${file}\`` },
  ".json": { name: "a JSON file", plural: "JSON files", fix: (file) => `convert Node-RED flows and n8n workflows with \`sluice import ${file}\`` },
};

/** Files without an extension, such as /dev/stdin, are read. */
const isYaml = (path: string): boolean => /^(\.ya?ml)?$/i.test(extname(path));

/** Throws if a file that was passed as a flow has another type. */
export function assertYaml(path: string): void {
  if (isYaml(path)) return;
  const type = types[extname(path).toLowerCase()];
  throw new UsageError(
    type === undefined
      ? `'${path}' is not a YAML file: pass files that end in .yaml or .yml, or folders that contain some`
      : `'${path}' is ${type.name}; Sluice reads YAML: ${type.fix(path)}`,
  );
}

/** `'x' is a Java route; …` for a file that the command cannot convert either; undefined for other types. */
export function unconvertible(path: string): UsageError | undefined {
  const type = types[extname(path).toLowerCase()];
  return type?.fix === camelFix ? new UsageError(`'${path}' is ${type.name}; \`sluice import\` does not read it: ${camelFix(path)}`) : undefined;
}

/** The error for paths in which nothing was found; names the files there that could have been meant. */
export function nothingFound(what: string, paths: readonly string[], fix: string, others: readonly string[]): CommandError {
  const places = (paths.length === 0 ? ["."] : paths).map((path) => `'${path}'`).join(", ");
  const examples = new Map<FileType, string[]>();
  for (const path of others) {
    const type = types[extname(path).toLowerCase()];
    // Data of other tools, such as package.json, is not a flow.
    if (type !== undefined && extname(path) !== ".json") examples.set(type, [...(examples.get(type) ?? []), path]);
  }
  const [first] = examples;
  if (first === undefined) return new CommandError(`no ${what} found in ${places}: ${fix}`);
  const [type, [file = ""]] = first;
  return new CommandError(`no ${what} found in ${places}, but ${type.plural} such as ${basename(file)}; Sluice reads YAML: ${type.fix(file)}`);
}
