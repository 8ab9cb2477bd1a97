import { expect, it } from "vitest";
import { z } from "zod";
import { policyDocumentSchema } from "../access/policy-schema.ts";
import { policyShape } from "./policy-shape.ts";

/** Every member that a JSON Schema names, at any depth. */
function memberNames(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { readonly properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(memberNames), ...Object.values(properties).flatMap(memberNames)];
}

it("the reply of GET names the members that a policy may have", () => {
  const shown = new Set(memberNames(z.toJSONSchema(policyShape())));
  const declared = new Set(memberNames(policyDocumentSchema()));
  // The hash is the ETag of the reply.
  declared.delete("hash");
  expect([...shown].toSorted()).toEqual([...declared].toSorted());
});
