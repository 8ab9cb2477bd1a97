/** An invalid mock or assertion; the message says what is wrong. */
export class MockFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MockFault";
  }
}
