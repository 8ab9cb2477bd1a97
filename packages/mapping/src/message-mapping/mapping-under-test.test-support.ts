// Test helpers: compile a document without problems, which is then valid against the schema too, and run it on one body.
import { Headers } from "@sluice/engine/spi";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { readTable } from "../value-mapping/read-table.ts";
import type { ValueTable } from "../value-mapping/value-table.ts";
import type { MappingEnvironment } from "./compile/document-context.ts";
import { mappingSchema } from "./document-schema.ts";
import { compileMapping } from "./compile-mapping.ts";
import type { CompiledMapping, MappingResult } from "./run-mapping.ts";

const isMapping = new Ajv2020({ strictRequired: false, strictTypes: false, allowUnionTypes: true }).compile(mappingSchema());
const testNow = Date.parse("2026-11-14T16:02:33.120Z");

export function environmentOf(
  tables: Readonly<Record<string, unknown>> = {},
  documents: Readonly<Record<string, unknown>> = {},
): MappingEnvironment & { readonly tables: Map<string, ValueTable> } {
  const read = new Map(
    Object.entries(tables).map(([id, document]) => {
      const { table, problems } = readTable(id, document);
      expect(problems).toEqual([]);
      return [id, table as ValueTable] as const;
    }),
  );
  return { tables: read, documents: new Map(Object.entries(documents)) };
}

export function mappingOf(document: unknown, environment: MappingEnvironment = environmentOf()): CompiledMapping {
  const { mapping, problems } = compileMapping(document, environment);
  expect(problems).toEqual([]);
  expect([isMapping(document), isMapping.errors]).toEqual([true, null]);
  return mapping as CompiledMapping;
}

export interface RunOptions {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly environment?: MappingEnvironment;
}

export function runMapping(document: unknown, body: unknown, options: RunOptions = {}): Omit<MappingResult, "work"> {
  const { output, errors } = resultOf(document, body, options);
  return { output, errors };
}

/** Work steps of one message, as counted for the limit. */
export const workOf = (document: unknown, body: unknown, options: RunOptions = {}): number => resultOf(document, body, options).work;

function resultOf(document: unknown, body: unknown, { headers = {}, params = {}, environment }: RunOptions): MappingResult {
  return mappingOf(document, environment).run({ body, headers: Headers.of(headers), params, now: testNow });
}

/** A document from JSON to JSON with these rules. */
export const jsonRules = (...map: readonly unknown[]): Readonly<Record<string, unknown>> => ({ source: { format: "json" }, target: { format: "json" }, map });

/** The value of one expression on a body. */
export function evaluate(expr: string, body: unknown = {}, options: RunOptions = {}): unknown {
  const { output, errors } = runMapping(jsonRules({ to: "x", expr }), body, options);
  if (errors.length > 0) throw new Error(errors[0]?.message);
  return (output as { x?: unknown }).x;
}

export function problemsOf(document: unknown, environment: MappingEnvironment = environmentOf()): readonly string[] {
  return compileMapping(document, environment, { runTests: true }).problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
}
