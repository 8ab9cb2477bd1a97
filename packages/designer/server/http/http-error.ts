/** A refusal in the words of the page: its status, one sentence, and what the page needs to offer a way out. */
export class HttpError extends Error {
  readonly status: number;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, detail: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.detail = detail;
  }
}
