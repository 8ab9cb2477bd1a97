/** A call that was refused or did not arrive. `status` 0 means that the designer's own server does not answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, detail: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.detail = detail;
  }
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

type Listener = () => void;
const signedOut = new Set<Listener>();

/** Tells when an answer says that the session is over. */
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

/** Calls the designer's server and gives its JSON; throws an ApiError for everything but success. */
export async function callJson<T>(method: string, path: string, { body, headers, signal }: CallOptions = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new ApiError(0, "The designer's server does not answer. Your text is kept in this browser.");
  }
  const text = await response.text();
  const value = parse(text);
  if (response.ok) return value as T;
  const { error, ...detail } = (value ?? {}) as { error?: unknown } & Record<string, unknown>;
  if (response.status === 401 && error === "sign in first") for (const listener of signedOut) listener();
  throw new ApiError(response.status, typeof error === "string" ? error : `The call failed with status ${response.status}.`, detail);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
