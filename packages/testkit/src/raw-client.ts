// Sends bytes over a real socket and returns the response.
import { connect } from "node:net";

/** A server that never closes the connection fails the test. */
const limitMs = 120_000;

export interface RawResponse {
  readonly text: string;
  /** True when the server closed the connection before the client ended its side. */
  readonly closed: boolean;
}

export interface RawOptions {
  /** The client ends its side after this many replies, so that the server closes a connection that it would keep open; 0 ends it at once. */
  readonly replies?: number;
}

/** Sends bytes and waits until the server closes the connection; `text` is everything it sent. */
export function sendRaw(port: number, bytes: string | Buffer | readonly (string | Buffer)[], { replies }: RawOptions = {}): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    let hasEnded = false;
    const endAfterReplies = (): void => {
      if (hasEnded || replies === undefined || statuses(text).length < replies) return;
      hasEnded = true;
      socket.end();
    };
    const timer = setTimeout(() => {
      reject(new Error(`the server did not close the connection within ${limitMs} ms; it sent: ${text.slice(0, 2_000)}`));
      socket.destroy();
    }, limitMs);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      endAfterReplies();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve({ text, closed: !hasEnded });
    });
    for (const part of typeof bytes === "string" || Buffer.isBuffer(bytes) ? [bytes] : bytes)
      socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part);
    endAfterReplies();
  });
}

/** The status codes in order of arrival. */
export function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

/** The content after the first head. */
export function bodyOf(text: string): string {
  return text.slice(text.indexOf("\r\n\r\n") + 4);
}
