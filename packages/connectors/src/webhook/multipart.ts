// Form uploads: the fields become headers. A single file becomes the body; without a file, or with several, the body is unchanged.
import type { Upload } from "./http-tools.ts";

const limits = { files: 100, fields: 1_000, parts: 1_100, fieldSize: 1_048_576, headerPairs: 100 };

/** Parses an upload; the parser is loaded on first use. A body that is not a valid form is passed on unchanged. */
export async function readUpload(body: Uint8Array, contentType: string): Promise<Upload> {
  const { Busboy } = await import("@fastify/busboy");
  return new Promise((resolve) => {
    const files: { readonly name: string | undefined; readonly type: string; readonly chunks: Buffer[] }[] = [];
    const fields: (readonly [string, unknown])[] = [];
    const resolveUnchanged = (): void => resolve({ body, headers: [] });
    try {
      const parser = new Busboy({ headers: { "content-type": contentType }, limits });
      parser.on("file", (_field, stream, name, _encoding, type) => {
        const chunks: Buffer[] = [];
        files.push({ name, type, chunks });
        stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
        stream.on("error", resolveUnchanged);
      });
      parser.on("field", (name, value) => {
        if (!name.toLowerCase().startsWith("camel")) fields.push([name, value]);
      });
      parser.on("error", resolveUnchanged);
      parser.on("finish", () => {
        const [file] = files;
        if (file === undefined || files.length > 1) resolve({ body, headers: fields });
        else resolve({ body: Buffer.concat(file.chunks), headers: [...fields, ["Content-Type", file.type], ...fileName(file.name)] });
      });
      parser.end(body);
    } catch {
      resolveUnchanged();
    }
  });
}

/** The file name without folders. */
function fileName(name: string | undefined): readonly (readonly [string, string])[] {
  const last = name?.split(/[\\/]/).pop() ?? "";
  return last === "" || last === "." || last === ".." ? [] : [["CamelFileName", last]];
}
