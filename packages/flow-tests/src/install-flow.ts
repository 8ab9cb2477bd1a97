// Installs the flow of a test file, and the documents it needs, in a runtime.
import type { FlowTestFile } from "./flow-test-shape.ts";
import type { RuntimeTransport } from "./runtime-transport.ts";

/** Installs a flow; throws when it is rejected. */
export async function installFlow(transport: RuntimeTransport, flowId: string, yaml: string, params?: Readonly<Record<string, unknown>>): Promise<void> {
  await put(transport, `/flows/${flowId}`, `flow '${flowId}'`, { yaml, ...(params === undefined ? {} : { params }) });
}

/** Installs the tables and mappings a test file names; throws when one is rejected or cannot be read. */
export async function installDocuments(transport: RuntimeTransport, file: FlowTestFile, readFile: (path: string) => Promise<string>): Promise<void> {
  const kinds = [
    ["value-mappings", "value mapping", file.valueMappings],
    ["message-mappings", "message mapping", file.messageMappings],
  ] as const;
  for (const [path, noun, documents] of kinds) {
    for (const [id, document] of Object.entries(documents ?? {})) {
      const body = typeof document === "string" ? parseDocument(document, await readFile(document)) : document;
      await put(transport, `/${path}/${encodeURIComponent(id)}`, `${noun} '${id}'`, body);
    }
  }
}

function parseDocument(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`'${file}' is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}

async function put(transport: RuntimeTransport, path: string, noun: string, body: unknown): Promise<void> {
  const reply = await transport.api("PUT", path, body);
  if (reply.status < 300) return;
  throw new Error(`${noun} was rejected with ${reply.status}: ${reply.text}`);
}
