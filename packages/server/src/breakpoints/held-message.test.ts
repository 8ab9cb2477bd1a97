import { Message } from "@sluice/engine/spi";
import { describe, expect, it } from "vitest";
import { createSecretValues } from "../masking/secret-values.ts";
import { changeMessage, maskMessage, type MessageChange } from "./held-message.ts";

function held(body: unknown, headers: Readonly<Record<string, unknown>>) {
  const message = new Message(body);
  for (const [name, value] of Object.entries(headers)) message.headers.set(name, value);
  const returned = maskMessage(message, createSecretValues());
  return { message, returned, change: (change: MessageChange) => changeMessage(message, returned, change) };
}

describe("a changed message", () => {
  it("keeps the secret headers that a client sends back, whatever the case of their names", () => {
    const { message, returned, change } = held("x", { Authorization: "Bearer real", "X-Id": "1" });
    expect(returned.headers).toEqual({ Authorization: "***", "X-Id": "1" });
    expect(change({ headers: { authorization: "***", "x-id": "2" } })).toEqual(["header 'x-id'"]);
    expect([message.headers.get("Authorization"), message.headers.get("X-Id")]).toEqual(["Bearer real", "2"]);
    expect(change({ headers: { AUTHORIZATION: "Bearer other" } })).toEqual(["header 'AUTHORIZATION'"]);
    expect(message.headers.get("authorization")).toBe("Bearer other");
  });

  it("rejects a header with a masked value, and stays unchanged", () => {
    const { message, change } = held({ a: 1 }, { Authorization: "Bearer real", "X-Id": "1" });
    for (const headers of [{ Authorization: "Bearer ***" }, { "X-Copy": "***" }, { "X-List": ["***"] }])
      expect(() => change({ body: { a: 2 }, headers: { "X-Id": "2", ...headers } })).toThrow(
        expect.objectContaining({ code: "body-invalid", message: expect.stringContaining("contains masked values ('***')") }),
      );
    expect([message.body, message.headers.get("X-Id"), message.headers.get("Authorization")]).toEqual([{ a: 1 }, "1", "Bearer real"]);
  });

  it("rejects a masked value at a new position in its body", () => {
    const { message, change } = held({ password: "real", note: "a *** b", list: [{ token: "t" }] }, {});
    expect(change({ body: { password: "***", note: "a *** b", list: [{ token: "***" }], n: 1 } })).toEqual(["body"]);
    expect(message.body).toEqual({ password: "real", note: "a *** b", list: [{ token: "t" }], n: 1 });
    for (const body of [{ copy: "***" }, { password: "***!" }, { list: [{ token: "***" }, { token: "***" }] }])
      expect(() => change({ body })).toThrow(expect.objectContaining({ code: "body-invalid" }));
  });
});
