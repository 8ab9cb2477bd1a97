import { FlowError } from "../errors/flow-error.ts";

/** Decodes bytes by their byte order mark, else by the encoding the XML declares, else as UTF-8. */
export function decodeXml(bytes: Uint8Array): string {
  const mark = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
  const start = String.fromCharCode(...bytes.subarray(0, 120));
  const label = mark ?? /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(start)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FlowError("org.apache.camel.TypeConversionException", `the XML cannot be read as ${label}`, {
      code: "invalid-xml",
      cause,
      details: { clientFault: true },
    });
  }
}
