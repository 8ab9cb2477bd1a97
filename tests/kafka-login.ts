// SASL PLAIN in front of librdkafka's mock broker, which cannot check passwords. Like a real broker it serves only version requests before the
// login; unlike one, it repeats rejected passwords in its error, which the protocol allows.
import type { Socket } from "node:net";

const apiKeys = { handshake: 17, versions: 18, authenticate: 36 } as const;
const authenticationFailed = 58;

/** The login of one connection. */
export class KafkaLogin {
  readonly #password: string;
  readonly #client: Socket;
  readonly #versionRequests = new Set<number>();
  #isDone = false;

  constructor(password: string, client: Socket) {
    this.#password = password;
    this.#client = client;
  }

  /** Whether this request is forwarded to the broker; other requests are answered here. */
  forwards(frame: Buffer): boolean {
    const [apiKey, version, correlation] = [frame.readInt16BE(4), frame.readInt16BE(6), frame.readInt32BE(8)];
    if (apiKey === apiKeys.versions) this.#versionRequests.add(correlation);
    else if (apiKey === apiKeys.handshake) this.#reply(correlation, int16(0), int32(1), text("PLAIN"));
    else if (apiKey === apiKeys.authenticate) this.#authenticate(frame, version, correlation);
    else if (!this.#isDone) this.#client.destroy();
    return apiKey === apiKeys.versions || (this.#isDone && apiKey !== apiKeys.handshake && apiKey !== apiKeys.authenticate);
  }

  /** The response of the broker, with the two requests of the login added to those it supports. */
  addLoginApis(frame: Buffer): Buffer {
    if (!this.#versionRequests.delete(frame.readInt32BE(4)) || frame.readInt16BE(8) !== 0) return frame;
    const added = [apiKeys.handshake, apiKeys.authenticate].map((key) => Buffer.concat([int16(key), int16(0), int16(1)]));
    const end = 14 + frame.readInt32BE(10) * 6;
    return framed(frame.subarray(4, 10), int32(frame.readInt32BE(10) + added.length), frame.subarray(14, end), ...added, frame.subarray(end));
  }

  #authenticate(frame: Buffer, version: number, correlation: number): void {
    // The header ends with the client id, and the body is a length and `\0user\0password`.
    const body = 14 + Math.max(0, frame.readInt16BE(12));
    const sentPassword =
      frame
        .subarray(body + 4)
        .toString()
        .split("\0")
        .at(-1) ?? "";
    this.#isDone = sentPassword === this.#password;
    const outcome = this.#isDone
      ? [int16(0), int16(-1)]
      : [int16(authenticationFailed), text(`Authentication failed: the password '${sentPassword}' is wrong`)];
    this.#reply(correlation, ...outcome, int32(0), ...(version > 0 ? [Buffer.alloc(8)] : []));
  }

  #reply(correlation: number, ...parts: readonly Buffer[]): void {
    this.#client.write(framed(int32(correlation), ...parts));
  }
}

/** Splits a stream into requests or responses: each begins with its length. */
export function frameReader(onFrame: (frame: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const length = 4 + rest.readInt32BE(0);
      onFrame(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const text = (value: string): Buffer => Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);

function framed(...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([int32(content.length), content]);
}
