// Writes replies: head and body in one system call if the body is known. Invalid headers are never sent.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable, pipeline } from "node:stream";
import { errorHeaders, statusOf, type ErrorReply } from "../service-error.ts";
import type { UnsentReplies } from "./unsent-replies.ts";

export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;
export type ReplyBody = string | Uint8Array | AsyncIterable<Uint8Array> | undefined;

export interface SendOptions {
  /** The reply to a HEAD request: same head, no body. */
  readonly headOnly: boolean;
  /** How long a client may stop reading. */
  readonly sendTimeoutMs: number;
  readonly unsent: UnsentReplies;
}

const validName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const validValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const connectionHeaders = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Marks headers that only the engine sets, with valid values. */
const trusted = "trusted";
/** Cache of checked header names: routes use few of them. */
const nameCache = new Map<string, boolean | typeof trusted>([
  ["X-Run-Id", trusted],
  ["traceresponse", trusted],
]);
const maxCachedNames = 1_000;

/** Whether a header may be sent: valid syntax, not managed by the connection, not reserved by the engine. */
export function isSendable(name: string, value: string): boolean {
  const sendable = checkName(name);
  // Values of trusted headers are not checked: they are concatenated strings (ropes), and a regular expression would flatten them.
  return sendable === trusted || (sendable && validValue.test(value));
}

function checkName(name: string): boolean | typeof trusted {
  const cached = nameCache.get(name);
  if (cached !== undefined) return cached;
  const sendable = isSendableName(name);
  if (nameCache.size < maxCachedNames) nameCache.set(name, sendable);
  return sendable;
}

function isSendableName(name: string): boolean {
  const lower = name.toLowerCase();
  return validName.test(name) && !connectionHeaders.has(lower) && !lower.startsWith("camel");
}

/** Sends a whole reply; does nothing if the client has disconnected. */
export function sendReply(response: ServerResponse, status: number, headers: ReplyHeaders | undefined, body: ReplyBody, options: SendOptions): void {
  if (response.destroyed || response.headersSent) return;
  const head: string[] = [];
  if (headers !== undefined) for (const name in headers) addHeader(head, name, headers[name] as string | readonly string[]);
  const bodiless = isBodiless(status);
  if (isStream(body) && !bodiless && !options.headOnly) {
    writeHead(response, status, head);
    pipeStream(body, response, options.sendTimeoutMs);
    return;
  }
  const length = lengthOf(body);
  if (!bodiless && length !== undefined) head.push("Content-Length", String(length));
  writeHead(response, status, head);
  if (bodiless || options.headOnly || body === undefined || body === "") response.end();
  else if (typeof body === "string" && response.socket !== null) endWithText(response, response.socket, body, length);
  else response.end(body);
  if (response.writableLength === 0) return;
  disconnectWhenStalled(response, options.sendTimeoutMs);
  if (response.socket !== null) countUnsent(response, response.socket, options.unsent);
}

function countUnsent(response: ServerResponse, socket: Socket, unsent: UnsentReplies): void {
  response.once("close", () => unsent.remove(socket));
  unsent.add(socket);
}

/**
 * Writes head and text as one string. `end(text)` would add an empty chunk, which makes node use the slower vectored write. That
 * costs a tenth of the time of a small request.
 */
function endWithText(response: ServerResponse, socket: Socket, text: string, length: number | undefined): void {
  socket.cork();
  // Byte length equals string length: plain ASCII, no encoding needed.
  response.write(text, length === text.length ? "latin1" : "utf8");
  socket.uncork();
  response.end();
}

/** The body `{"error": text}`; long messages are truncated. */
export function errorBody(text: string): string {
  return JSON.stringify({ error: text.length > 500 ? `${text.slice(0, 499)}…` : text });
}

export function sendError(response: ServerResponse, error: ErrorReply, options: SendOptions): void {
  sendReply(response, statusOf(error), errorHeaders(error), errorBody(error.message), options);
}

function addHeader(head: string[], name: string, value: string | readonly string[]): void {
  if (!checkName(name)) return;
  if (typeof value === "string") head.push(name, value);
  else for (const item of value) head.push(name, item);
}

/** Node validates all values and throws before it stores any, so values are filtered only after a failure. */
function writeHead(response: ServerResponse, status: number, head: string[]): void {
  try {
    response.writeHead(status, head);
  } catch {
    const valid: string[] = [];
    for (let index = 0; index < head.length; index += 2) {
      const value = head[index + 1] as string;
      if (validValue.test(value)) valid.push(head[index] as string, value);
    }
    response.writeHead(status, valid);
  }
}

/** Statuses that never have a body. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** Length in bytes; undefined for a stream. */
export function lengthOf(body: ReplyBody): number | undefined {
  if (typeof body === "string") return Buffer.byteLength(body);
  return isStream(body) ? undefined : (body?.byteLength ?? 0);
}

/** True for a streamed body. */
export function isStream(body: ReplyBody): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && Symbol.asyncIterator in body;
}

/** If the stream fails after the head was sent, the connection is closed: the client detects it by the missing last chunk. */
function pipeStream(body: AsyncIterable<Uint8Array>, response: ServerResponse, sendTimeoutMs: number): void {
  disconnectWhenStalled(response, sendTimeoutMs);
  pipeline(Readable.from(body, { objectMode: false }), response, (error) => {
    if (error !== undefined && error !== null) response.destroy();
  });
}

function disconnectWhenStalled(response: ServerResponse, sendTimeoutMs: number): void {
  response.setTimeout(sendTimeoutMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
}
