import { describe, expect, it } from "vitest";
import { createRecordCipher } from "./record-cipher.ts";

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const bytes = Buffer.from('{"password":"s3cret"}');
const text = (value: Uint8Array): string => Buffer.from(value).toString("utf8");

describe("record encryption", () => {
  const cipher = createRecordCipher(keyOf(1), undefined);

  it("encrypts the content, differently each time, and decrypts it", () => {
    const [first, second] = [cipher.encrypt("connection/db", bytes), cipher.encrypt("connection/db", bytes)];
    expect(text(first)).not.toContain("s3cret");
    expect(Buffer.compare(first, second)).not.toBe(0);
    expect(text(cipher.decrypt("connection/db", first))).toBe(text(bytes));
  });

  it("rejects changed content and the content of another record", () => {
    const stored = Buffer.from(cipher.encrypt("connection/db", bytes));
    expect(() => cipher.decrypt("connection/other", stored)).toThrow("the record was changed in the store");
    for (let position = 13; position < stored.length; position++) {
      const changed = Buffer.from(stored);
      changed[position]! ^= 1;
      expect(() => cipher.decrypt("connection/db", changed), `byte ${position}`).toThrow("the record was changed in the store");
    }
    expect(() => cipher.decrypt("connection/db", stored.subarray(0, 20))).toThrow();
  });

  it("reads unencrypted records, and records encrypted with an old key", () => {
    expect(cipher.decrypt("flow/a", bytes)).toBe(bytes);
    const rotated = createRecordCipher(keyOf(2), ` ${keyOf(3)}, ${keyOf(1)}`);
    expect(text(rotated.decrypt("flow/a", cipher.encrypt("flow/a", bytes)))).toBe(text(bytes));
    expect(() => cipher.decrypt("flow/a", rotated.encrypt("flow/a", bytes))).toThrow("encrypted with another key");
  });

  it("accepts unencrypted messages of other nodes only if no key is set", () => {
    expect(() => cipher.decryptMessage("request/call", bytes)).toThrow("the message is not encrypted: set SERVICE_CLUSTER_KEY");
    expect(text(cipher.decryptMessage("request/call", cipher.encrypt("request/call", bytes)))).toBe(text(bytes));
    expect(createRecordCipher(undefined, keyOf(1)).decryptMessage("request/call", bytes)).toBe(bytes);
  });

  it("encrypts nothing without a key, and its error names the missing setting", () => {
    const none = createRecordCipher(undefined, undefined);
    expect([none.encrypts, none.encrypt("flow/a", bytes)]).toEqual([false, bytes]);
    expect(() => none.decrypt("flow/a", cipher.encrypt("flow/a", bytes))).toThrow("set SERVICE_CLUSTER_KEY");
  });

  it.each([["short"], [Buffer.alloc(31).toString("base64")], [""]])("rejects the key '%s'", (key) => {
    expect(() => createRecordCipher(key, undefined)).toThrow("SERVICE_CLUSTER_KEY: expected 32 bytes in base64; create a key with: openssl rand -base64 32");
  });
});
