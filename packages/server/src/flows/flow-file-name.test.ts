import fc from "fast-check";
import { expect, it } from "vitest";
import { fileNameOf, fileNamesOf, flowIdOfFile } from "./flow-file-name.ts";
import { isFlowId } from "./flow-id.ts";
import { flowIds } from "./flow-ids.test-support.ts";

it("every id maps to a unique file name and back, even on case-insensitive file systems", () => {
  fc.assert(
    fc.property(flowIds, flowIds, (id, other) => {
      expect(isFlowId(id)).toBe(true);
      expect([id, flowIdOfFile(fileNameOf(id)), fileNamesOf(id)[0]]).toEqual([id, id, fileNameOf(id)]);
      for (const name of fileNamesOf(id)) expect(flowIdOfFile(name)).toBe(id);
      if (id.toLowerCase() === other.toLowerCase()) return;
      const names = new Set(fileNamesOf(id).map((name) => name.toLowerCase()));
      expect(fileNamesOf(other).filter((name) => names.has(name.toLowerCase()))).toEqual([]);
      expect(fileNameOf(id).toLowerCase()).not.toBe(fileNameOf(other).toLowerCase());
    }),
    { numRuns: 2_000 },
  );
});

it("recognizes hand-written and Camel-generated file names", () => {
  expect(["orders.yaml", "orders.yml", "orders.camel.yaml", "orders.camel.yml", "a.camel.camel.yaml", ".hidden.yaml", "orders.json"].map(flowIdOfFile)).toEqual(
    ["orders", "orders", "orders", "orders.camel", "a.camel", undefined, undefined],
  );
});
