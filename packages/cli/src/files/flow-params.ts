// The values of a flow's `{{name}}` while it is looked at from files: given on the command line, kept beside the flow, or taken from the
// tests that name it.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { FlowTestFileError, readFlowTests } from "@sluice/flow-tests";
import { UsageError } from "../command/declaration.ts";
import type { YamlFile } from "./yaml-files.ts";

export type Params = Readonly<Record<string, unknown>>;

/** `name=value` words as parameters. */
export function readParamWords(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word) => {
      const equals = word.indexOf("=");
      if (equals < 1) throw new UsageError(`--param must be name=value, not '${word}'`);
      return [word.slice(0, equals), word.slice(equals + 1)];
    }),
  );
}

/** The parameters kept in `<flow>.params.json`; undefined when there is no such file. */
export async function paramsBeside(flowPath: string): Promise<Params | undefined> {
  const path = flowPath.replace(/(\.camel)?\.ya?ml$/, ".params.json");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const content = JSON.parse(text) as Params;
    return typeof content["params"] === "object" && content["params"] !== null ? (content["params"] as Params) : content;
  } catch (error) {
    throw new UsageError(`'${path}' is no valid JSON: ${(error as Error).message}`);
  }
}

/** The parameters test files give, by the flow file they name. */
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

/** Flattens nested parameters: `{erp: {url: x}}` is `erp.url`. */
export function flatParams(params: Params, prefix = ""): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => {
      if (typeof value !== "object" || value === null) return [[prefix + name, String(value)]];
      const { value: inner, env } = value as Params;
      if (inner !== undefined && typeof inner !== "object") return [[prefix + name, String(inner)]];
      if (typeof env === "string") return [[prefix + name, env]];
      return Object.entries(flatParams(value as Params, `${prefix}${name}.`));
    }),
  );
}
