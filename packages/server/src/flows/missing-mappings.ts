// Finds tables and documents that a flow uses but that are not installed. The flow can be deployed, because they may be installed later,
// but its messages fail until then, so a warning is returned.
import type { FlowDocument, StepNode } from "@sluice/model";
import type { Problem } from "./flow-problems.ts";

export interface InstalledMappings {
  hasTable(id: string): boolean;
  hasDocument(id: string): boolean;
}

export function missingMappings(flow: FlowDocument, installed: InstalledMappings): readonly Problem[] {
  const problems: Problem[] = [];
  const reported = new Set<string>();
  const visit = (step: StepNode, routeId: string | null): void => {
    const mapping = mappingOf(step);
    if (mapping === undefined || reported.has(mapping.path)) return;
    const { id, path, noun, isTable } = mapping;
    if (isTable ? installed.hasTable(id) : installed.hasDocument(id)) return;
    reported.add(path);
    const { line, column } = step.span;
    const message = `${noun} '${id}' is not installed yet (install it with PUT /_api/${path})`;
    problems.push({ severity: "warning", line, column, routeId, stepId: step.id, code: "mapping-unknown", message });
  };
  for (const route of flow.routes) eachStep(route.steps, (step) => visit(step, route.id));
  for (const { options } of flow.entities) eachStep(options, (step) => visit(step, null));
  return problems;
}

/** The table or document that a step uses; undefined for ids computed at run time. */
function mappingOf({ options }: StepNode): { readonly id: string; readonly path: string; readonly noun: string; readonly isTable: boolean } | undefined {
  const { uri, parameters } = options;
  const match = typeof uri === "string" ? /^(message|value)-mapping(?::(?:\/\/)?([^?]*))?/.exec(uri) : null;
  if (match === null) return undefined;
  const isTable = match[1] === "value";
  const parameter = (parameters as Readonly<Record<string, unknown>> | undefined)?.[isTable ? "table" : "mapping"];
  const id = match[2] ?? (typeof parameter === "string" ? parameter : "");
  if (!/^[\w.-]+$/.test(id)) return undefined;
  return { id, path: `${match[1]}-mappings/${id}`, noun: isTable ? "value-mapping table" : "message mapping", isTable };
}

/** Visits all steps in a value: options contain steps under many names, and steps can be nested. */
function eachStep(value: unknown, visit: (step: StepNode) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (isStep(value)) visit(value);
  for (const member of Array.isArray(value) ? value : Object.values(value)) eachStep(member, visit);
}

const isStep = (value: object): value is StepNode => "id" in value && "name" in value && "options" in value && "span" in value;
