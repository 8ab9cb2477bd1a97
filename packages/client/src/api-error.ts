/** An error response from the runtime; the message is its `error`. Status 0 means that there was no response. */
export class ApiError extends Error {
  readonly status: number;
  /** The error code, such as `not-found`; undefined when the response has none. */
  readonly code: string | undefined;
  /** The other members of the error response. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** Seconds to wait before retrying, if the runtime sent them. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "ApiError";
    this.status = status;
    this.code = options.code;
    this.detail = options.detail ?? {};
    this.retryAfter = options.retryAfter;
  }
}

interface ApiErrorOptions {
  readonly code?: string | undefined;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** Reads an error response. */
export async function readApiError(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  const { error, ...detail } = membersOf(await response.text().catch(() => ""));
  return new ApiError(response.status, typeof error === "string" ? error : `the call failed with status ${response.status}`, {
    code: response.headers.get("x-error-code") ?? undefined,
    detail,
    retryAfter: Number.isNaN(retryAfter) ? undefined : retryAfter,
  });
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
