/** An invalid mock or assertion; the message says what is wrong. */
export class InvalidMockError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InvalidMockError";
  }
}
