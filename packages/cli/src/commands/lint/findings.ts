// Collects lint findings for flows, tests, connections and other files.
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { existsSync, readdirSync } from "node:fs";
import { FlowTestFileError, readFlowTests } from "@sluice/flow-tests";
import { valuesUnder, type Diagnostic } from "@sluice/model";
import { createConnectionChecker, createFlowChecker, type CheckedConnection, type PluginProblem, type Plugins } from "@sluice/server/check";
import { variableOf } from "@sluice/server/config";
import { UsageError } from "../../command/declaration.ts";
import { flatParams, readParamsFile, paramsOfTests, type Params } from "../../files/flow-params.ts";
import { projectKameletFolders } from "../../files/project-kamelet-folders.ts";
import { projectResourceFolders } from "../../files/project-resource-folders.ts";
import { readProjectProperties } from "../../files/project-properties.ts";
import { foldersNamed } from "../../files/project-folders.ts";
import { Conflicts } from "./conflicts.ts";
import { CallCheck } from "./unhandled-calls.ts";
import { flowIdOf, isConnectionFile, readText, type YamlFile } from "../../files/yaml-files.ts";

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly fix: string | null;
  readonly routeId: string | null;
  readonly stepId: string | null;
}

export interface LintOptions {
  readonly params: Params;
  readonly profile: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Plug-ins configured by the operator. */
  readonly plugins?: Plugins;
  /** The operator's folders with Kamelets; those of the project are found next to the flows. */
  readonly kamelets?: readonly string[];
  /** The operator's folders with text files; those of the project are found next to the flows. */
  readonly resources?: readonly string[];
  /** The operator's folders with connections; those of the project are found next to the flows. */
  readonly connections?: readonly string[];
}

/** All findings in these files, ordered by file and line. */
export async function findingsIn(
  files: readonly YamlFile[],
  { params, profile, environment, plugins, kamelets = [], resources = [], connections = [] }: LintOptions,
): Promise<readonly Finding[]> {
  const check = createFlowChecker(plugins, { kamelets, resources });
  const checkConnection = createConnectionChecker(plugins);
  const connectionsOf = connectionsNextTo(checkConnection, connections);
  const reported = new Set(files.map(({ path }) => resolve(path)));
  const testParams = paramsOfTests(files);
  const project = readProjectProperties({ profile, environment });
  const conflicts = new Conflicts();
  const calls = new CallCheck(files.map(({ path }) => path));
  const found: Finding[] = [];
  /** Which findings are those of a flow; its unhandled calls are known when all flows are checked. */
  const flowSections: { readonly start: number; readonly length: number; readonly later: () => Promise<readonly Finding[]> }[] = [];
  for (const { path, text, kind } of files) {
    if (kind === "tests") {
      found.push(...testFindings(path, text));
      continue;
    }
    if (kind === "connection") {
      found.push(...(await checkConnection(connectionIdOf(path), text)).diagnostics.map((diagnostic) => findingOf(path, diagnostic)));
      continue;
    }
    const reportParams =
      (fix: string) =>
      (error: unknown): undefined => {
        if (!(error instanceof UsageError)) throw error;
        found.push(fileFinding(path, "params-invalid", error.message, fix));
        return undefined;
      };
    const projectParams = await project.paramsFor(path, text).catch(reportParams("save the file as UTF-8 text, and make it readable"));
    const fileParams = await readParamsFile(path).catch(reportParams("use a JSON object of names and values"));
    const values = flatParams({ ...projectParams, ...testParams.get(resolve(path)), ...fileParams, ...params }, environment);
    const property = (name: string): string | undefined => values[name] ?? environment[name.startsWith("env:") ? name.slice(4) : variableOf(name)];
    const propertiesUnder = (prefix: string): Readonly<Record<string, string>> => valuesUnder(prefix, Object.keys(values), property);
    const connectionFiles = await connectionsOf(path);
    const types = new Map([...connectionFiles].map(([id, { type }]) => [id, type]));
    const folders = { kamelets: projectKameletFolders([path]), resources: projectResourceFolders([path]), connections: types };
    const prepared = await check({ id: flowIdOf(path), source: text, property, propertiesUnder, ...folders });
    const { diagnostics, flow, skippedRoutes, deployment } = prepared;
    const unhandled = calls.add(path, prepared);
    const flowFindings = diagnostics.map((diagnostic) => findingOf(path, diagnostic));
    if (flowFindings.length === 0 && flow.routes.length + skippedRoutes === 0 && flow.entities.length === 0)
      flowFindings.push(fileFinding(path, "flow-empty", "flow defines no routes", "add a route"));
    flowFindings.push(...conflicts.in(path, prepared).map((diagnostic) => findingOf(path, diagnostic)));
    const later = async (): Promise<readonly Finding[]> => (await unhandled()).map((diagnostic) => findingOf(path, diagnostic));
    flowSections.push({ start: found.length, length: flowFindings.length, later });
    found.push(...inOrder(flowFindings));
    // A flow cannot run with a broken connection, so the file it uses is checked too, unless it is linted itself.
    for (const id of deployment?.connections ?? []) {
      const file = connectionFiles.get(id);
      if (file === undefined || reported.has(file.path)) continue;
      reported.add(file.path);
      const displayPath = isAbsolute(path) ? file.path : relative("", file.path);
      found.push(...file.diagnostics.map((diagnostic) => findingOf(displayPath, diagnostic)));
    }
  }
  for (const { start, length, later } of flowSections.toReversed()) {
    const added = await later();
    if (added.length > 0) found.splice(start, length, ...inOrder([...found.slice(start, start + length), ...added]));
  }
  return found;
}

const inOrder = (findings: readonly Finding[]): readonly Finding[] => findings.toSorted((a, b) => a.line - b.line || a.column - b.column);

const connectionIdOf = (path: string): string => basename(path).replace(/\.(json|ya?ml)$/, "");

interface ConnectionFile extends CheckedConnection {
  readonly path: string;
}

/** The connection files next to and above a flow, and those of the operator, by id. Each folder is read once. */
function connectionsNextTo(
  check: ReturnType<typeof createConnectionChecker>,
  operator: readonly string[],
): (flowPath: string) => Promise<ReadonlyMap<string, ConnectionFile>> {
  const filesByFolder = new Map<string, Promise<readonly ConnectionFile[]>>();
  const filesIn = async (folder: string): Promise<readonly ConnectionFile[]> => {
    const paths = (existsSync(folder) ? readdirSync(folder) : []).map((file) => join(folder, file)).filter(isConnectionFile);
    const files = [];
    for (const path of paths) {
      const text = await readText(path).catch(() => undefined);
      if (text !== undefined) files.push({ path, ...(await check(connectionIdOf(path), text)) });
    }
    return files;
  };
  return async (flowPath) => {
    const found = new Map<string, ConnectionFile>();
    for (const folder of [...foldersNamed("connections", [flowPath]), ...operator]) {
      if (!filesByFolder.has(folder)) filesByFolder.set(folder, filesIn(folder));
      for (const file of (await filesByFolder.get(folder)) ?? []) {
        const id = connectionIdOf(file.path);
        if (!found.has(id)) found.set(id, file);
      }
    }
    return found;
  };
}

function findingOf(file: string, diagnostic: Diagnostic): Finding {
  const { code, message, hint, routeId, stepId, span } = diagnostic;
  const { text, fix } = splitFix(message, hint ?? (code === "placeholder-unresolved" ? missingValueFix : undefined));
  return { ...positionOf(file, span), severity: diagnostic.severity, code, message: text, fix: fix ?? null, routeId: routeId ?? null, stepId: stepId ?? null };
}

const missingValueFix = "set it with --param, in <flow>.params.json or application.properties, or as a default: {{name:default}}";

/** Some messages already end with the fix in parentheses; it is moved to the `fix` field. */
function splitFix(message: string, hint: string | undefined): { readonly text: string; readonly fix: string | undefined } {
  if (hint !== undefined && message.endsWith(` (${hint})`)) return { text: message.slice(0, -hint.length - 3), fix: hint };
  const suggestion = /^(.*) \((did you mean '[^']+'\??)\)$/s.exec(message);
  if (suggestion !== null) return { text: suggestion[1] as string, fix: hint === undefined || hint === "" ? suggestion[2] : hint };
  return { text: message, fix: hint };
}

function positionOf(
  file: string,
  { line, column, endLine, endColumn }: Diagnostic["span"],
): Pick<Finding, "file" | "line" | "column" | "endLine" | "endColumn"> {
  return { file, line, column, endLine, endColumn };
}

/** A finding about a whole file. */
export function fileFinding(file: string, code: string, message: string, fix: string): Finding {
  return { file, line: 1, column: 1, endLine: 1, endColumn: 1, severity: "error", code, message, fix, routeId: null, stepId: null };
}

/** A plug-in that cannot be loaded: a problem of its package, not of a flow. */
export function pluginFinding({ file, code, message, fix }: PluginProblem): Finding {
  return fileFinding(file, code, message, fix);
}

function testFindings(file: string, text: string): readonly Finding[] {
  try {
    readFlowTests(text);
    return [];
  } catch (error) {
    if (!(error instanceof FlowTestFileError)) throw error;
    return error.problems.map(({ line, column, message }) => {
      const { text: sentence, fix } = splitFix(message, undefined);
      const where = { file, line, column, endLine: line, endColumn: column };
      return { ...where, severity: "error" as const, code: "test-file-invalid", message: sentence, fix: fix ?? null, routeId: null, stepId: null };
    });
  }
}
