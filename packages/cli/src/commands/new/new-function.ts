// Generates the export for a flow's bean in the functions module, with types for editors.
import { readFile, writeFile } from "node:fs/promises";
import { exportedName, functionStub, type FunctionStub, type StubKind } from "@sluice/server/check";
import { readConfiguration } from "@sluice/server/config";
import { isOn, textFlag, UsageError, type Call } from "../../command/declaration.ts";

const moduleHead = `// Functions that flows call as beans. Load them with SERVICE_FUNCTIONS=<this file>.\n`;

export async function newFunction({ arguments: positionals, flags, terminal }: Call): Promise<number> {
  const bean = String(positionals["folder"]);
  const stub = { bean, method: textFlag(flags, "method"), kind: (textFlag(flags, "as") ?? "function") as StubKind };
  assertNames(stub);
  const { settings } = readConfiguration();
  const file = textFlag(flags, "file") ?? settings.functions ?? "functions.mjs";
  const existingText = await textOf(file);
  const lines = withTypes(stub);
  if (existingText !== undefined && exportsName(existingText, exportedName(bean)))
    throw new UsageError(`'${file}' already exports '${exportedName(bean)}'; add this code to the export:\n${lines.slice(1, -1).join("\n")}`);
  await writeFile(file, `${existingText === undefined ? moduleHead : existingText.replace(/\n*$/, "\n")}\n${lines.join("\n")}\n`);
  if (isOn(flags, "json")) terminal.write(JSON.stringify({ file, name: exportedName(bean) }));
  else terminal.write(`${file}\n\n${lines.join("\n")}\n\nTry it:\n  SERVICE_FUNCTIONS=${file} sluice dev`);
  return 0;
}

function assertNames({ bean, method }: FunctionStub): void {
  if (!/^[\p{L}_$][\p{L}\p{N}_.$-]*$/u.test(bean))
    throw new UsageError(`'${bean}' is not a valid bean or class name: use letters, digits, '_', '$', '.' and '-', starting with a letter, '_' or '$'`);
  if (method !== undefined && !/^[\p{L}$][\p{L}\p{N}_$]*$/u.test(method))
    throw new UsageError(`'${method}' is not a valid method name: use letters, digits, '_' and '$', starting with a letter or '$'`);
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new UsageError(`'${file}' cannot be read: ${(error as Error).message}`);
  }
}

function exportsName(text: string, name: string): boolean {
  const pattern = name.replaceAll(/[$.]/g, String.raw`\$&`);
  return new RegExp(String.raw`^\s*export\s+(?:async\s+)?(?:function|const|let|class)\s+${pattern}(?![\w$])|\bas\s+["']${pattern}["']`, "m").test(text);
}

/** The import of a type, as written in the generated file. */
const importType = (type: string): string => `import(${JSON.stringify("sluice/functions")}).${type}`;

/** The parameter types, by how the flow uses the function. */
const parameterTypes: Readonly<Record<Exclude<StubKind, "class">, Readonly<Record<string, string>>>> = {
  function: { exchange: importType("Exchange") },
  "aggregation-strategy": { old: `${importType("Exchange")} | undefined`, next: importType("Exchange") },
  comparator: { a: "unknown", b: "unknown" },
  "idempotent-repository": { key: "string" },
};

/** The stub, with comments that declare the types of its parameters. */
function withTypes(stub: FunctionStub): readonly string[] {
  const parameters = Object.entries(parameterTypes[stub.kind as keyof typeof parameterTypes]);
  return functionStub(stub).flatMap((line) => {
    const indent = /^ *(?=(?:export )?(?:function )?[\p{ID_Start}$"][^ ]*\([^)]*\) \{)/u.exec(line)?.[0];
    if (indent === undefined) return [line];
    return [`${indent}/**`, ...parameters.map(([name, type]) => `${indent} * @param {${type}} ${name}`), `${indent} */`, line];
  });
}
