// What lint finds, whatever kind of file it looks at.
import { resolve } from "node:path";
import { FlowTestFileError, readFlowTests } from "@sluice/flow-tests";
import type { Diagnostic } from "@sluice/model";
import { createFlowChecker } from "@sluice/server/check";
import { flatParams, paramsBeside, paramsOfTests, type Params } from "../../files/flow-params.ts";
import { flowIdOf, type YamlFile } from "../../files/yaml-files.ts";

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
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Everything wrong with these files, file by file in the order of their lines. */
export async function findFaults(files: readonly YamlFile[], { params, environment }: LintOptions): Promise<readonly Finding[]> {
  const check = createFlowChecker();
  const tested = paramsOfTests(files);
  const owners = new Map<string, string>();
  const found: Finding[] = [];
  for (const { path, text, kind } of files) {
    if (kind === "tests") {
      found.push(...testFindings(path, text));
      continue;
    }
    const known = flatParams({ ...tested.get(resolve(path)), ...(await paramsBeside(path)), ...params });
    const property = (name: string): string | undefined =>
      known[name] ?? environment[name.startsWith("env:") ? name.slice(4) : name.toUpperCase().replaceAll(/[.-]/g, "_")];
    const { diagnostics, flow, leftOut } = check({ id: flowIdOf(path), source: text, property });
    const own = diagnostics.map((diagnostic) => findingOf(path, diagnostic));
    if (own.length === 0 && flow.routes.length + leftOut === 0 && flow.entities.length === 0) own.push(emptyFlow(path));
    for (const { id, span } of flow.routes) {
      const owner = owners.get(id);
      if (owner === undefined) owners.set(id, path);
      else if (owner !== path)
        own.push({
          ...place(path, span),
          severity: "error",
          code: "flow-conflict-route-id",
          message: `route id '${id}' is already used in ${owner}`,
          fix: "give one of them another id",
          routeId: id,
          stepId: null,
        });
    }
    found.push(...own.toSorted((a, b) => a.line - b.line || a.column - b.column));
  }
  return found;
}

function findingOf(file: string, diagnostic: Diagnostic): Finding {
  const { code, message, hint, routeId, stepId, span } = diagnostic;
  const { text, fix } = withoutRemedy(message, hint ?? (code === "placeholder-unresolved" ? valueRemedy : undefined));
  return { ...place(file, span), severity: diagnostic.severity, code, message: text, fix: fix ?? null, routeId: routeId ?? null, stepId: stepId ?? null };
}

const valueRemedy = "give it with --param, in <flow>.params.json, or as a default: {{name:default}}";

/** Some messages end with their remedy in brackets already: it is told once, as the fix. */
function withoutRemedy(message: string, hint: string | undefined): { readonly text: string; readonly fix: string | undefined } {
  if (hint !== undefined && message.endsWith(` (${hint})`)) return { text: message.slice(0, -hint.length - 3), fix: hint };
  const said = /^(.*) \((did you mean '[^']+'\??)\)$/s.exec(message);
  if (said !== null) return { text: said[1] as string, fix: hint === undefined || hint === "" ? said[2] : hint };
  return { text: message, fix: hint };
}

function place(file: string, { line, column, endLine, endColumn }: Diagnostic["span"]): Pick<Finding, "file" | "line" | "column" | "endLine" | "endColumn"> {
  return { file, line, column, endLine, endColumn };
}

function emptyFlow(file: string): Finding {
  const start = { file, line: 1, column: 1, endLine: 1, endColumn: 1 };
  return { ...start, severity: "error", code: "flow-empty", message: "flow defines no routes", fix: "add a route", routeId: null, stepId: null };
}

function testFindings(file: string, text: string): readonly Finding[] {
  try {
    readFlowTests(text);
    return [];
  } catch (error) {
    if (!(error instanceof FlowTestFileError)) throw error;
    return error.faults.map(({ line, column, message }) => {
      const { text: said, fix } = withoutRemedy(message, undefined);
      const where = { file, line, column, endLine: line, endColumn: column };
      return { ...where, severity: "error" as const, code: "test-file-invalid", message: said, fix: fix ?? null, routeId: null, stepId: null };
    });
  }
}
