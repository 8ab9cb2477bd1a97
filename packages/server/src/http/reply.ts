// Writing replies: one head, one body, one system call for what is known whole. What a header may not hold never
// reaches the wire, whoever set it.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable, pipeline } from "node:stream";

export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;
export type ReplyBody = string | Uint8Array | AsyncIterable<Uint8Array> | undefined;

export interface SendOptions {
  /** The request was a HEAD: same head, no body. */
  readonly headOnly: boolean;
  /** How long the client may leave the reply untouched. */
  readonly sendTimeoutMs: number;
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

/** Names only the engine gives, with values of its own making. */
const own = "own";
/** Verdicts on names that were sent before: routes use few of them, over and over. */
const knownNames = new Map<string, boolean | typeof own>([
  ["X-Run-Id", own],
  ["traceresponse", own],
]);
const maxKnownNames = 1_000;

/** Whether a header of this name and value may go out: syntax, hop-by-hop names and the engine's own names decide. */
export function isSendable(name: string, value: string): boolean {
  const known = isKnownSendable(name);
  // Looking through these, which are put together of pieces, would lay them out once more.
  return known === own || (known && validValue.test(value));
}

function isKnownSendable(name: string): boolean | typeof own {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const sendable = isSendableName(name);
  if (knownNames.size < maxKnownNames) knownNames.set(name, sendable);
  return sendable;
}

function isSendableName(name: string): boolean {
  const lower = name.toLowerCase();
  return validName.test(name) && !connectionHeaders.has(lower) && !lower.startsWith("camel");
}

/** Sends a whole reply. A client that is gone already is no fault. */
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
  if (response.writableLength > 0) dropStalled(response, options.sendTimeoutMs);
}

/**
 * Head and text as one string in one plain write. `end(text)` would add an empty chunk to say when it is done, and the two then
 * take the slow way of gathered writes, which costs a tenth of a small request.
 */
function endWithText(response: ServerResponse, socket: Socket, text: string, length: number | undefined): void {
  socket.cork();
  // As many bytes as characters: plain ASCII, which need not be encoded.
  response.write(text, length === text.length ? "latin1" : "utf8");
  socket.uncork();
  response.end();
}

/** `{"error": text}` and nothing else; texts are cut where no reader would go on. */
export function errorBody(text: string): string {
  return JSON.stringify({ error: text.length > 500 ? `${text.slice(0, 499)}…` : text });
}

export function sendError(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> | undefined,
  options: SendOptions,
): void {
  sendReply(response, status, { "Content-Type": "application/json", ...headers }, errorBody(text), options);
}

function addHeader(head: string[], name: string, value: string | readonly string[]): void {
  if (!isKnownSendable(name)) return;
  if (typeof value === "string") head.push(name, value);
  else for (const item of value) head.push(name, item);
}

/** Node checks every value itself and throws before anything is kept, so values are looked at here only when one is bad. */
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

/** In bytes; undefined for what comes in pieces. */
export function lengthOf(body: ReplyBody): number | undefined {
  if (typeof body === "string") return Buffer.byteLength(body);
  return isStream(body) ? undefined : (body?.byteLength ?? 0);
}

/** What comes in pieces. */
export function isStream(body: ReplyBody): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && Symbol.asyncIterator in body;
}

/** A stream that fails after the head went out can only be cut: the missing last chunk tells the client. */
function pipeStream(body: AsyncIterable<Uint8Array>, response: ServerResponse, sendTimeoutMs: number): void {
  dropStalled(response, sendTimeoutMs);
  pipeline(Readable.from(body, { objectMode: false }), response, (error) => {
    if (error !== undefined && error !== null) response.destroy();
  });
}

function dropStalled(response: ServerResponse, sendTimeoutMs: number): void {
  response.setTimeout(sendTimeoutMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
}
