// `sluice kamelets`: lists, checks and describes Kamelets.
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { closest, readKamelet, readTree, type Diagnostic, type Kamelet } from "@sluice/model";
import { createFlowChecker, findKameletFolders, kameletFolders } from "@sluice/server/check";
import { readConfiguration } from "@sluice/server/config";
import { CommandError, isOn, listOf, UsageError, type Call } from "../../command/declaration.ts";
import { printList } from "../../command/output.ts";
import { projectKameletFolders } from "../../files/project-kamelet-folders.ts";
import { operatorPlugins } from "../../runtime/operator-plugins.ts";

interface KameletEntry {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** Absent when the file is not a usable Kamelet. */
  readonly kamelet: Kamelet | undefined;
  readonly problem: string | undefined;
}

export async function listKamelets(call: Call): Promise<number> {
  const { found } = findKamelets(call, listOf(call.arguments, "names"));
  printList(call, {
    value: {
      total: found.length,
      kamelets: found.map(({ name, file, kamelet, problem }) => ({
        name,
        file,
        type: kamelet?.type ?? null,
        title: kamelet?.title ?? null,
        problem: problem ?? null,
      })),
    },
    rows: found,
    columns: [
      { title: "KAMELET", text: ({ name }) => name },
      { title: "TYPE", text: ({ kamelet }) => kamelet?.type ?? "?" },
      { title: "TITLE", text: ({ kamelet, problem }) => problem ?? kamelet?.title },
    ],
    empty: "No Kamelets",
  });
  return 0;
}

export async function checkKamelets(call: Call): Promise<number> {
  const { found, folders } = findKamelets(call, listOf(call.arguments, "names"));
  return check(call, found, folders);
}

export async function describeKamelet(call: Call): Promise<number> {
  const [found] = findKamelets(call, [String(call.arguments["name"])]).found;
  return describeOne(call, found as KameletEntry);
}

function findKamelets({ flags }: Call, names: readonly string[]): { readonly found: readonly KameletEntry[]; readonly folders: readonly string[] } {
  const folders = foldersOf(listOf(flags, "folder"));
  const all = kameletFolders(folders);
  for (const name of names) if (all.find(name) === undefined) throw unknownKamelet(name, all.names(), folders);
  const found = (names.length === 0 ? all.names() : names).flatMap((name) => {
    const file = all.find(name);
    return file === undefined ? [] : [read(name, file)];
  });
  if (found.length === 0)
    throw new CommandError(`no Kamelets found in ${folders.join(", ")}: set SERVICE_KAMELETS to a folder or package that contains some, or pass --folder`);
  return { found, folders };
}

function foldersOf(paths: readonly string[]): readonly string[] {
  for (const folder of paths)
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw new UsageError(`folder '${folder}' not found: check the path`);
  if (paths.length > 0) return paths.map((folder) => resolve(folder));
  return [...projectKameletFolders([join(process.cwd(), "any.yaml")]), ...findKameletFolders(readConfiguration().settings)];
}

function unknownKamelet(name: string, available: readonly string[], folders: readonly string[]): CommandError {
  const suggestion = closest(name, available);
  const fix =
    suggestion === undefined
      ? "set SERVICE_KAMELETS to a folder or package that contains it, or pass --folder; `sluice kamelets list` lists the available Kamelets"
      : `did you mean '${suggestion}'?`;
  return new CommandError(`Kamelet '${name}' not found in ${folders.join(", ")} (${fix})`);
}

function read(name: string, { file, text }: { readonly file: string; readonly text: string }): KameletEntry {
  const { tree, diagnostics } = readTree(text);
  const kamelet = tree === undefined ? undefined : readKamelet(tree);
  const diagnostic: Diagnostic | undefined = diagnostics[0] ?? (kamelet !== undefined && "code" in kamelet ? kamelet : undefined);
  const usable = diagnostic === undefined && kamelet !== undefined && !("code" in kamelet) ? kamelet : undefined;
  return { name, file, text, kamelet: usable, problem: diagnostic === undefined ? undefined : `line ${diagnostic.span.line}: ${diagnostic.message}` };
}

async function check({ terminal, flags }: Call, found: readonly KameletEntry[], folders: readonly string[]): Promise<number> {
  const checkFlow = createFlowChecker(await operatorPlugins(), { kamelets: folders });
  const results = [];
  for (const { name, file, text, problem } of found) {
    const problems = problem === undefined ? await problemsOf(name, text) : [problem];
    results.push({ name, file, runs: problems.length === 0, problems });
  }
  const running = results.filter(({ runs }) => runs).length;
  if (isOn(flags, "json")) terminal.write(JSON.stringify({ total: results.length, running, kamelets: results }, undefined, 2));
  else {
    for (const { name, runs, problems } of results)
      terminal.write(runs ? `${terminal.style("green", "✓")} ${name}` : `${terminal.style("red", "✗")} ${name}: ${problems.join("; ")}`);
    terminal.note(`${running} of ${results.length} Kamelets can run`);
  }
  return running === results.length ? 0 : 1;

  async function problemsOf(id: string, source: string): Promise<readonly string[]> {
    const { diagnostics } = await checkFlow({ id, source, property: () => undefined });
    return diagnostics.filter(({ severity }) => severity === "error").map(({ span, message }) => `line ${span.line}: ${message}`);
  }
}

function describeOne({ terminal, flags }: Call, { kamelet, file, problem }: KameletEntry): number {
  if (kamelet === undefined) throw new UsageError(`'${file}' is not a Kamelet: ${problem}`);
  const { template: _, ...about } = kamelet;
  if (isOn(flags, "json")) {
    terminal.write(JSON.stringify({ ...about, file }, undefined, 2));
    return 0;
  }
  terminal.write(`${terminal.style("bold", kamelet.name)} (${kamelet.type})${kamelet.title === undefined ? "" : `: ${kamelet.title}`}`);
  if (kamelet.description !== undefined) terminal.write(kamelet.description);
  terminal.write(file);
  for (const parameter of kamelet.parameters) {
    const details = [
      parameter.type,
      ...(parameter.required ? ["required"] : []),
      ...(parameter.secret ? ["secret"] : []),
      ...(parameter.default === undefined ? [] : [`default ${parameter.default}`]),
      ...(parameter.values === undefined ? [] : [`one of ${parameter.values.join(", ")}`]),
    ];
    terminal.write(`  ${parameter.name} (${details.join(", ")})${parameter.description === undefined ? "" : `: ${parameter.description}`}`);
  }
  return 0;
}
