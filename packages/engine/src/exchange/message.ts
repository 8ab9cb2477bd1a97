import { Headers } from "./headers.ts";

/** What travels: a body of any kind and its headers. */
export class Message {
  body: unknown;
  headers: Headers;

  constructor(body: unknown, headers: Headers = new Headers()) {
    this.body = body;
    this.headers = headers;
  }

  /** A shallow copy: the body is shared, the headers can be changed apart. */
  copy(): Message {
    return new Message(this.body, this.headers.copy());
  }
}
