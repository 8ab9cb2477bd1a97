/** An error with an HTTP status. Thrown while a request is handled, it is sent as `{"error": message}`. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(status: number, message: string, headers?: Readonly<Record<string, string>>) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.headers = headers;
  }
}
