import { hash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { digestAfter, digestText, stateAfter, type Digest } from "./sha-256.ts";

const hexOf = (digest: Digest): string => [...digest].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
const bytesAsText = (most: number) => fc.uint8Array({ minLength: most === 32 ? 32 : 0, maxLength: most }).map((bytes) => Buffer.from(bytes).toString("latin1"));

it("is the platform's SHA-256 for every text of bytes that fits", () => {
  const digest = new Int32Array(8);
  for (let length = 0; length <= 55; length++) {
    const text = "x".repeat(length);
    expect(digestText(text, 0x7f, digest)).toBe(true);
    expect(hexOf(digest)).toBe(hash("sha256", text, "hex"));
  }
  fc.assert(
    fc.property(bytesAsText(55), (text) => {
      expect(digestText(text, 0xff, digest)).toBe(true);
      expect(hexOf(digest)).toBe(hash("sha256", Buffer.from(text, "latin1"), "hex"));
    }),
    { numRuns: 500 },
  );
});

it("leaves what does not fit to the platform", () => {
  const digest = new Int32Array(8);
  expect(digestText("x".repeat(56), 0xff, digest)).toBe(false);
  expect(digestText("schl\u00fcssel", 0x7f, digest)).toBe(false);
  expect(digestText("schl\u0161ssel", 0xff, digest)).toBe(false);
  expect([...digest]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

it("goes on after a block that was hashed before", () => {
  const digest = new Int32Array(8);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), bytesAsText(32), (block, text) => {
      digestAfter(stateAfter(block), text, digest);
      expect(hexOf(digest)).toBe(hash("sha256", Buffer.concat([block, Buffer.from(text, "latin1")]), "hex"));
    }),
  );
});
