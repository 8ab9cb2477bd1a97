// Server-sent events over fetch, because the browser's own reader cannot say which target is meant. Reconnects by itself and
// resumes behind the last event it saw.

export interface StreamEvent {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: string;
}

export interface StreamOptions {
  readonly headers?: Readonly<Record<string, string>>;
  onEvent(event: StreamEvent): void;
  onState?(state: "connecting" | "open" | "down", reason?: string): void;
}

const largestEvent = 1024 * 1024;

/** Reads a stream until the returned function is called. */
export function openEventStream(path: string, options: StreamOptions): () => void {
  const ended = new AbortController();
  let lastId: string | undefined;
  void (async () => {
    for (let waitMs = 500; !ended.signal.aborted; waitMs = Math.min(waitMs * 2, 10_000)) {
      options.onState?.("connecting");
      const reason = await readOnce(path, options, ended.signal, lastId, (event) => {
        waitMs = 500;
        lastId = event.id ?? lastId;
        options.onEvent(event);
      });
      if (ended.signal.aborted) return;
      options.onState?.("down", reason);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  })();
  return () => ended.abort();
}

/** One connection; gives the reason for its end. */
async function readOnce(
  path: string,
  { headers, onState }: StreamOptions,
  signal: AbortSignal,
  lastId: string | undefined,
  onEvent: (event: StreamEvent) => void,
): Promise<string> {
  try {
    const response = await fetch(path, {
      headers: { accept: "text/event-stream", ...headers, ...(lastId === undefined ? {} : { "last-event-id": lastId }) },
      signal,
    });
    if (!response.ok || response.body === null) {
      const { error } = (await response.json().catch(() => ({}))) as { error?: string };
      return error ?? `status ${response.status}`;
    }
    onState?.("open");
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    const parser = new EventParser(onEvent);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return "the stream ended";
      parser.push(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    return (error as Error).message;
  }
}

/** Takes the text of a stream in any pieces and gives its events. */
export class EventParser {
  readonly #emit: (event: StreamEvent) => void;
  #rest = "";
  #data: string[] = [];
  #size = 0;
  #name = "message";
  #id: string | undefined;

  constructor(emit: (event: StreamEvent) => void) {
    this.#emit = emit;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = (lines.pop() as string).slice(-largestEvent);
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === "") return this.#end();
    if (line.startsWith(":")) return;
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data" && this.#size < largestEvent) {
      this.#data.push(value);
      this.#size += value.length;
    } else if (field === "event") this.#name = value;
    else if (field === "id") this.#id = value;
  }

  #end(): void {
    if (this.#data.length > 0) this.#emit({ id: this.#id, name: this.#name, data: this.#data.join("\n") });
    this.#data = [];
    this.#size = 0;
    this.#name = "message";
  }
}
