import { expect, it } from "vitest";
import { UsageError } from "./declaration.ts";
import { assertKind, type ValueKind } from "./value-kinds.ts";

const valid: Readonly<Record<ValueKind, readonly string[]>> = {
  id: ["orders", "a.b_c-d", "A1"],
  run: ["run_01JCN0000000000000000000AA"],
  "run or last": ["run_01JCN0000000000000000000AA", "last"],
  "dead letter": ["01JCN0000000000000000000AA"],
  replay: ["replay_01JCN"],
  kamelet: ["some-action", "a.b"],
  revision: ["1", "12"],
  cursor: ["newest", "1763548800000-run_01JCN"],
  event: ["01JCN.17", "a.b.0"],
  profile: ["dev", "prod-eu", "v1.2"],
  assignment: ["a=", "X-Name=a=b"],
  parameter: ["a=", "erp.url=http://x:80/{y}", "with space=1", "a_b-c=1\n2", "x=:"],
};

const malformed: Readonly<Record<ValueKind, readonly string[]>> = {
  id: ["a b", "../x", "a..b", "nul", "-a"],
  run: ["last", "a b", "orders"],
  "run or last": ["newest", "run_"],
  "dead letter": ["a b", "../x"],
  replay: ["a b", "a/b"],
  kamelet: ["../x", "-a"],
  revision: ["0", "first", "1.5", "-1"],
  cursor: ["klingon", "1-2"],
  event: ["klingon", "a.b", ".1x"],
  profile: ["../x", "a/b", ".x", "a b"],
  assignment: ["a", "=1"],
  parameter: ["a", "=1", "{{a}}=1", "a:b=1", " a=1", "a =1", "?a=1"],
};

it.each(Object.entries(valid).flatMap(([kind, values]) => values.map((value) => [kind as ValueKind, value] as const)))("%s accepts %j", (kind, value) =>
  assertKind("--x", kind, value),
);

it.each(Object.entries(malformed).flatMap(([kind, values]) => values.map((value) => [kind as ValueKind, value] as const)))("%s rejects %j", (kind, value) => {
  expect(() => assertKind("--x", kind, value)).toThrow(UsageError);
  expect(() => assertKind("--x", kind, value)).toThrow(/^--x must be .*, not '/);
});

it("a rejected value is printed without control characters", () => {
  expect(() => assertKind("argument 'flow'", "id", "a\nb\u001B")).toThrow(
    "argument 'flow' must be an id of letters, digits, '.', '_' and '-', not 'a\uFFFDb\uFFFD'",
  );
});
