import { expect, test } from "vitest";
import type { CatalogView } from "@sluice/model";
import { FlowCatalog } from "../catalog/flow-catalog.ts";
import { calledSystems } from "./called-systems.ts";

const connector = (scheme: string, more: object = {}) => ({ scheme, title: scheme, aliases: [], syntax: `${scheme}:name`, path: [], options: [], ...more });
const catalog = new FlowCatalog({
  ...{ common: [], route: [], from: [], languages: [], formats: [], entities: [], beans: [] },
  steps: [{ name: "to", group: "endpoints", options: [{ name: "uri", kind: "uri", required: true }] }],
  connectors: [connector("http", { card: { title: "{host}", subtitle: "{httpMethod?} {path}" } }), connector("kafka"), connector("direct", { local: true })],
} as unknown as CatalogView);

test("lists the external endpoints of all routes and error handlers, each once", () => {
  const text = `- onException:
    exception: [java.lang.Exception]
    steps:
      - to: "kafka:failed"
- route:
    from:
      uri: direct:a
      steps:
        - to: {uri: "http://erp.example/orders", description: Send it, parameters: {httpMethod: POST}}
        - to: "http://erp.example/orders?httpMethod=POST"
        - to: direct:b
        - to: {uri: "kafka:off", disabled: true}
        - choice:
            when:
              - simple: x
                steps:
                  - to: "kafka:orders"
- route: {from: {uri: "direct:b", steps: [{to: "unknown:thing"}]}}
`;
  expect(calledSystems(text, "x", catalog)).toEqual([
    { name: "erp.example", detail: "POST /orders" },
    { name: "kafka", detail: "orders" },
    { name: "unknown:thing", detail: "" },
    { name: "kafka", detail: "failed" },
  ]);
  expect(calledSystems("- [", "x", catalog)).toBeUndefined();
});
