// Parameter values for flows read from files: from the command line, from the parameter file next to the flow, or from the tests of
// the flow.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { FlowTestFileError, readFlowTests } from "@sluice/flow-tests";
import { UsageError } from "../command/declaration.ts";
import type { YamlFile } from "./yaml-files.ts";

export type Params = Readonly<Record<string, unknown>>;

/** Reads flags that are declared as `name=value`; the parser has checked them. */
export function assignmentsOf(values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    values.map((value) => {
      const equals = value.indexOf("=");
      return [value.slice(0, equals), value.slice(equals + 1)];
    }),
  );
}

/** Reads `<flow>.params.json`; undefined if the file does not exist. */
export async function readParamsFile(flowPath: string): Promise<Params | undefined> {
  const path = flowPath.replace(/((\.camel)?\.ya?ml)?$/, ".params.json");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const content = parseJson(path, text) as Params | null;
  if (typeof content !== "object" || content === null || Array.isArray(content))
    throw new UsageError(`'${path}' must be an object of parameter names and values`);
  return typeof content["params"] === "object" && content["params"] !== null ? (content["params"] as Params) : content;
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`'${path}' is not valid JSON: ${(error as Error).message}`);
  }
}

/** The parameters in test files, by flow file. */
export function paramsOfTests(files: readonly YamlFile[]): ReadonlyMap<string, Params> {
  const params = new Map<string, Params>();
  for (const { path, text, kind } of files) {
    if (kind !== "tests") continue;
    try {
      const tests = readFlowTests(text);
      if (tests.flow !== undefined && tests.params !== undefined) params.set(resolve(dirname(path), tests.flow), tests.params);
    } catch (error) {
      if (!(error instanceof FlowTestFileError)) throw error;
    }
  }
  return params;
}

/** Flattens nested parameters: `{erp: {url: x}}` is `erp.url`. `{env: NAME}` is the variable's value; without one, the parameter is left out. */
export function flatParams(params: Params, environment: Readonly<Record<string, string | undefined>> = {}, prefix = ""): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => {
      if (typeof value !== "object" || value === null) return [[prefix + name, String(value)]];
      const { value: inner, env } = value as Params;
      if (inner !== undefined && typeof inner !== "object") return [[prefix + name, String(inner)]];
      if (typeof env === "string") return environment[env] === undefined ? [] : [[prefix + name, environment[env]]];
      return Object.entries(flatParams(value as Params, environment, `${prefix}${name}.`));
    }),
  );
}
