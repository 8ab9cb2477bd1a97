import { describe, expect, it } from "vitest";
import { compileMapping } from "../compile-mapping.ts";
import { environmentOf, problemsOf } from "../mapping-under-test.test-support.ts";

const from = (schema: unknown, ...paths: readonly string[]): unknown => ({
  source: { format: "json", schema },
  target: { format: "json" },
  map: paths.map((path, index) => ({ to: `f${index}`, from: path })),
});

describe("a recursive schema", () => {
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const members = {
    ...Object.fromEntries(names.map((name) => [name, { $ref: "#" }])),
    list: { type: "array", items: { $ref: "#" } },
    leaf: { type: "string" },
  };
  const schema = { type: "object", required: ["p0"], properties: members };

  it("is checked at every depth", () => {
    const deep = names.join(".");
    expect(problemsOf(from(schema, `${deep}.leaf`, "list[*].p3.list[0].leaf"))).toEqual([]);
    expect(problemsOf(from(schema, `${deep}.${deep}.${deep}.leaff`, "list[*].p3.lst"))).toEqual([
      "f0: the source has no field 'leaff' (did you mean 'leaf'?)",
      "f1: the source has no field 'lst' (did you mean 'list'?)",
    ]);
  });

  it("as a target requires fields only where something is written", () => {
    const map = [{ to: "p0.p1.leaf", value: "x" }];
    const { problems, warnings } = compileMapping({ source: { format: "json" }, target: { format: "json", schema }, map }, environmentOf());
    expect([problems, warnings]).toEqual([
      [],
      ["target field 'p0.p0' is required by the schema but not mapped", "target field 'p0.p1.p0' is required by the schema but not mapped"],
    ]);
  });
});

describe("references", () => {
  it("that are circular, unresolvable or external leave the field unchecked", () => {
    const $defs = { one: { $ref: "#/$defs/two" }, two: { $ref: "#/$defs/one" } };
    const chain = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`s${index}`, { $ref: `#/$defs/s${index + 1}` }]));
    for (const reference of ["#", "#/$defs/one", "#/$defs/none", "https://example.com/schema", "#/$defs/constructor", "#/$defs/s0"])
      expect([reference, problemsOf(from({ $ref: reference, $defs: { ...$defs, ...chain } }, "any.thing"))]).toEqual([reference, []]);
  });

  it("are followed through escapes and other references", () => {
    const $defs = { "a/b~c": { $ref: "#/$defs/real" }, real: { type: "object", properties: { x: { type: "string" } } } };
    expect(problemsOf(from({ type: "object", properties: { at: { $ref: "#/$defs/a~1b~0c" } }, $defs }, "at.x", "at.y"))).toEqual([
      "f1: the source has no field 'y' (did you mean 'x'?)",
    ]);
  });
});
