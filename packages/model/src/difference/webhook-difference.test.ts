import { expect, test } from "vitest";
import { webhookDifference, type WebhookOperation } from "./webhook-difference.ts";

const operation = (name: string, more: Partial<WebhookOperation> = {}): WebhookOperation => {
  const [method = "", path = ""] = name.split(" ");
  return { method, path, required: [], allowed: {}, consumes: [], ...more };
};
const compared = (before: readonly WebhookOperation[], after: readonly WebhookOperation[]) => webhookDifference(before, after);

test("the contract is kept by more operations, other parameter names, all methods and prefixes", () => {
  const before = [operation("GET /orders/{id}")];
  expect(compared(before, [operation("GET /orders/{key}"), operation("POST /orders")])).toEqual({
    kept: true,
    added: ["POST /orders"],
    removed: [],
    stricter: [],
  });
  expect(compared(before, [operation("* /orders/*")])).toEqual({ kept: true, added: ["* /orders/*"], removed: [], stricter: [] });
});

test("it is broken by a removed path or method", () => {
  expect(compared([operation("POST /orders")], [operation("POST /order")])).toMatchObject({ kept: false, added: ["POST /order"], removed: ["POST /orders"] });
  expect(compared([operation("* /orders")], [operation("POST /orders")])).toMatchObject({ kept: false, added: [], removed: ["* /orders"] });
  expect(compared([operation("GET /orders/*")], [operation("GET /orders")])).toMatchObject({ kept: false, removed: ["GET /orders/*"] });
});

test("it is broken by a new required parameter, fewer allowed values and fewer content types", () => {
  const before = operation("GET /orders", { required: ["limit"], allowed: { sort: ["asc", "desc"] } });
  const after = operation("GET /orders", { required: ["limit", "page"], allowed: { sort: ["asc"] }, consumes: ["application/json"] });
  expect(compared([before], [after])).toEqual({
    kept: false,
    added: [],
    removed: [],
    stricter: [{ operation: "GET /orders", required: ["page"], restricted: ["sort"], contentTypes: ["*"] }],
  });
  expect(compared([after], [before]).kept).toBe(true);
});
