export interface ServerEvent {
  readonly id: string | undefined;
  /** `trace`, `log` or `gap`. */
  readonly name: string;
  readonly data: unknown;
}

/** More than this without the end of an event is no event stream of ours. */
const largestEvent = 4 * 1024 * 1024;

/** Reads server-sent events; comments are left out. Ends quietly when the signal is aborted. */
export async function* readEvents(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const part = await reader.read();
      if (part.done) return;
      text += decoder.decode(part.value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      if (text.length > largestEvent) throw new Error("an event of the stream is too large");
      for (const block of blocks) {
        const event = eventOf(block);
        if (event !== undefined) yield event;
      }
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): ServerEvent | undefined {
  let id: string | undefined;
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, field, value = ""] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (field === "id") id = value;
    else if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { id, name, data: JSON.parse(data.join("\n")) as unknown };
}
