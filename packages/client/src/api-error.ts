/** The runtime refused; the message is its `error`. Status 0: it did not answer at all. */
export class ApiError extends Error {
  readonly status: number;
  /** What the refusal told beside its `error`. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** Seconds to wait before trying again, when the runtime says so. */
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

/** What a reply that is no success says. */
export async function readRefusal(reply: Response): Promise<ApiError> {
  const retryAfter = Number(reply.headers.get("retry-after") ?? Number.NaN);
  const { error, ...detail } = membersOf(await reply.text().catch(() => ""));
  return new ApiError(reply.status, typeof error === "string" ? error : `the call was answered with status ${reply.status}`, {
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
