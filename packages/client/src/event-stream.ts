// Parses server-sent events from text in chunks.
export interface ServerEvent<Name extends string = string, Data = unknown> {
  readonly id: string | undefined;
  readonly name: Name;
  readonly data: Data;
}

/** Larger events are rejected: the runtime never sends them. */
const maxEventLength = 4 * 1024 * 1024;

/** Reads a stream to its end, ignoring comments. Returns normally when the signal is aborted. */
export async function* readEvents(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventParser();
  try {
    for (;;) {
      const part = await reader.read();
      if (part.done) return;
      for (const event of parser.push(decoder.decode(part.value, { stream: true }))) {
        if (signal?.aborted === true) return;
        yield event;
      }
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Accepts the text of a stream in chunks and returns the complete events. */
export class EventParser {
  #rest = "";
  #data: string[] = [];
  #size = 0;
  #name = "message";
  #id: string | undefined;

  push(text: string): readonly ServerEvent[] {
    const events: ServerEvent[] = [];
    // A chunk may end between \r and \n: the \r is examined again with the next chunk.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() as string;
    for (const line of lines) {
      if (line === "") this.#end(events);
      else this.#line(line);
    }
    if (this.#rest.length + this.#size > maxEventLength) throw new Error("an event of the stream is too large");
    return events;
  }

  #line(line: string): void {
    const [, field, value = ""] = /^(id|event|data)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "id") this.#id = value;
    else if (field === "event") this.#name = value;
    else if (field === "data") {
      this.#data.push(value);
      this.#size += value.length;
    }
  }

  #end(events: ServerEvent[]): void {
    if (this.#data.length > 0) events.push({ id: this.#id, name: this.#name, data: JSON.parse(this.#data.join("\n")) as unknown });
    this.#data = [];
    this.#size = 0;
    this.#name = "message";
    this.#id = undefined;
  }
}
