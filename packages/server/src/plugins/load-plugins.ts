// Loads extensions: packages with connectors, steps, languages, formats, beans and connection types (SERVICE_CONNECTORS), and a module
// of functions (SERVICE_FUNCTIONS). Only configured packages are loaded; nothing is scanned.
import { resolve } from "node:path";
import type { PluginView } from "@sluice/model";
import { createCatalog } from "../catalog.ts";
import type { Settings } from "../config.ts";
import { namesOf, noParts, partKinds, readParts, type DeclaredParts, type PartKind } from "./declared-parts.ts";
import { findPackage, type FoundPackage } from "./find-package.ts";
import { importOperatorModule } from "./import-operator-module.ts";
import { loadFunctions, stampOfFile } from "./load-functions.ts";
import { manifestFaults } from "./manifest.ts";
import { PluginError, type PluginProblem } from "./plugin-error.ts";

export interface Plugins extends DeclaredParts {
  readonly packages: readonly PluginView[];
  /** The module of functions: its absolute path, the file's stamp before it was loaded, and the names of the beans it provides. */
  readonly functions?: { readonly path: string; readonly stamp: string | undefined; readonly names: readonly string[] };
}

export const noPlugins: Plugins = { ...noParts, packages: [] };

/** A loaded package or module. */
interface Loaded {
  readonly name: string;
  readonly file: string;
  readonly parts: DeclaredParts;
}

/** Loads the configured packages. Throws one PluginError with the problems of all entries. */
export async function loadPlugins(
  { connectors, functions }: Pick<Settings, "connectors" | "functions">,
  workingDirectory: string = process.cwd(),
): Promise<Plugins> {
  const entries = connectors.split(",").flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()]));
  if (entries.length === 0 && functions === undefined) return noPlugins;
  const problems: PluginProblem[] = [];
  const loaded: Loaded[] = [];
  const packages: PluginView[] = [];
  for (const entry of new Set(entries)) {
    const found = findPackage(entry, workingDirectory);
    if ("code" in found) {
      problems.push(found);
      continue;
    }
    const { parts, problems: packageProblems } = await readPackage(found);
    problems.push(...packageProblems);
    const { name, version, manifestFile } = found;
    loaded.push({ name, file: manifestFile, parts });
    packages.push({ name, version, ...namesByKind(parts) });
  }
  let module: Plugins["functions"];
  if (functions !== undefined) {
    const file = resolve(workingDirectory, functions);
    const stamp = await stampOfFile(file);
    const beans = await loadFunctions(file);
    if ("code" in beans) problems.push(beans);
    else {
      loaded.push({ name: file, file, parts: { ...noParts, beans } });
      module = { path: file, stamp, names: beans.flatMap(({ names }) => names) };
    }
  }
  problems.push(...conflicts(loaded));
  if (problems.length > 0) throw new PluginError(problems);
  return { ...mergeParts(loaded), packages, ...(module === undefined ? {} : { functions: module }) };
}

/** Reads the declarations of a package and their problems. */
async function readPackage({
  entry,
  module,
  manifest,
  manifestFile,
}: FoundPackage): Promise<{ readonly parts: DeclaredParts; readonly problems: readonly PluginProblem[] }> {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await importOperatorModule(module);
  } catch (error) {
    const message = `'${entry}': importing '${module}' failed: ${error instanceof Error ? error.message : String(error)}`;
    return { parts: noParts, problems: [{ code: "plugin-failed", file: manifestFile, message, fix: "install its dependencies, or correct the module" }] };
  }
  const { parts, faults } = readParts(exported);
  const invalid = (fault: string, fix: string): PluginProblem => ({ code: "plugin-invalid", file: manifestFile, message: `'${entry}': ${fault}`, fix });
  const declared = faults.map((fault) => invalid(fault, `correct '${module}' (docs/how-to/write-a-connector.md)`));
  // The manifest can only be checked against complete declarations.
  const listed = faults.length > 0 ? [] : manifestFaults(manifest, parts).map(({ fault, fix }) => invalid(fault, fix));
  return { parts, problems: [...declared, ...listed] };
}

function namesByKind(parts: DeclaredParts): Readonly<Record<PartKind, readonly string[]>> {
  const names = partKinds.map((kind) => [kind, (parts[kind] as readonly unknown[]).flatMap((declaration) => namesOf(kind, declaration))]);
  return Object.fromEntries(names) as Record<PartKind, readonly string[]>;
}

function mergeParts(loaded: readonly Loaded[]): DeclaredParts {
  return Object.fromEntries(partKinds.map((kind) => [kind, loaded.flatMap(({ parts }) => parts[kind] as readonly unknown[])])) as unknown as DeclaredParts;
}

const nouns: Readonly<Record<PartKind, string>> = {
  connectors: "scheme",
  steps: "step",
  languages: "language",
  formats: "format",
  beans: "bean",
  connections: "connection type",
};

/** Names must be unique: the order of a setting must not change the meaning of flows. */
function conflicts(loaded: readonly Loaded[]): readonly PluginProblem[] {
  const owners = builtInNames();
  return loaded.flatMap(({ name: owner, file, parts }) =>
    partKinds.flatMap((kind) =>
      (parts[kind] as readonly unknown[])
        .flatMap((declaration) => namesOf(kind, declaration))
        .flatMap((name): readonly PluginProblem[] => {
          const existingOwner = owners[kind].get(name);
          owners[kind].set(name, existingOwner ?? owner);
          if (existingOwner === undefined) return [];
          const message = `'${owner}' declares the ${nouns[kind]} '${name}'${existingOwner === owner ? " twice" : `, which ${existingOwner} already declares`}`;
          return [{ code: "plugin-conflict", file, message, fix: existingOwner === owner ? "remove one of them" : `rename it, or do not load '${owner}'` }];
        }),
    ),
  );
}

/** The names of the runtime by kind. */
function builtInNames(): Readonly<Record<PartKind, Map<string, string>>> {
  const { connectors, steps, languages, formats, beans, index, connectionTypes } = createCatalog();
  const ownedByRuntime = (names: Iterable<string>): Map<string, string> => new Map([...names].map((name) => [name, "the runtime"]));
  return {
    connectors: ownedByRuntime([...connectors.keys(), ...index.schemes()]),
    steps: ownedByRuntime(steps.keys()),
    // `js` is reserved for the runtime's own language, even if it is disabled.
    languages: ownedByRuntime([...languages.keys(), "js"]),
    formats: ownedByRuntime(formats.keys()),
    beans: ownedByRuntime(beans.keys()),
    connections: ownedByRuntime(connectionTypes.details().map(({ type }) => type)),
  };
}
