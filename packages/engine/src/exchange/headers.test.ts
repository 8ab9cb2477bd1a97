import fc from "fast-check";
import { expect, it } from "vitest";
import { Headers, undetermined, type WireHeaders } from "./headers.ts";

const names = ["A", "a", "b", "B-c", "accept", "Accept", "x"];
const wireOf = (entries: readonly (readonly [string, string])[], find: (key: string) => unknown): WireHeaders => ({ entries: () => entries, find });

const operation = fc.oneof(
  fc.record({ kind: fc.constantFrom("set" as const, "setReceived" as const), name: fc.constantFrom(...names), value: fc.integer() }),
  fc.record({ kind: fc.constantFrom("delete" as const, "get" as const, "has" as const, "getOwn" as const), name: fc.constantFrom(...names) }),
  fc.record({ kind: fc.constantFrom("size" as const, "copy" as const, "all" as const) }),
);

it("looking up single wire headers gives the same result as copying all of them", () => {
  const wire = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.string()), { selector: ([name]) => name.toLowerCase(), maxLength: 4 });
  fc.assert(
    fc.property(wire, fc.array(operation, { maxLength: 12 }), fc.boolean(), (entries, operations, isUndetermined) => {
      const find = (key: string): unknown => (isUndetermined ? undetermined : entries.find(([name]) => name.toLowerCase() === key)?.[1]);
      let indexed = new Headers(wireOf(entries, find));
      let copied = new Headers({ entries: () => entries });
      for (const step of operations) {
        if (step.kind === "copy") [indexed, copied] = [indexed.copy(), copied.copy()];
        else expect(apply(indexed, step)).toEqual(apply(copied, step));
        const snapshot = indexed.snapshot();
        expect(snapshot).toEqual([...copied]);
        expect(indexed.snapshot()).toBe(snapshot);
      }
      expect([...indexed]).toEqual([...copied]);
      // Reading all headers loads those of the wire; only then do both sides use the spelling of the wire.
      expect([...indexed.own()]).toEqual([...copied.own()]);
    }),
    { numRuns: 800 },
  );
});

it("headers that a source provides lazily behave like headers that it sets", () => {
  const entries = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.string()), { selector: ([name]) => name.toLowerCase(), maxLength: 4 });
  fc.assert(
    fc.property(entries, entries, fc.array(operation, { maxLength: 12 }), (wire, sourceEntries, operations) => {
      const find = (key: string): unknown => sourceEntries.find(([name]) => name.toLowerCase() === key)?.[1];
      let lazy = new Headers({ entries: () => wire }, { entries: () => sourceEntries, find });
      let eager = new Headers({ entries: () => wire });
      for (const [name, value] of sourceEntries) eager.set(name, value);
      for (const step of operations) {
        if (step.kind === "copy") [lazy, eager] = [lazy.copy(), eager.copy()];
        else expect(apply(lazy, step)).toEqual(apply(eager, step));
      }
      expect([...lazy.copy()]).toEqual([...eager]);
      expect([lazy.hasOwn, [...lazy.own()], lazy.snapshot()]).toEqual([eager.hasOwn, [...eager.own()], eager.snapshot()]);
    }),
    { numRuns: 800 },
  );
});

function apply(headers: Headers, step: { kind: string; name?: string; value?: number }): unknown {
  const name = step.name ?? "";
  if (step.kind === "set") return headers.set(name, step.value);
  if (step.kind === "setReceived") return headers.setReceived(name, step.value);
  if (step.kind === "delete") return headers.delete(name);
  if (step.kind === "get") return headers.get(name);
  if (step.kind === "has") return headers.has(name);
  if (step.kind === "getOwn") return headers.getOwn(name);
  return step.kind === "size" ? headers.size : [...headers];
}

it("a header that is received later replaces one of the same name and controls no step", () => {
  const headers = new Headers({ entries: () => [["Wire", 1]], forward: true });
  headers.set("Own", 2);
  headers.setReceived("own", 3);
  headers.setReceived("WIRE", 4);
  headers.setReceived("later", 5);
  expect([headers.get("own"), headers.getOwn("Own"), [...headers.own()], [...headers.outgoing()]]).toEqual([
    3,
    undefined,
    [],
    [
      ["own", 3],
      ["WIRE", 4],
      ["later", 5],
    ],
  ]);
  const [timer, request] = [new Headers(), new Headers({ entries: () => [["authorization", "secret"]] })];
  for (const received of [timer, request]) received.setReceived("later", 5);
  expect([[...timer.outgoing()], [...request.outgoing()], request.get("later")]).toEqual([[["later", 5]], [], 5]);
});
