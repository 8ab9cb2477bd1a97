// The messages runs began and ended with, for replays: of every failed run while there is room, and of the last few that went
// well. Kept by reference until somebody asks or the run fails, so that a run that goes well costs next to nothing. Of a busy
// route not each is kept: the last hundred of ten thousand a second would be gone before anybody could look.
import { storedSize, storeMessage, type StoredMessage } from "@sluice/connectors";
import { bodyTypeOf, toPlainWithin, Message, type Exchange, type FlowError, type Run } from "@sluice/engine";

const largestBody = 64 * 1_024;
const largestStructure = 16 * 1_024;
const recentRuns = 100;
/** Of the runs of one route that go well within a second, this many are kept, and after them one in some time; those of test sessions all. */
const keptPerSecond = 50;
const thenEveryMs = 20;

/** How much of a route's runs was kept lately; times of the runs' ends. */
interface Pace {
  since: number;
  count: number;
  last: number;
}

/** What a run came to, as a replay is compared with it. */
export interface RunOutcome {
  readonly status: string;
  readonly body: unknown;
  readonly bodyType: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly error: { readonly type: string; readonly message: string } | null;
}

/** What is kept of a run, in a form that can be handed to another process. */
export interface KeptRun {
  readonly id: string;
  readonly input: StoredMessage;
  readonly outcome: RunOutcome | undefined;
}

interface Kept {
  readonly id: string;
  readonly message: Message | StoredMessage;
  readonly properties: Exchange["properties"];
  outcome: RunOutcome | undefined;
  /** What it came to, while nobody has asked. */
  ended: Exchange | undefined;
}

export class KeptRuns {
  readonly #maxBytes: number;
  readonly #failed = new Map<string, Kept & { readonly message: StoredMessage }>();
  readonly #recent: (Kept | undefined)[] = Array.from({ length: recentRuns }, () => undefined);
  readonly #paces = new WeakMap<Run["route"], Pace>();
  #next = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  started(run: Run, exchange: Exchange): void {
    // What a route hands to another with `direct:` is part of the caller's run.
    if (this.#maxBytes === 0 || run.parent !== undefined) return;
    const message = snapshot(exchange.message);
    if (message === undefined) return;
    run.kept = { id: run.id, message, properties: exchange.shareProperties(), outcome: undefined, ended: undefined } satisfies Kept;
  }

  ended(run: Run, exchange: Exchange): void {
    const kept = run.kept as Kept | undefined;
    if (kept === undefined) return;
    run.kept = undefined;
    if (run.failure === undefined && !run.handled) {
      if (this.#isDue(run)) this.#keepRecent(kept, exchange);
      return;
    }
    const message = this.#stored(kept);
    if (message === undefined) return;
    this.#failed.set(kept.id, { ...kept, message, outcome: outcomeOf(exchange, run.failure ?? exchange.caught) });
    this.#bytes += storedSize(message) + 1_000;
    for (const [id, oldest] of this.#failed) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#failed.delete(id);
      this.#bytes -= storedSize(oldest.message) + 1_000;
    }
  }

  /** The message a run began with, if it was kept. */
  input(runId: string): StoredMessage | undefined {
    const kept = this.#find(runId);
    return kept === undefined ? undefined : this.#stored(kept);
  }

  outcome(runId: string): RunOutcome | undefined {
    const kept = this.#find(runId);
    return kept?.outcome ?? (kept?.ended === undefined ? undefined : outcomeOf(kept.ended, undefined));
  }

  export(runId: string): KeptRun | undefined {
    const input = this.input(runId);
    return input === undefined ? undefined : { id: runId, input, outcome: this.outcome(runId) };
  }

  /** Takes over what another process kept. */
  adopt({ id, input, outcome }: KeptRun): void {
    this.#recent[this.#next] = { id, message: input, properties: undefined, outcome, ended: undefined };
    this.#next = (this.#next + 1) % recentRuns;
  }

  #isDue({ route, session, endedAt }: Run): boolean {
    if (session !== undefined) return true;
    let pace = this.#paces.get(route);
    if (pace === undefined) this.#paces.set(route, (pace = { since: endedAt, count: 0, last: endedAt }));
    // The clock may have been set back.
    if (endedAt < pace.since || endedAt - pace.since >= 1_000) {
      pace.since = endedAt;
      pace.count = 0;
    }
    if (pace.count >= keptPerSecond && endedAt - pace.last < thenEveryMs) return false;
    pace.count++;
    pace.last = endedAt;
    return true;
  }

  #keepRecent(kept: Kept, exchange: Exchange): void {
    const { body } = exchange.message;
    // A structure is read now, for nobody knows how large it is; the others are bounded and can wait until somebody asks.
    const light =
      (typeof body === "string" && body.length <= largestBody) ||
      (typeof body !== "string" && typeof body !== "object") ||
      body === null ||
      (body instanceof Uint8Array && body.byteLength <= largestBody);
    if (light) kept.ended = exchange;
    else kept.outcome = outcomeOf(exchange, undefined);
    this.#recent[this.#next] = kept;
    this.#next = (this.#next + 1) % recentRuns;
  }

  #find(runId: string): Kept | undefined {
    return this.#failed.get(runId) ?? this.#recent.find((kept) => kept?.id === runId);
  }

  #stored({ message, properties }: Kept): StoredMessage | undefined {
    if (!(message instanceof Message)) return message;
    try {
      return storeMessage(message, { properties }, largestBody);
    } catch {
      return undefined;
    }
  }
}

/** The message as it is now, or undefined when it is too large: text and bytes as they are, structures as a copy. */
function snapshot(message: Message): Message | StoredMessage | undefined {
  const { body } = message;
  if (typeof body === "string") return body.length > largestBody ? undefined : message.copy();
  if (body instanceof Uint8Array) return body.byteLength > largestBody ? undefined : message.copy();
  if (typeof body !== "object" || body === null) return message.copy();
  try {
    return storeMessage(message, {}, largestStructure);
  } catch {
    return undefined;
  }
}

/** What an exchange came to; a body that is too large is not kept and says so by its type. */
export function outcomeOf({ message, run }: Exchange, failure: FlowError | undefined): RunOutcome {
  const { plain, complete } = toPlainWithin(message.body, largestStructure);
  const headers: Record<string, unknown> = Object.create(null);
  for (const [name, value] of message.headers.own()) headers[name] = toPlainWithin(value, 1_024).plain;
  return {
    status: run.status,
    body: complete ? plain : undefined,
    bodyType: bodyTypeOf(message.body),
    headers,
    error: failure === undefined ? null : { type: failure.type, message: failure.message },
  };
}
