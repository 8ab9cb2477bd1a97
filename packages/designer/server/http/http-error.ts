/** An error response: status, message, and the data the page needs to resolve the error. */
export class HttpError extends Error {
  readonly status: number;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, detail: Readonly<Record<string, unknown>> = {}, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}
