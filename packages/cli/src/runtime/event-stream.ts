// Follows one of the runtime's event streams: reads the events, comes back after a broken connection and says what was missed.
import { CommandError } from "../command/declaration.ts";
import { reach, type Connection } from "./connection.ts";
import { pause } from "./pause.ts";

export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: any;
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Told once the stream is open. */
  connected?(): void;
  /** Told when the connection broke and is tried again. */
  reconnecting?(reason: string): void;
}

const pauseMs = 1_000;

/** The events of a stream until the signal is given; `path` is below `/_api`, with its query. */
export async function* followEvents(connection: Connection, path: string, options: FollowOptions): AsyncGenerator<StreamEvent> {
  let last: string | undefined;
  let opened = false;
  while (!options.signal.aborted) {
    try {
      for await (const event of readOnce(connection, path, last, options)) {
        opened = true;
        last = event.id ?? last;
        yield event;
      }
      if (options.signal.aborted) return;
      options.reconnecting?.("the stream ended");
    } catch (error) {
      if (options.signal.aborted) return;
      // The first time is the user's mistake or a runtime that is not there; later it may be restarting.
      if (!opened) throw error;
      options.reconnecting?.((error as Error).message);
    }
    await pause(pauseMs, options.signal);
  }
}

async function* readOnce(connection: Connection, path: string, last: string | undefined, { signal, connected }: FollowOptions): AsyncGenerator<StreamEvent> {
  const headers = { authorization: `Bearer ${connection.token}`, ...(last === undefined ? {} : { "last-event-id": last }) };
  const reply = await reach(connection.baseUrl, `${connection.baseUrl}/_api${path}`, { headers, signal });
  if (reply.status !== 200) throw new CommandError(sentence(await reply.text(), reply.status));
  connected?.();
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of reply.body as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(part, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventOf(block);
      if (event !== undefined) yield event;
    }
  }
}

/** The event of one block of the wire format; undefined for comments and settings. */
export function eventOf(block: string): StreamEvent | undefined {
  let id: string | undefined;
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("event: ")) event = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return data.length === 0 ? undefined : { id, event, data: JSON.parse(data.join("\n")) as unknown };
}

function sentence(text: string, status: number): string {
  try {
    return String((JSON.parse(text) as { error: unknown }).error);
  } catch {
    return `the stream was refused with ${status}`;
  }
}
