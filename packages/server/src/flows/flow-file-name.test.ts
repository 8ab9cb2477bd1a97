import fc from "fast-check";
import { expect, it } from "vitest";
import { fileNameOf, fileNamesOf, flowIdOfFile } from "./flow-file-name.ts";
import { isFlowId } from "./flow-id.ts";
import { flowIds } from "./flow-ids.test-support.ts";

it("A4: every id maps to a unique file name and back, even on case-insensitive file systems", () => {
  fc.assert(
    fc.property(flowIds, flowIds, (one, other) => {
      expect(isFlowId(one)).toBe(true);
      expect([one, flowIdOfFile(fileNameOf(one)), fileNamesOf(one)[0]]).toEqual([one, one, fileNameOf(one)]);
      for (const name of fileNamesOf(one)) expect(flowIdOfFile(name)).toBe(one);
      if (one.toLowerCase() === other.toLowerCase()) return;
      const taken = new Set(fileNamesOf(one).map((name) => name.toLowerCase()));
      expect(fileNamesOf(other).filter((name) => taken.has(name.toLowerCase()))).toEqual([]);
      expect(fileNameOf(one).toLowerCase()).not.toBe(fileNameOf(other).toLowerCase());
    }),
    { numRuns: 2_000 },
  );
});

it("reads the file names of people and Camel tools", () => {
  expect(["orders.yaml", "orders.yml", "orders.camel.yaml", "orders.camel.yml", "a.camel.camel.yaml", ".hidden.yaml", "orders.json"].map(flowIdOfFile)).toEqual(
    ["orders", "orders", "orders", "orders.camel", "a.camel", undefined, undefined],
  );
});
