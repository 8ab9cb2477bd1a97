import { expect, test } from "vitest";
import { connectorCatalog } from "../catalog/connectors.test-support.ts";
import { openFlow } from "../document/open-flow.ts";
import { writeIds } from "./write-ids.ts";

const text = `# orders
- route:
    id: orders
    from:
      uri: webhook
      steps:
        - to: {id: known, uri: "http://erp.invalid/a"}   # first
        - to:
            uri: http://erp.invalid/orders?x=1 # second
        - setBody:
            constant: ok
        - setBody:
            description: Reply to caller
            constant: ok
`;

const inOrders = (stepId: string) => ({ routeId: "orders", stepId });
const written = (...stepIds: readonly string[]) => {
  const result = writeIds(openFlow("orders", text, undefined), stepIds.map(inOrders), connectorCatalog);
  return { ids: Object.fromEntries(result?.ids ?? []), text: result?.edit.ok === true ? result.edit.source : undefined };
};

test("steps without an id get a descriptive one; all other lines are unchanged", () => {
  const { ids, text: after } = written("known", "to1", "setBody2");
  expect(ids).toEqual({ "orders/to1": "http-orders", "orders/setBody2": "reply-to-caller" });
  const added = after?.split("\n").filter((line) => !text.split("\n").includes(line));
  expect(added?.map((line) => line.trim())).toEqual(["id: http-orders", "id: reply-to-caller"]);
  expect(
    after
      ?.split("\n")
      .filter((line) => !/id: (http-orders|reply-to-caller)/.test(line))
      .join("\n"),
  ).toBe(text);
});

test("nothing is written for steps that have an id or do not exist", () => {
  expect(writeIds(openFlow("orders", text, undefined), ["known", "elsewhere"].map(inOrders), connectorCatalog)).toBeUndefined();
});

test("the id is written to the step of the given route: generated ids repeat in every route", () => {
  const second = "- route: {id: other, from: {uri: direct:other, steps: [{setBody: {constant: x}}]}}\n";
  const flow = openFlow("orders", text + second, undefined);
  const result = writeIds(flow, [{ routeId: "other", stepId: "setBody1" }], connectorCatalog);
  expect(result?.ids.get("other/setBody1")).toBe("set-body");
  expect(result?.edit.ok === true && result.edit.source.startsWith(text)).toBe(true);
});
