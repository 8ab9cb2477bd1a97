import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outlineOf, readTree } from "@sluice/model";
import { templates } from "./templates.ts";

describe("templates", () => {
  test.each(templates.flatMap((template) => (template.text === undefined ? [] : [[template.title, template.text] as const])))(
    "%s preserves any name and category",
    (_title, text) => {
      fc.assert(
        fc.property(
          fc.oneof(
            fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
            fc.constantFrom("yes", "null", "a: b", "# x", "'", '"', "{{x}}", "- a", "a #b", "*a", "&a", "%", "@x", "1e3"),
          ),
          (name) => {
            const { tree } = readTree(text({ id: "some-flow", name, category: name }));
            const route = tree === undefined ? undefined : outlineOf(tree, "x").routes[0];
            expect(route).toMatchObject({ id: "some-flow", description: name, group: name });
            expect(route?.steps.length).toBeGreaterThan(0);
          },
        ),
      );
    },
  );

  test("the webhook template logs the body and replies ok", () => {
    expect(templates[0]?.text?.({ id: "shopify-to-sap", name: "Shopify to SAP", category: "data-sync" })).toBe(`- route:
    id: shopify-to-sap
    description: Shopify to SAP
    group: data-sync
    from:
      uri: platform-http:/api/shopify-to-sap
      steps:
        - log:
            id: log-body
            message: "\${body}"
        - setBody:
            id: reply
            constant: ok
`);
  });
});
