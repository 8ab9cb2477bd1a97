import { deflateSync, gunzipSync, gzipSync, inflateSync } from "node:zlib";
import { exchangeOf, optionsOf, SteppingClock } from "@sluice/testkit";
import { describe, expect, test } from "vitest";
import { gzipDeflater } from "./gzip-deflater.ts";
import { inflate } from "./inflate.ts";
import { zipDeflater } from "./zip-deflater.ts";

const text = "hello ".repeat(1000);
const bytes = new TextEncoder().encode(text);
const plain = (body: unknown): string => new TextDecoder().decode(body as Uint8Array);

describe.each([
  ["gzipDeflater", gzipDeflater, gzipSync, gunzipSync],
  ["zipDeflater", zipDeflater, deflateSync, inflateSync],
] as const)("%s", (_name, declaration, pack, unpack) => {
  const format = declaration.create(optionsOf(declaration as never));

  test("output can be read by zlib, and zlib's output can be read", () => {
    expect(plain(unpack(format.marshal(text, exchangeOf()) as Uint8Array))).toBe(text);
    expect(plain(format.unmarshal(new Uint8Array(pack(bytes)), exchangeOf()))).toBe(text);
    expect((format.marshal(text, exchangeOf()) as Uint8Array).length).toBeLessThan(200);
  });

  test("a large body is converted in slices", async () => {
    const clock = new SteppingClock(20);
    const sliced = declaration.create(optionsOf(declaration as never), clock);
    const large = Array.from({ length: 40_000 }, (_, index) => String((index * 7919) % 10_007)).join();
    const packed = await sliced.marshal(large, exchangeOf());
    expect(plain(unpack(packed as Uint8Array))).toBe(large);
    expect(clock.yields).toBe(3);
    expect(plain(await sliced.unmarshal(packed, exchangeOf()))).toBe(large);
    expect(clock.yields).toBeGreaterThan(6);
  });

  test("equal bodies produce equal bytes", () => {
    expect(format.marshal(text, exchangeOf())).toEqual(format.marshal(text, exchangeOf()));
  });

  test("damaged and truncated data is rejected", () => {
    const packed = new Uint8Array(pack(bytes));
    expect(() => format.unmarshal(packed.subarray(0, packed.length - 12), exchangeOf())).toThrowError(
      expect.objectContaining({ details: { clientFault: true } }),
    );
    expect(() => format.unmarshal("not packed at all", exchangeOf())).toThrowError(expect.objectContaining({ details: { clientFault: true } }));
    expect(() => format.unmarshal("", exchangeOf())).toThrowError(expect.objectContaining({ details: { clientFault: true } }));
  });
});

test("a decompression bomb is stopped at the limit", () => {
  const bomb = new Uint8Array(gzipSync(new Uint8Array(8 * 1024 * 1024)));
  expect(bomb.length).toBeLessThan(20_000);
  expect(() => inflate(bomb, { encoding: "gzip", format: "gzip", limit: 1024 * 1024, clock: undefined })).toThrowError(
    expect.objectContaining({ code: "limit-payload" }),
  );
});

test("a stream is read completely and then compressed", async () => {
  const stream = (async function* () {
    yield "hello ";
    yield new TextEncoder().encode("world");
  })();
  expect(plain(gunzipSync((await gzipDeflater.create(optionsOf(gzipDeflater)).marshal(stream, exchangeOf())) as Uint8Array))).toBe("hello world");
});
