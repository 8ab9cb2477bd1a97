import { expect, it } from "vitest";
import { checkAssertion, type Observed } from "./check-assertion.ts";
import type { Then } from "./flow-test-shape.ts";

const observed = (body: unknown): Observed => ({
  status: "completed",
  replyStatus: 200,
  body,
  headers: {},
  error: undefined,
  visited: new Set(),
  logged: [],
});

it.each([
  ["pong", "pongs", 'expected the reply "pong", got "pongs"'],
  [1, "2", 'expected the reply 1, got "2"'],
  [[1, 2], "[1,2,3]", 'expected the reply [1,2], got "[1,2,3]"'],
  [{ a: 1 }, "hello", 'expected a reply that contains {"a":1}, got "hello"'],
  [[{ a: 1 }], "[]", 'expected a reply that contains [{"a":1}], with lists of the same length, got "[]"'],
  [[{ a: 1 }], [{ a: 1 }, { b: 2 }], 'expected a reply that contains [{"a":1}], with lists of the same length, got [{"a":1},{"b":2}]'],
  [{ items: [1] }, { items: [1, 2] }, 'expected a reply that contains {"items":[1]}, with lists of the same length, got {"items":[1,2]}'],
  [{ a: 1 }, '{"a":1,"b":2}', undefined],
  [[{ a: 1 }], '[{"a":1,"b":2}]', undefined],
  ["pong", "pong", undefined],
])("the expected body %j and the reply %j: %s", (body, reply, mismatch) => {
  expect(checkAssertion({ reply: { body } }, observed(reply))).toBe(mismatch);
});

it("a reply without an expected header is a mismatch; names of headers ignore case", () => {
  const withHeader = (headers: Record<string, unknown>) => checkAssertion({ reply: { headers: { "X-Count": 2 } } }, { ...observed("pong"), headers });
  expect(withHeader({})).toBe("expected the reply header X-Count to be 2, got nothing");
  expect(withHeader({ "x-count": "3" })).toBe('expected the reply header X-Count to be 2, got "3"');
  expect(withHeader({ "x-count": "2" })).toBeUndefined();
});

it.each<[Then, string]>([
  [{ error: { contains: "full" } }, "expected a failure whose message contains 'full', got 'closed'"],
  [{ error: { type: "Timeout" } }, "expected a failure of type Timeout, got io.Closed"],
  [{ error: { stepId: "send" } }, "expected step send to fail, got save"],
  [{ logged: { contains: "paid" } }, `expected a log line that contains 'paid', got ["INFO sent"]`],
  [{ logged: { contains: "sent", level: "warn" } }, `expected a log line of level WARN that contains 'sent', got ["INFO sent"]`],
  [{ status: "completed" }, "expected status completed, got failed (closed)"],
])("a mismatch of %j says what was expected and what was there", (then, mismatch) => {
  const failed = {
    ...observed(""),
    status: "failed",
    error: { type: "io.Closed", message: "closed", stepId: "save" },
    logged: [{ level: "INFO", message: "sent" }],
  };
  expect(checkAssertion(then, failed as unknown as Observed)).toBe(mismatch);
});
