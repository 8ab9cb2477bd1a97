import { expect, it } from "vitest";
import { hash, hashNames } from "../../../standard/src/languages/simple/functions/hash.ts";
import { digest } from "./digest.ts";

it.each(hashNames)("Node and the implementation for browsers agree on %s", (name) => {
  const bytes = new TextEncoder().encode("order 4711, 3 pieces");
  expect(digest(name, bytes), `Node has no ${name}`).toBeDefined();
  expect(hash(name, bytes, { digest })).toBe(hash(name, bytes, {}));
});
