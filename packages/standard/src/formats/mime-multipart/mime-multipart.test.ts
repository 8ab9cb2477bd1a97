import { exchangeOf, optionsOf } from "@sluice/testkit";
import { describe, expect, test } from "vitest";
import { mimeMultipart } from "./mime-multipart.ts";

const format = (options: Record<string, string> = {}) => mimeMultipart.create(optionsOf(mimeMultipart, options));
const crlf = (...lines: string[]): string => lines.join("\r\n");
const text = (body: unknown): string => new TextDecoder().decode(body as Uint8Array);

describe("reading", () => {
  const body = crlf(
    "preamble",
    "--b",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "hello",
    "--b",
    'Content-Disposition: form-data; name="file"; filename="a \\"1\\".bin"',
    "Content-Type: application/octet-stream",
    "Content-Transfer-Encoding: base64",
    "",
    "AAEC",
    "--b",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "caf=C3=A9 =",
    "bar",
    "--b--",
    "",
  );

  test("the first part is the body, the others are attachments", () => {
    const exchange = exchangeOf(body, { "Content-Type": 'multipart/mixed; boundary="b"' });
    expect(format().unmarshal(body, exchange)).toBe("hello");
    expect(exchange.message.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    const [file, quoted] = exchange.property("CamelAttachments") as readonly { name?: string; fileName?: string; contentType: string; body: Uint8Array }[];
    expect(file).toMatchObject({ name: "file", fileName: 'a "1".bin', contentType: "application/octet-stream", body: new Uint8Array([0, 1, 2]) });
    expect(text(quoted?.body)).toBe("café bar");
  });

  test("a boundary inside a line, or at the start of a longer one, does not end a part", () => {
    const nested = crlf("a --b in a line", "--b", "Content-Type: multipart/alternative; boundary=b2", "", "--b2", "", "inner", "--b2--", "--b--", "");
    expect(text(format().unmarshal(nested, exchangeOf(nested, { "Content-Type": "multipart/mixed; boundary=b" })))).toBe(crlf("--b2", "", "inner", "--b2--"));
  });

  test("a body that is not multipart stays unchanged", () => {
    expect(format().unmarshal("plain", exchangeOf("plain", { "Content-Type": "text/plain" }))).toBe("plain");
  });

  test.each([["--x\r\n\r\na\r\n"], ["no boundary here"]])("%j is rejected", (broken) => {
    expect(() => format().unmarshal(broken, exchangeOf(broken, { "Content-Type": "multipart/mixed; boundary=x" }))).toThrowError(
      expect.objectContaining({ code: "invalid-mime" }),
    );
  });
});

describe("writing", () => {
  test("without attachments the body stays unchanged, unless multipart is forced", () => {
    expect(format().marshal("x", exchangeOf("x"))).toBe("x");
    expect(text(format({ multipartWithoutAttachment: "true" }).marshal("x", exchangeOf("x")))).toContain("eA==");
  });

  test.each([[{}], [{ binaryContent: "true" }], [{ headersInline: "true" }]])("written messages are read back (%j)", (options) => {
    const exchange = exchangeOf("hello", { "Content-Type": "text/plain" });
    exchange.setProperty("CamelAttachments", [
      { name: "n\r\nX-Evil: 1", fileName: "f.bin", contentType: "image/png", body: new Uint8Array([0, 13, 10, 45, 45, 255]) },
    ]);
    const packed = format(options as Record<string, string>).marshal("hello", exchange) as Uint8Array;
    expect(text(packed)).not.toMatch(/^X-Evil/m);
    const back = exchangeOf(packed, { "Content-Type": exchange.message.headers.get("Content-Type") });
    expect(format(options as Record<string, string>).unmarshal(packed, back)).toBe("hello");
    expect(back.property("CamelAttachments")).toMatchObject([{ fileName: "f.bin", contentType: "image/png", body: new Uint8Array([0, 13, 10, 45, 45, 255]) }]);
  });
});
