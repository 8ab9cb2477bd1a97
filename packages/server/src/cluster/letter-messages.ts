// The messages of a dead letter as one record: a length, a JSON head and the bodies.
import type { StoredMessage } from "@sluice/connectors";

interface LetterMessages {
  readonly message: StoredMessage;
  readonly input: StoredMessage | undefined;
}

interface Head {
  readonly message: Pick<StoredMessage, "kind" | "envelope">;
  readonly input: Pick<StoredMessage, "kind" | "envelope"> | null;
  readonly bodyBytes: number;
}

const lengthBytes = 4;
const headOf = ({ kind, envelope }: StoredMessage): Pick<StoredMessage, "kind" | "envelope"> => ({ kind, envelope });

export function encodeLetterMessages({ message, input }: LetterMessages): Uint8Array {
  const text: Head = { message: headOf(message), input: input === undefined ? null : headOf(input), bodyBytes: message.body.byteLength };
  const head = Buffer.from(JSON.stringify(text));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, message.body, ...(input === undefined ? [] : [input.body])]);
}

export function decodeLetterMessages(data: Uint8Array): LetterMessages {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const bodyAt = lengthBytes + bytes.readUInt32BE();
  const { message, input, bodyBytes } = JSON.parse(bytes.toString("utf8", lengthBytes, bodyAt)) as Head;
  const part = (start: number, end?: number): Uint8Array => new Uint8Array(bytes.subarray(start, end));
  return {
    message: { ...message, body: part(bodyAt, bodyAt + bodyBytes) },
    input: input === null ? undefined : { ...input, body: part(bodyAt + bodyBytes) },
  };
}
