import { FlowError, Headers, Message } from "@sluice/engine/spi";
import { textForm } from "@sluice/engine/values";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeData, encodeData } from "./stored-data.ts";
import { KeyLocks } from "./key-locks.ts";
import { restoreMessage, storeMessage, type StoredContext } from "./stored-message.ts";

const roundTrip = (message: Message, context: StoredContext = {}) => restoreMessage(storeMessage(message, context, 1_000_000));
const errorOf = (action: () => unknown): FlowError => {
  try {
    action();
  } catch (error) {
    return error as FlowError;
  }
  throw new Error("expected an error");
};

const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.bigInt(),
    fc.date(),
    fc.uint8Array({ maxLength: 20 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("$date", "$map", "$object", "plain")), tie("value"), { maxKeys: 4 }),
    fc.array(fc.tuple(fc.string(), tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
  ),
})).value;

describe("messages on disk", () => {
  it("data is restored with its types", () => {
    fc.assert(
      fc.property(data, (value) => {
        expect(decodeData(encodeData(value, 10_000_000))).toEqual(value);
      }),
    );
  });

  it("bodies keep their type", () => {
    for (const body of [null, "", "text ü", new Uint8Array([0, 255, 7]), 42, true, { a: [1, { b: null }] }, new Map([["k", [1]]]), new Date(5)])
      expect(roundTrip(new Message(body)).message.body).toEqual(body);
    const node = { [textForm]: () => "<a/>" };
    expect(roundTrip(new Message(node)).message.body).toBe("<a/>");
  });

  it("headers keep their origin: received or set by the route", () => {
    const headers = new Headers({
      entries: () => [
        ["Host", "h"],
        ["X-Both", "wire"],
        ["$odd", "1"],
      ],
    });
    headers.set("X-Both", "own");
    headers.set("list", [1, "2"]);
    headers.set("gone", () => "no data");
    const { message } = roundTrip(new Message("x", headers));
    expect(message.headers.toObject()).toEqual({ Host: "h", $odd: "1", "X-Both": "own", list: [1, "2"] });
    expect([message.headers.getOwn("Host"), message.headers.getOwn("X-Both")]).toEqual([undefined, "own"]);
  });

  it("properties are restored, except the engine's own properties of the finished run", () => {
    const properties = new Map<string, unknown>([
      ["tenant", { id: 1 }],
      ["CamelToEndpoint", "direct://x"],
      ["CamelExceptionCaught", new Error("x")],
    ]);
    const { delivery } = roundTrip(new Message("x"), {
      properties,
      correlationId: "c",
      trigger: { uri: "webhook", method: "POST" },
      session: { id: "ts_1", skipTime: true },
    });
    expect(delivery).toEqual({
      properties: new Map([["tenant", { id: 1 }]]),
      correlationId: "c",
      trigger: { uri: "webhook", method: "POST" },
      session: { id: "ts_1", skipTime: true },
    });
  });

  it("values that cannot be stored are rejected with a reason", () => {
    class Connection {}
    expect(errorOf(() => storeMessage(new Message(new Connection()), {}, 1_000)).message).toBe(
      "the message cannot be stored on disk: it contains a Connection; convert it to text, bytes or JSON data first",
    );
    expect(errorOf(() => storeMessage(new Message("x".repeat(1_001)), {}, 1_000)).message).toBe(
      "the message cannot be stored on disk: it is larger than 1000 bytes",
    );
    expect(errorOf(() => storeMessage(new Message({ a: "x".repeat(1_001) }), {}, 1_000)).code).toBe("message-not-storable");
    expect(errorOf(() => storeMessage(new Message("x", Headers.of({ big: "x".repeat(300_000) })), {}, 1_000)).message).toContain(
      "headers and properties are larger",
    );
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(errorOf(() => storeMessage(new Message(circle), {}, 1_000_000)).message).toContain("nested deeper than 200 levels");
  });

  it("a damaged message is rejected, never restored in part", () => {
    const stored = storeMessage(new Message({ a: 1 }, Headers.of({ h: "x" })), {}, 1_000);
    expect(restoreMessage(stored).message.body).toEqual({ a: 1 });
    for (const damaged of [{ envelope: "{" }, { envelope: "null" }, { envelope: "" }, { kind: "other" as "text" }, { body: Buffer.from("{") }])
      expect(errorOf(() => restoreMessage({ ...stored, ...damaged })).code).toBe("message-damaged");
  });
});

describe("order per key", () => {
  it("releases one message per key at a time, in order, without blocking other keys", () => {
    const keys = new KeyLocks<{ readonly seq: number }>();
    keys.hold(new Map([["a", 9]]));
    expect([keys.acquire("a", { seq: 1 }), keys.acquire("b", { seq: 2 }), keys.acquire("a", { seq: 3 }), keys.acquire("a", { seq: 9 })]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect(keys.parked).toBe(2);
    expect(keys.release("a", 1)).toBeUndefined();
    expect(keys.release("a", 9)).toEqual({ seq: 1 });
    expect(keys.release("a", 1)).toEqual({ seq: 3 });
    expect(keys.release("a", 3)).toBeUndefined();
    expect(keys.acquire("a", { seq: 4 })).toBe(true);
    expect(keys.parked).toBe(0);
  });
});
