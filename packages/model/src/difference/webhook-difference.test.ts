import { expect, test } from "vitest";
import { webhookDifference, type WebhookOperation } from "./webhook-difference.ts";

const operation = (name: string, more: Partial<WebhookOperation> = {}): WebhookOperation => {
  const [method = "", path = ""] = name.split(" ");
  return { method, path, required: [], allowed: {}, consumes: [], ...more };
};
const compare = (before: readonly WebhookOperation[], after: readonly WebhookOperation[]) => webhookDifference(before, after);

test("the contract stays compatible with additional operations, renamed path parameters, all methods and prefixes", () => {
  const before = [operation("GET /orders/{id}")];
  expect(compare(before, [operation("GET /orders/{key}"), operation("POST /orders")])).toEqual({
    kept: true,
    added: ["POST /orders"],
    removed: [],
    stricter: [],
  });
  expect(compare(before, [operation("* /orders/*")])).toEqual({ kept: true, added: ["* /orders/*"], removed: [], stricter: [] });
});

test("the contract is broken by a removed path or method", () => {
  expect(compare([operation("POST /orders")], [operation("POST /order")])).toMatchObject({ kept: false, added: ["POST /order"], removed: ["POST /orders"] });
  expect(compare([operation("* /orders")], [operation("POST /orders")])).toMatchObject({ kept: false, added: [], removed: ["* /orders"] });
  expect(compare([operation("GET /orders/*")], [operation("GET /orders")])).toMatchObject({ kept: false, removed: ["GET /orders/*"] });
});

test("the contract is broken by a new required parameter, fewer allowed values and fewer content types", () => {
  const before = operation("GET /orders", { required: ["limit"], allowed: { sort: ["asc", "desc"] } });
  const after = operation("GET /orders", { required: ["limit", "page"], allowed: { sort: ["asc"] }, consumes: ["application/json"] });
  expect(compare([before], [after])).toEqual({
    kept: false,
    added: [],
    removed: [],
    stricter: [{ operation: "GET /orders", required: ["page"], restricted: ["sort"], contentTypes: ["*"] }],
  });
  expect(compare([after], [before]).kept).toBe(true);
});
