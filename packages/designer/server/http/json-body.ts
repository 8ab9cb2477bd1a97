import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpError } from "./http-error.ts";

const maxBodyBytes = 12 * 1024 * 1024;

/** Reads the request body; throws 413 if it is larger than `maxBodyBytes`. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBodyBytes) throw new HttpError(413, `request body exceeds ${maxBodyBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readBody(request);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new HttpError(400, `invalid JSON body: ${(error as Error).message}`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new HttpError(400, "the body must be a JSON object");
  return value as Readonly<Record<string, unknown>>;
}

/** A required string member of a body. */
export function textOf(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value !== "string") throw new HttpError(400, `${name} must be a string`);
  return value;
}

/** A string member, or null. */
export function textOrNull(body: Readonly<Record<string, unknown>>, name: string): string | null {
  return body[name] === null || body[name] === undefined ? null : textOf(body, name);
}

export function sendJson(response: ServerResponse, status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
  const bytes = Buffer.from(JSON.stringify(value), "utf8");
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "content-length": String(bytes.length),
    ...headers,
  });
  response.end(bytes);
}

export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof HttpError) return sendJson(response, error.status, { error: error.message, ...error.detail }, error.headers);
  sendJson(response, 500, { error: "internal error in the designer; see its output for details" });
}
