// Maps failures of a call to the exception types that flows catch.
import { FlowError, isFlowError } from "@sluice/engine/spi";
import { cancelledError } from "@sluice/engine/tools";
import { isRetryableStatus } from "@sluice/engine/values";
import { isSecretName, maskedText } from "../secret-names.ts";
import { EgressDenied, egressError } from "./egress.ts";

const maxShownBodyBytes = 16 * 1024;

interface Kind {
  readonly type: string;
  readonly code: string;
  readonly text: string;
}

const refused: Kind = { type: "java.net.ConnectException", code: "http-connect", text: "connection refused" };
const unknownHost: Kind = { type: "java.net.UnknownHostException", code: "http-unknown-host", text: "unknown host" };
const reset: Kind = { type: "java.net.SocketException", code: "http-reset", text: "the connection was closed before the response was complete" };
const timeout = (text: string): Kind => ({ type: "java.net.SocketTimeoutException", code: "http-timeout", text });

const kinds: Readonly<Record<string, Kind>> = {
  ECONNREFUSED: refused,
  EHOSTUNREACH: { ...refused, text: "no route to host" },
  ENETUNREACH: { ...refused, text: "network unreachable" },
  EADDRNOTAVAIL: { ...refused, text: "address not available" },
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  ECONNRESET: reset,
  EPIPE: reset,
  UND_ERR_SOCKET: reset,
  ETIMEDOUT: timeout("connect timed out"),
  UND_ERR_CONNECT_TIMEOUT: timeout("connect timed out"),
  UND_ERR_HEADERS_TIMEOUT: timeout("response timed out"),
  UND_ERR_BODY_TIMEOUT: timeout("response body timed out"),
};

/** Converts any error of a call to a FlowError. */
export function callFailure(thrown: unknown, url: URL, signal: AbortSignal): FlowError {
  if (isFlowError(thrown)) return thrown;
  if (signal.aborted) return cancelledError(signal);
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const inner = rootCause(error);
  if (inner instanceof EgressDenied) return egressError(url.host, error);
  const kind = kinds[codeOf(inner)] ?? kinds[codeOf(error)];
  const where = displayUrl(url);
  if (kind !== undefined) return new FlowError(kind.type, `${kind.text}: ${where}`, { code: kind.code, retryable: true, cause: error });
  if (codeOf(error) === "UND_ERR_INVALID_ARG")
    return new FlowError("java.lang.IllegalArgumentException", `the request to ${where} cannot be sent: ${error.message}`, {
      code: "http-bad-request",
      cause: error,
    });
  return new FlowError("java.io.IOException", `calling ${where} failed: ${error.message}`, { code: "http-failed", retryable: true, cause: error });
}

export interface FailedResponse {
  readonly statusCode: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/** The error for a response whose status is not a success; without its cookies, which are credentials. */
export function statusFailure(url: URL, response: FailedResponse): FlowError {
  const { statusCode, statusText } = response;
  const { "set-cookie": _cookies, ...headers } = response.headers;
  const uri = displayUrl(url);
  const location = headers["location"];
  const redirect = statusCode >= 300 && statusCode < 400 && location !== undefined ? `, redirectLocation: ${String(location)}` : "";
  return new FlowError(
    "org.apache.camel.http.base.HttpOperationFailedException",
    `HTTP operation failed invoking ${uri} with statusCode: ${statusCode}${redirect}`,
    {
      code: "http-status",
      retryable: isRetryableStatus(statusCode),
      details: {
        statusCode,
        statusText,
        responseBody: new TextDecoder().decode(response.body.subarray(0, maxShownBodyBytes)),
        responseHeaders: headers,
        uri,
        ...(redirect === "" ? {} : { redirectLocation: String(location) }),
      },
    },
  );
}

/** A URL for logs and messages: without user info and without values of parameters that look like credentials. */
function displayUrl(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  for (const name of new Set(shown.searchParams.keys())) if (isSecretName(name)) shown.searchParams.set(name, maskedText);
  return shown.href;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function rootCause(error: Error): Error {
  let inner = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  for (let depth = 0; depth < 5 && inner.cause instanceof Error; depth++) inner = inner.cause;
  return inner;
}
