import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { When } from "./flow-test-shape.ts";
import { findCounterexample } from "./generated-input.ts";
import { arbitraryOf } from "./schema-arbitrary.ts";

const generated = (schema: unknown, runs = 200): readonly When[] => [{ direct: "a", generate: { schema: schema as string, runs, seed: 7 } }];
const bodyOf = (calls: readonly When[]): unknown => calls[0]?.body;

describe("generated input", () => {
  const order = {
    type: "object",
    required: ["id", "lines"],
    properties: {
      id: { type: "string", minLength: 1 },
      lines: { type: "array", maxItems: 5, items: { $ref: "#/$defs/line" } },
      note: { enum: ["a", "b"] },
    },
    $defs: { line: { type: "object", required: ["quantity"], properties: { quantity: { type: "integer", minimum: 0, maximum: 1_000 } } } },
  };

  it("tries the requested number of inputs, all valid for the schema", async () => {
    const bodies: any[] = [];
    const failures = await findCounterexample(generated(order), async (calls) => (bodies.push(bodyOf(calls)), []), {});
    expect(failures).toEqual([]);
    expect(bodies).toHaveLength(200);
    for (const { id, lines, note } of bodies) {
      expect(id.length).toBeGreaterThan(0);
      expect(lines.every(({ quantity }: any) => Number.isInteger(quantity) && quantity >= 0 && quantity <= 1_000)).toBe(true);
      expect([undefined, "a", "b"]).toContain(note);
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBeGreaterThan(100);
  });

  it("shrinks to the smallest failing input and reports it with the seed", async () => {
    const attempt = async (calls: readonly When[]): Promise<readonly string[]> =>
      (bodyOf(calls) as number) >= 42 ? ["expected status completed, got failed"] : [];
    const [failure] = await findCounterexample(generated({ type: "integer", minimum: 0, maximum: 1_000 }), attempt, {});
    expect(failure).toMatch(/^expected status completed, got failed; with the generated body 42 \(run \d+ of 200, shrunk \d+ times, seed 7\)$/);
  });

  it("reads the schema from a file next to the tests, and reports errors in it", async () => {
    const pass = async (): Promise<readonly string[]> => [];
    const files: Record<string, string> = { "good.json": '{"type":"integer"}', "bad.json": "{" };
    const readFile = async (path: string): Promise<string> => files[path] ?? Promise.reject(new Error("no such file"));
    expect(await findCounterexample(generated("good.json", 3), pass, { readFile })).toEqual([]);
    await expect(findCounterexample(generated("bad.json"), pass, { readFile })).rejects.toThrow("the schema 'bad.json' is not valid JSON");
    await expect(findCounterexample(generated({ $ref: "other.json" }), pass, {})).rejects.toThrow("only references within the schema");
    await expect(findCounterexample(generated({ type: "decimal" }), pass, {})).rejects.toThrow("type 'decimal' is not supported");
  });

  it.each([
    ["multiples of a number", { type: "integer", multipleOf: 5, minimum: 3, maximum: 22 }, (value: any) => value % 5 === 0 && value >= 5 && value <= 20],
    ["integers between exclusive limits", { type: "integer", exclusiveMinimum: 3, exclusiveMaximum: 6 }, (value: any) => value === 4 || value === 5],
    ["integers above a large minimum", { type: "integer", minimum: 5_000_000 }, (value: any) => value >= 5_000_000],
    ["numbers between exclusive limits", { type: "number", exclusiveMinimum: 0, maximum: 1 }, (value: any) => value > 0 && value <= 1],
    ["long arrays", { type: "array", minItems: 12, items: { type: "null" } }, (value: any) => value.length >= 12],
    ["strings with a pattern and a maximum length", { type: "string", pattern: "^a+$", maxLength: 3 }, (value: any) => /^a{1,3}$/.test(value)],
    ["strings with a pattern", { type: "string", pattern: "^A-\\d{2}$" }, (value: any) => /^A-\d{2}$/.test(value)],
    ["dates", { type: "string", format: "date" }, (value: any) => /^\d{4}-\d\d-\d\d$/.test(value)],
    ["one of several schemas", { oneOf: [{ const: 1 }, { type: "null" }] }, (value: any) => value === 1 || value === null],
    ["values of several types", { type: ["boolean", "null"] }, (value: any) => value === null || typeof value === "boolean"],
    [
      "objects that match several schemas",
      {
        allOf: [
          { required: ["a"], properties: { a: { const: 1 } } },
          { required: ["b"], properties: { b: { const: 2 } } },
        ],
      },
      (value: any) => value.a === 1 && value.b === 2,
    ],
  ])("generates %s", (_, schema, holds) => {
    fc.assert(fc.property(arbitraryOf(fc, schema), holds), { seed: 1 });
  });
});
