// The exports of a plug-in and the required members of each declaration. Checked at run time, since plug-ins may be plain JavaScript.
import type { BeanDeclaration, ConnectionDeclaration, ConnectorDeclaration, FormatDeclaration, LanguageDeclaration, StepDeclaration } from "@sluice/engine";
import { describe, type Field } from "@sluice/model";

export interface DeclaredParts {
  readonly connectors: readonly ConnectorDeclaration[];
  readonly steps: readonly StepDeclaration[];
  readonly languages: readonly LanguageDeclaration[];
  readonly formats: readonly FormatDeclaration[];
  readonly beans: readonly BeanDeclaration[];
  readonly connections: readonly ConnectionDeclaration[];
}

export type PartKind = keyof DeclaredParts;

export const noParts: DeclaredParts = { connectors: [], steps: [], languages: [], formats: [], beans: [], connections: [] };
export const partKinds = Object.keys(noParts) as readonly PartKind[];

type Requirement = "text" | "texts" | "list" | "fields" | "function" | "roles";

const described = { title: "text", summary: "text", group: "text", since: "text" } as const;
const required: Readonly<Record<PartKind, Readonly<Record<string, Requirement>>>> = {
  connectors: { scheme: "text", ...described, syntax: "text", roles: "roles", path: "fields", options: "fields", headers: "fields", connect: "function" },
  steps: { name: "text", ...described, options: "fields", compile: "function" },
  languages: { name: "text", ...described, options: "fields", compile: "function" },
  formats: { name: "text", ...described, options: "fields", create: "function" },
  beans: { names: "texts", kind: "text", ...described, properties: "fields", create: "function" },
  connections: {
    type: "text",
    ...described,
    kinds: "texts",
    fields: "fields",
    needs: "list",
    open: "function",
    close: "function",
    check: "function",
  },
};

const roles: readonly unknown[] = ["source", "sink", "poller"];
const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

const tests: Readonly<Record<Requirement, { readonly expected: string; holds(value: unknown): boolean }>> = {
  text: { expected: "a string", holds: isText },
  texts: { expected: "a list of strings", holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isText) },
  list: { expected: "a list", holds: Array.isArray },
  fields: {
    expected: "an object of fields made with f.*",
    holds: (value) => typeof value === "object" && value !== null && Object.values(value).every(isField),
  },
  function: { expected: "a function", holds: (value) => typeof value === "function" },
  roles: {
    expected: "a list of 'source', 'sink' or 'poller'",
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every((role) => roles.includes(role)),
  },
};

function isField(value: unknown): boolean {
  try {
    return describe(value as Field<unknown>).kind !== undefined;
  } catch {
    return false;
  }
}

/** The names of a declaration in flows. */
export function namesOf(kind: PartKind, declaration: unknown): readonly string[] {
  const { scheme, aliases, name, names, type } = declaration as Partial<ConnectorDeclaration & BeanDeclaration & ConnectionDeclaration & StepDeclaration>;
  if (kind === "connectors") return [scheme as string, ...(aliases ?? [])];
  return kind === "beans" ? (names as readonly string[]) : [(kind === "connections" ? type : name) as string];
}

/** The declarations of a module, and its problems. */
export function readParts(module: Readonly<Record<string, unknown>>): { readonly parts: DeclaredParts; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const parts: Record<PartKind, readonly unknown[]> = { ...noParts };
  for (const kind of partKinds) {
    const exported = module[kind];
    if (exported === undefined) continue;
    if (Array.isArray(exported)) parts[kind] = exported.filter((declaration, index) => isComplete(kind, declaration, `${kind}[${index}]`, faults));
    else faults.push(`its export '${kind}' is not a list`);
  }
  if (faults.length === 0 && partKinds.every((kind) => parts[kind].length === 0)) faults.push(`it exports none of ${partKinds.join(", ")}`);
  return { parts: parts as unknown as DeclaredParts, faults };
}

function isComplete(kind: PartKind, declaration: unknown, label: string, faults: string[]): boolean {
  if (typeof declaration !== "object" || declaration === null) {
    faults.push(`${label} is not a declaration`);
    return false;
  }
  const wrong = Object.entries(required[kind]).filter(([key, requirement]) => !tests[requirement].holds((declaration as Record<string, unknown>)[key]));
  for (const [key, requirement] of wrong) faults.push(`${label}.${key} is not ${tests[requirement].expected}`);
  return wrong.length === 0;
}
