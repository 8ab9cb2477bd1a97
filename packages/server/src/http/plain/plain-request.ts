// A plain request is unambiguous: names and values use the narrowest grammar, there is one Host and at most one Content-Length, and no
// chunking, expectation, upgrade, compression or `Connection: close`. Node's parser handles all other requests, so that two parsers can
// never disagree on a request.
import { copyString } from "@sluice/engine/values";
import type { HttpLimits } from "../limits.ts";

export interface PlainRequest {
  /** The head as received, including the empty line. */
  readonly text: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names and values alternating, as received. */
  readonly rawHeaders: readonly string[];
  readonly bodyLength: number;
}

const requestLine = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/[\w./~-]*)(?:\?([\w.~!$&'()*+,;=:@/?%-]*))? HTTP\/1\.1\r\n/;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\x20-\x7e]*$/;
const carriageReturn = 13;
const lineFeed = 10;
const digits = /^\d{1,9}$/;

/** How a header affects the parsing of a request. */
type Meaning = "none" | "host" | "length" | "connection" | "special";

const meanings: Readonly<Record<string, Meaning>> = {
  host: "host",
  "content-length": "length",
  connection: "connection",
  "content-encoding": "special",
  expect: "special",
  "http2-settings": "special",
  "proxy-connection": "special",
  te: "special",
  trailer: "special",
  "transfer-encoding": "special",
  upgrade: "special",
  "x-test-session": "special",
};

/** Cache of header names in the client's spelling: clients use few of them. */
const meaningCache = new Map<string, Meaning>();
const maxCached = 1_000;

/** The end of the head, after the empty line; 0 when it is not within `maxBytes` bytes. */
export function headEnd(bytes: Uint8Array, maxBytes: number): number {
  const last = Math.min(bytes.length, maxBytes);
  for (let at = 3; at < last; at++)
    if (bytes[at] === lineFeed && bytes[at - 1] === carriageReturn && bytes[at - 2] === lineFeed && bytes[at - 3] === carriageReturn) return at + 1;
  return 0;
}

/** Parses a head that ends with its empty line; undefined when it is not plain. */
export function readPlainRequest(text: string, limits: HttpLimits): PlainRequest | undefined {
  const line = requestLine.exec(text);
  if (line === null || text.length > limits.maxHeaderBytes) return undefined;
  const [{ length: begin }, method = "", path = "", query = ""] = line;
  if (path.length + query.length >= limits.maxUrlBytes) return undefined;
  const rawHeaders: string[] = [];
  const bodyLength = readHeaders(text, begin, text.length - 2, rawHeaders);
  if (bodyLength === undefined || bodyLength > limits.maxBodyBytes || rawHeaders.length > limits.maxHeaderCount * 2) return undefined;
  return { text, method, path, query, rawHeaders, bodyLength };
}

/** The length of the body, or undefined when the headers are not plain. */
function readHeaders(text: string, begin: number, end: number, into: string[]): number | undefined {
  let hosts = 0;
  let bodyLength: number | undefined;
  for (let at = begin; at < end;) {
    const colon = text.indexOf(":", at);
    const next = text.indexOf("\r\n", at);
    if (colon < 0 || colon > next) return undefined;
    const name = text.slice(at, colon);
    const value = trimSpaces(text, colon + 1, next);
    const meaning = meaningOf(name);
    if (meaning === undefined || meaning === "special" || !headerValue.test(value)) return undefined;
    if (meaning === "host") hosts++;
    else if (meaning === "length") {
      if (bodyLength !== undefined || !digits.test(value)) return undefined;
      bodyLength = Number(value);
    } else if (meaning === "connection" && value.toLowerCase() !== "keep-alive") return undefined;
    into.push(name, value);
    at = next + 2;
  }
  return hosts === 1 ? (bodyLength ?? 0) : undefined;
}

function meaningOf(name: string): Meaning | undefined {
  const meaning = meaningCache.get(name);
  if (meaning !== undefined) return meaning;
  if (!headerName.test(name)) return undefined;
  const lower = name.toLowerCase();
  const newMeaning = Object.hasOwn(meanings, lower) ? (meanings[lower] as Meaning) : "none";
  if (meaningCache.size < maxCached) meaningCache.set(copyString(name), newMeaning);
  return newMeaning;
}

/** The text without surrounding spaces. */
function trimSpaces(text: string, from: number, to: number): string {
  let begin = from;
  let end = to;
  while (begin < end && text.charCodeAt(begin) === 32) begin++;
  while (end > begin && text.charCodeAt(end - 1) === 32) end--;
  return text.slice(begin, end);
}
