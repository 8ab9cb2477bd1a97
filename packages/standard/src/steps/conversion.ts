// Conversions by type name, with a charset for conversions between bytes and text.
import { CompileError } from "@sluice/engine/spi";
import { conversionError, findConversion, type Conversion } from "@sluice/engine/values";
import { f } from "@sluice/model";

export const conversionFields = {
  type: f.string({ doc: "The type to convert to, such as String, int, double, boolean, byte[] or a Java class name.", required: true }),
  charset: f.string({ doc: "Charset for conversions between text and bytes; UTF-8 by default.", group: "advanced" }),
  mandatory: f.boolean({ doc: "Whether the step fails when the value cannot be converted; if false, the result is null.", default: true }),
};

export interface ConversionOptions {
  readonly type: string;
  readonly charset?: string | undefined;
  readonly mandatory: boolean;
}

/** Compiles a conversion to the type; null is not converted. */
export function converter({ type, charset, mandatory }: ConversionOptions): Conversion {
  const plain = findConversion(type);
  if (plain === undefined)
    throw new CompileError("type-unknown", `unknown type '${type}'`, {
      hint: "use String, int, long, double, boolean, byte[], Map, List or Date",
    });
  const convert = charset === undefined || isUtf8(charset) ? plain : withCharset(plain, type, charset);
  return (value) => {
    if (value === null || value === undefined) return null;
    if (mandatory) return convert(value);
    try {
      return convert(value) ?? null;
    } catch {
      return null;
    }
  };
}

const isUtf8 = (charset: string): boolean => /^utf-?8$/i.test(charset);

function withCharset(plain: Conversion, type: string, charset: string): Conversion {
  const decoder = decoderOf(charset);
  const toBytes = /^(byte\[\]|java\.io\.InputStream|InputStream)$/i.test(type);
  if (toBytes && !/^(iso-?8859-?1|latin-?1|us-ascii|ascii)$/i.test(charset))
    throw new CompileError("charset-unknown", `charset '${charset}' cannot be used for writing`, { hint: "use UTF-8, ISO-8859-1 or US-ASCII" });
  const maxCodePoint = /ascii/i.test(charset) ? 0x7f : 0xff;
  return (value) => {
    const text = value instanceof Uint8Array ? decoder.decode(value) : value;
    if (!toBytes) return plain(text);
    if (typeof text !== "string") throw conversionError(value, type);
    return Uint8Array.from(text, (character) => ((character.codePointAt(0) as number) > maxCodePoint ? 0x3f : (character.codePointAt(0) as number)));
  };
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    throw new CompileError("charset-unknown", `unknown charset '${charset}'`, { hint: "use a name such as UTF-8 or ISO-8859-1" });
  }
}
