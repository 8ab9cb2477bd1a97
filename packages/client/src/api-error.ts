/** An error reply from the runtime; the message is its `error`. Status 0 means that there was no reply. */
export class ApiError extends Error {
  readonly status: number;
  /** The other members of the error reply. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** Seconds to wait before retrying, if the runtime sent them. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "ApiError";
    this.status = status;
    this.detail = options.detail ?? {};
    this.retryAfter = options.retryAfter;
  }
}

interface ApiErrorOptions {
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** Reads an error reply. */
export async function readApiError(reply: Response): Promise<ApiError> {
  const retryAfter = Number(reply.headers.get("retry-after") ?? Number.NaN);
  const { error, ...detail } = membersOf(await reply.text().catch(() => ""));
  return new ApiError(reply.status, typeof error === "string" ? error : `the call failed with status ${reply.status}`, {
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
