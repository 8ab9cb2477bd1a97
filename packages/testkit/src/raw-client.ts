// Sends bytes over a real socket and returns the response.
import { connect, type Socket } from "node:net";

const firstByteMs = 30_000;
const tickMs = 10;

export interface RawResponse {
  readonly text: string;
  /** True when the server closed the connection. */
  readonly closed: boolean;
}

/** Sends bytes and waits until the server closes the connection or sends nothing for `quietMs`. */
export function sendRaw(port: number, bytes: string | Buffer | readonly (string | Buffer)[], quietMs = 150): Promise<RawResponse> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    let closed = false;
    // The first byte may take a long time on a busy machine; after it, a pause of `quietMs` ends the response. Time is counted in timer ticks,
    // so that a stall of this process counts as one tick.
    let ticksLeft = firstByteMs / tickMs;
    const timer = setInterval(() => --ticksLeft <= 0 && finish(), tickMs);
    function finish(): void {
      clearInterval(timer);
      socket.destroy();
      resolve({ text: Buffer.concat(chunks).toString("latin1"), closed });
    }
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      ticksLeft = quietMs / tickMs;
    });
    socket.on("end", () => {
      closed = true;
      finish();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      closed = true;
      finish();
    });
    for (const part of typeof bytes === "string" || Buffer.isBuffer(bytes) ? [bytes] : bytes)
      socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part);
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
