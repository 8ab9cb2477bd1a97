// Long documents are parsed in pieces: the result must equal that of JSON.parse on the whole text.
import { describe, expect, it } from "vitest";
import { parseJsonTextIncrementally, parsePlainJsonIncrementally } from "./json-text.ts";

function runCounted(steps: Generator<undefined, unknown>): { readonly value: unknown; readonly steps: number } {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done === true) return { value: step.value, steps: count };
  }
}

const repeat = (unit: string, count: number): string => Array.from({ length: count }, () => unit).join(",");
const long = repeat('{"id":1,"tags":["a","b,]}"],"n":-1.5e3}', 8_000);

/** Deterministic, so that a failure can be reproduced. */
function randomJson(seed: number): string {
  let state = seed;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  const blank = (): string => ["", " ", "\n\t ", ""][next(4)] as string;
  const value = (depth: number): string => {
    const kind = next(depth > 6 ? 4 : 8);
    if (kind === 0) return String(next(100_000));
    if (kind === 1) return JSON.stringify('x\\",{}[]'.repeat(next(20)));
    if (kind === 2) return ["true", "false", "null"][next(3)] as string;
    if (kind === 3) return JSON.stringify("a".repeat(next(60) === 0 ? 70_000 : 10));
    const count = next(depth < 3 ? 20 : 4);
    const members = Array.from({ length: count }, () => {
      const name = JSON.stringify(["a", "b", `k${next(30)}`, String(next(30)), "__proto__", 'q"\\'][next(6)]);
      return kind < 6 ? `${blank()}${value(depth + 1)}${blank()}` : `${blank()}${name}${blank()}:${blank()}${value(depth + 1)}${blank()}`;
    });
    return kind < 6 ? `[${members.join(",")}]` : `{${members.join(",")}}`;
  };
  return `[${Array.from({ length: 40 }, () => value(0)).join(",")},${repeat("0", 200_000)}]`;
}

describe("JSON in pieces", () => {
  it.each<[string, string]>([
    ["a list", `[${long}]`],
    ["whitespace everywhere", ` [ ${long.replaceAll("},{", " } ,\n{ ")} ] `],
    ["a long list in an object between others", `{"a":1,"list":[${long}],"b":{"c":[${long}],"d":2},"e":[]}`],
    ["a long list at the end of a list", `[1,[${long}]]`],
    ["nested long lists", `[[[[${long}],1],2],3]`],
    ["a long string", `{"a":"${"x".repeat(400_000)}","b":[1,"${"y".repeat(100_000)}",2]}`],
    ["duplicate names", `{"a":[${long}],"b":1,"a":{"x":[${long}]},"b":2,"__proto__":[${long}]}`],
    ["names that are numbers", `{"9":[${long}],"1":2,"5":[${long}]}`],
    ["a name with escapes", `{"a\\"\\\\b":[${long}]}`],
  ])("gives the result of JSON.parse for %s", (_, text) => {
    const { value, steps } = runCounted(parsePlainJsonIncrementally(text));
    expect(steps).toBeGreaterThan(3);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it("gives the result of JSON.parse for random documents", () => {
    for (let seed = 1; seed <= 2; seed++) {
      const text = randomJson(seed);
      expect(JSON.stringify(runCounted(parsePlainJsonIncrementally(text)).value), `seed ${seed}`).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  it("keeps integers that a double cannot represent", () => {
    const { value } = runCounted(parseJsonTextIncrementally(`[${repeat("12345678901234567890,1,-98765432109876543210", 20_000)}]`));
    expect((value as unknown[]).slice(-3)).toEqual([12345678901234567890n, 1, -98765432109876543210n]);
    expect((value as unknown[]).filter((number) => typeof number === "bigint")).toHaveLength(40_000);
  });

  it("reports the position of an error in the whole text", () => {
    const text = `[${long},"\\q"]`;
    expect(() => runCounted(parsePlainJsonIncrementally(text))).toThrow(`position ${text.length - 3}`);
    expect(() => runCounted(parsePlainJsonIncrementally(`[${long},]`))).toThrow(SyntaxError);
    expect(() => runCounted(parsePlainJsonIncrementally(`[${long}`))).toThrow(/end in JSON/);
  });
});
