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
  /** What the messages of a session logged so far, oldest first. */
  logged(sessionId: string): Promise<readonly LoggedLine[]>;
}

export interface LoggedLine {
  readonly level: string;
  readonly message: string;
}

/** How long the log stream is read for what it replays: it has no end of its own. */
const replayMs = 150;

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
    async logged(sessionId) {
      const reply = await fetch(`${baseUrl}/_api/logs/stream?sessionId=${encodeURIComponent(sessionId)}&replay=10000`, { headers: authorization });
      return linesOf(await readFor(reply, replayMs));
    },
  };
}

async function replyOf(reply: Response): Promise<TransportReply> {
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}

async function readFor(reply: Response, ms: number): Promise<string> {
  const reader = reply.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  const timer = setTimeout(() => void reader.cancel(), ms);
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value, { stream: true });
  clearTimeout(timer);
  return text;
}

function linesOf(stream: string): readonly LoggedLine[] {
  return stream
    .split("\n\n")
    .filter((event) => event.includes("event: log"))
    .flatMap((event) => event.split("\n").filter((line) => line.startsWith("data: ")))
    .map((line) => JSON.parse(line.slice("data: ".length)) as LoggedLine);
}
