import { Message } from "@sluice/engine/spi";
import { exchangeOf, optionsOf, SteppingClock } from "@sluice/testkit";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { tarFile } from "./tar-file/tar-file.ts";
import { zipFile } from "./zip-file/zip-file.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (body: unknown): string => new TextDecoder().decode(body as Uint8Array);

describe.each([
  ["zip", zipFile],
  ["tar", tarFile],
] as const)("%sFile", (kind, declaration) => {
  const format = (options: Record<string, string> = {}) => declaration.create(optionsOf(declaration, options));

  test("a body is packed as one entry named after the file name header, and unpacked", () => {
    const exchange = exchangeOf("hello", { CamelFileName: "in/report.txt" });
    const packed = format().marshal("hello", exchange) as Uint8Array;
    expect(exchange.message.headers.get("CamelFileName")).toBe(`report.txt.${kind}`);
    const back = exchangeOf(packed);
    expect(text(format().unmarshal(packed, back))).toBe("hello");
    expect(back.message.headers.get(`${kind}FileName`)).toBe("report.txt");
    expect(back.message.headers.get("CamelFileName")).toBe("report.txt");
  });

  test("a large body is packed and unpacked", async () => {
    const large = Array.from({ length: 100_000 }, (_, index) => String((index * 7919) % 10_007)).join();
    const packed = await format().marshal(large, exchangeOf(large, { CamelFileName: "a.txt" }));
    expect(text(await format().unmarshal(packed, exchangeOf()))).toBe(large);
  });

  test("folders of the name are kept on request, and the message id is the fallback name", () => {
    const withFolders = exchangeOf("x", { CamelFileName: "/in/a.txt" });
    format({ preservePathElements: "true" }).marshal("x", withFolders);
    expect(withFolders.message.headers.get("CamelFileName")).toBe(`in/a.txt.${kind}`);
    const nameless = exchangeOf("x");
    format().marshal("x", nameless);
    expect(nameless.message.headers.get("CamelFileName")).toBe(`${nameless.id}.${kind}`);
  });

  test("an empty body is packed and unpacked", () => {
    expect(format().unmarshal(format().marshal("", exchangeOf()), exchangeOf())).toEqual(new Uint8Array());
  });

  test("an invalid archive is rejected", () => {
    expect(() => format().unmarshal("x".repeat(2000), exchangeOf())).toThrowError(expect.objectContaining({ code: `invalid-${kind}` }));
  });
});

describe("several entries", () => {
  const packed = zipSync({ "a.txt": bytes("A"), dir: { "b.txt": [bytes("B".repeat(5000)), { level: 9 }] }, "../evil.txt": bytes("E") });

  test("need usingIterator", () => {
    expect(() => zipFile.create(optionsOf(zipFile)).unmarshal(packed, exchangeOf())).toThrowError(/has 3 entries: set usingIterator/);
  });

  test("are messages with the name of their entry, which is never used as a path", () => {
    const parts = zipFile.create(optionsOf(zipFile, { usingIterator: "true" })).unmarshal(packed, exchangeOf()) as readonly Message[];
    expect(parts.map((part) => [part.headers.get("zipFileName"), text(part.body).length])).toEqual([
      ["a.txt", 1],
      ["dir/b.txt", 5000],
      ["../evil.txt", 1],
    ]);
    expect(parts[0]).toBeInstanceOf(Message);
  });

  test("are read in slices, with one large entry or many small ones", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${index}.txt`, bytes(`entry ${index}`)]));
    const large = Array.from({ length: 40_000 }, (_, index) => String((index * 7919) % 10_007)).join();
    const format = zipFile.create(optionsOf(zipFile, { usingIterator: "true" }), new SteppingClock(1));
    const reading = format.unmarshal(zipSync({ ...many, "large.txt": bytes(large) }), exchangeOf());
    expect(reading).toBeInstanceOf(Promise);
    const parts = (await reading) as readonly Message[];
    expect(parts.slice(0, -1).map((part) => text(part.body))).toEqual(Object.keys(many).map((name) => `entry ${name.slice(0, -4)}`));
    expect(text(parts.at(-1)?.body)).toBe(large);
  });

  test("that share their data are bounded together", () => {
    const shared = zipSync({ "a.txt": [new Uint8Array(40 * 1024 * 1024), { level: 0 }], "b.txt": bytes("B") });
    const signature = "PK\u0001\u0002";
    const first = Buffer.from(shared.buffer).indexOf(signature);
    const second = Buffer.from(shared.buffer).indexOf(signature, first + 1);
    // The directory entry of b.txt points to the data of a.txt.
    for (const [at, length] of [
      [10, 2],
      [20, 4],
      [24, 4],
      [42, 4],
    ] as const)
      shared.copyWithin(second + at, first + at, first + at + length);
    const format = zipFile.create(optionsOf(zipFile, { usingIterator: "true" }));
    expect(() => format.unmarshal(shared, exchangeOf())).toThrowError(expect.objectContaining({ code: "limit-payload" }));
  });

  test("are unpacked only up to the limit", () => {
    const format = zipFile.create(optionsOf(zipFile, { usingIterator: "true", maxDecompressedSize: "1000" }));
    expect(() => format.unmarshal(packed, exchangeOf())).toThrowError(expect.objectContaining({ code: "limit-payload" }));
  });
});

test("a zip file in which any byte is changed is read, or rejected with an error of the format", () => {
  const packed = zipSync({ "a.txt": bytes("A".repeat(100)) });
  const format = zipFile.create(optionsOf(zipFile));
  for (let at = 0; at < packed.length; at++) {
    const broken = packed.slice();
    broken[at] = (broken[at] as number) ^ 0xff;
    try {
      format.unmarshal(broken, exchangeOf());
    } catch (error) {
      expect(error).toHaveProperty("code");
      expect(["invalid-zip", "limit-payload", "zip-entries"]).toContain((error as { code: string }).code);
    }
  }
});
