// Reads the headers that the listener uses in one pass over the raw list. Building node's header object costs more than all other work
// here, and most webhook runs never need it.
import type { IncomingMessage } from "node:http";
import { ServiceError } from "../service-error.ts";
import type { HttpLimits } from "./limits.ts";

export interface RequestHead {
  /** The declared length; -1 when the body is chunked, 0 when there is none. */
  readonly bodyLength: number;
  /** Lower-case; empty when the body is not compressed. */
  readonly encoding: string;
  /** The requested test session; empty when none. */
  readonly session: string;
}

const empty: RequestHead = { bodyLength: 0, encoding: "", session: "" };

/** Reads and validates the head; throws a ServiceError for requests that must not reach a handler. */
export function readHead(request: IncomingMessage, limits: HttpLimits): RequestHead {
  const raw = request.rawHeaders;
  if (raw.length > limits.maxHeaderCount * 2) throw new ServiceError("head-too-large", `more than ${limits.maxHeaderCount} request headers`);
  if ((request.url as string).length > limits.maxUrlBytes) throw new ServiceError("target-too-long", `request target exceeds ${limits.maxUrlBytes} bytes`);
  if (request.httpVersionMajor !== 1) throw new ServiceError("http-version-unsupported", "only HTTP/1.1 and HTTP/1.0 are supported");
  let hosts = 0;
  let bodyLength = 0;
  let encoding = "";
  let session = "";
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    // Most names can be distinguished by their length.
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === "host") hosts++;
        break;
      case 14: {
        const lower = name.toLowerCase();
        if (lower === "content-length") bodyLength = Number(raw[index + 1]);
        else if (lower === "x-test-session") session = raw[index + 1] as string;
        break;
      }
      case 16:
        if (name.toLowerCase() === "content-encoding") encoding = contentEncoding(encoding, raw[index + 1] as string);
        break;
      case 17:
        if (name.toLowerCase() === "transfer-encoding") {
          checkTransferEncoding(request, raw[index + 1] as string);
          bodyLength = -1;
        }
        break;
    }
  }
  if (hosts !== 1 && !(hosts === 0 && request.httpVersionMinor === 0))
    throw new ServiceError("request-invalid", hosts === 0 ? "the Host header is missing" : "more than one Host header");
  return bodyLength === 0 && encoding === "" && session === "" ? empty : { bodyLength, encoding, session };
}

function contentEncoding(previous: string, value: string): string {
  const lower = value.trim().toLowerCase();
  return previous !== "" ? `${previous}, ${lower}` : lower === "identity" ? "" : lower;
}

/** Servers interpret other codings, and any coding in HTTP/1.0, differently, which enables request smuggling. */
function checkTransferEncoding(request: IncomingMessage, value: string): void {
  if (value.trim().toLowerCase() !== "chunked" || request.httpVersionMinor === 0)
    throw new ServiceError("request-invalid", "the only supported transfer encoding is 'chunked'");
}
