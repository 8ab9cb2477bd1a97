import fc from "fast-check";
import { expect, test } from "vitest";
import { slug } from "./slug.ts";

test.each([
  ["Łódź to Köln", "lodz-to-koln"],
  ["AT&T to Straße", "at-and-t-to-strasse"],
  ["Shopify → SAP", "shopify-to-sap"],
  ["A->B=>C", "a-to-b-to-c"],
  ["  Ærø / Smørrebrød  ", "aero-smorrebrod"],
  ["../../etc/passwd", "etc-passwd"],
  ["<b>bold</b>", "b-bold-b"],
])("%s becomes %s", (name, id) => expect(slug(name)).toBe(id));

test("a name without letters gets a unique id", () => {
  expect(slug("🚀")).toMatch(/^flow-[0-9a-f]{8}$/);
  expect(slug("🚀")).not.toBe(slug("🎉"));
});

test("an id that is taken gets a number", () => {
  expect(slug("Orders", (id) => id === "orders")).toBe("orders-2");
  expect(slug("Orders", (id) => ["orders", "orders-2"].includes(id))).toBe("orders-3");
});

test("any name results in a valid id of at most 63 characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 0, max: 12 }), (name, clashes) => {
      let checks = 0;
      const id = slug(name, () => checks++ < clashes);
      expect(id).toMatch(/^[a-z0-9][a-z0-9-]{0,62}$/);
      expect(id.endsWith("-")).toBe(false);
    }),
  );
});
