/** A mock or an assertion that is written wrong; the message says what. */
export class MockFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MockFault";
  }
}
