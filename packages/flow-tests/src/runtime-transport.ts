// How a runner of flow tests talks to a runtime. Over HTTP here; a runtime in the same process can offer the same.

export interface TransportReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface RuntimeTransport {
  /** A call of the management API; `path` is below `/_api`. */
  api(method: string, path: string, body?: unknown): Promise<TransportReply>;
  /** A call of a webhook; `path` is the whole path with its query. */
  webhook(method: string, path: string, headers: Readonly<Record<string, string>>, body: string | undefined): Promise<TransportReply>;
  /** Begins to listen to what the messages of a session log. */
  followLog(sessionId: string): Promise<FollowedLog>;
}

export interface FollowedLog {
  /** What was logged so far, oldest first. */
  lines(): Promise<readonly LoggedLine[]>;
  close(): void;
}

export interface LoggedLine {
  readonly level: string;
  readonly message: string;
}

/** How long what was just logged may take to arrive. */
const arrivalMs = 100;

export function httpTransport(baseUrl: string, token: string): RuntimeTransport {
  const authorization = { authorization: `Bearer ${token}` };
  return {
    async api(method, path, body) {
      const content = body === undefined ? {} : { body: JSON.stringify(body) };
      return replyOf(await fetch(`${baseUrl}/_api${path}`, { method, headers: authorization, ...content }));
    },
    async webhook(method, path, headers, body) {
      return replyOf(await fetch(baseUrl + path, { method, headers, redirect: "manual", ...(body === undefined ? {} : { body }) }));
    },
    async followLog(sessionId) {
      const stop = new AbortController();
      const reply = await fetch(`${baseUrl}/_api/logs/stream?sessionId=${encodeURIComponent(sessionId)}`, { headers: authorization, signal: stop.signal });
      const log = { text: "" };
      void collect(reply, log).catch(() => undefined);
      return {
        async lines() {
          await new Promise((resolve) => setTimeout(resolve, arrivalMs));
          return linesOf(log.text);
        },
        close: () => stop.abort(),
      };
    },
  };
}

async function replyOf(reply: Response): Promise<TransportReply> {
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}

/** Ends when the stream does, or by being aborted. */
async function collect(reply: Response, log: { text: string }): Promise<void> {
  const reader = reply.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  for (let part = await reader.read(); !part.done; part = await reader.read()) log.text += decoder.decode(part.value, { stream: true });
}

function linesOf(stream: string): readonly LoggedLine[] {
  return stream
    .split("\n\n")
    .filter((event) => event.includes("event: log"))
    .flatMap((event) => event.split("\n").filter((line) => line.startsWith("data: ")))
    .map((line) => JSON.parse(line.slice("data: ".length)) as LoggedLine);
}
