// The messages of a dead letter as one record.
import type { StoredMessage } from "@sluice/connectors";
import { decodeParts, encodeParts } from "./message-parts.ts";

interface DeadLetterMessages {
  readonly message: StoredMessage;
  readonly input: StoredMessage | undefined;
}

interface Head {
  readonly message: Pick<StoredMessage, "kind" | "envelope">;
  readonly input: Pick<StoredMessage, "kind" | "envelope"> | null;
  readonly bodyBytes: number;
}

const headOf = ({ kind, envelope }: StoredMessage): Pick<StoredMessage, "kind" | "envelope"> => ({ kind, envelope });

export function encodeDeadLetterMessages({ message, input }: DeadLetterMessages): Uint8Array {
  const head: Head = { message: headOf(message), input: input === undefined ? null : headOf(input), bodyBytes: message.body.byteLength };
  return encodeParts(head, input === undefined ? message.body : Buffer.concat([message.body, input.body]));
}

export function decodeDeadLetterMessages(data: Uint8Array): DeadLetterMessages {
  const [{ message, input, bodyBytes }, bodies] = decodeParts(data) as readonly [Head, Uint8Array];
  return {
    message: { ...message, body: bodies.subarray(0, bodyBytes) },
    input: input === null ? undefined : { ...input, body: bodies.subarray(bodyBytes) },
  };
}
