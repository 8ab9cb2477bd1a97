// Input and output messages of runs, for replay: of failed runs within the memory limit, and of the most recent successful runs. Messages are
// stored by reference until they are needed or the run fails, so that successful runs cost almost nothing. Busy routes are sampled:
// otherwise, at ten thousand runs per second, the hundred stored runs would cover only ten milliseconds.
import { storedSize, storeMessage, type StoredMessage } from "@sluice/connectors";
import { Message, isMessage, type Exchange, type FlowError, type Run } from "@sluice/engine";
import { bodyTypeOf, toPlainWithin } from "@sluice/engine/values";

const maxBodyBytes = 64 * 1_024;
const maxStructureBytes = 16 * 1_024;
const maxHeaderLength = 1_024;
const recentRuns = 100;
/** Successful runs stored per route and second; beyond that, one per `sampleEveryMs`. Runs of test sessions are always stored. */
const storedPerSecond = 50;
const sampleEveryMs = 20;

/** Sampling state of a route; times are when runs ended. */
interface SamplingState {
  since: number;
  count: number;
  last: number;
}

/** The result of a run, for comparison with a replay. */
export interface RunOutcome {
  readonly status: string;
  readonly body: unknown;
  readonly bodyType: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The headers whose values are stored in part. */
  readonly truncatedHeaders?: readonly string[];
  readonly error: { readonly type: string; readonly message: string } | null;
}

/** Replay data of a run in serializable form. */
export interface ReplayData {
  readonly id: string;
  readonly input: StoredMessage;
  readonly outcome: RunOutcome | undefined;
}

interface ReplayEntry {
  readonly id: string;
  readonly message: Message | StoredMessage;
  readonly properties: Exchange["properties"];
  outcome: RunOutcome | undefined;
  /** The exchange from which the outcome is computed on demand. */
  ended: Exchange | undefined;
}

export class ReplayStore {
  readonly #maxBytes: number;
  readonly #failed = new Map<string, ReplayEntry & { readonly message: StoredMessage }>();
  readonly #recent: (ReplayEntry | undefined)[] = Array.from({ length: recentRuns }, () => undefined);
  readonly #samplingStates = new WeakMap<Run["route"], SamplingState>();
  #next = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  started(run: Run, exchange: Exchange): void {
    // A run called with `direct:` is replayed together with its caller.
    if (this.#maxBytes === 0 || run.parent !== undefined) return;
    const message = snapshot(exchange.message);
    if (message === undefined) return;
    run.replay = { id: run.id, message, properties: exchange.shareProperties(), outcome: undefined, ended: undefined } satisfies ReplayEntry;
  }

  ended(run: Run, exchange: Exchange): void {
    const entry = run.replay as ReplayEntry | undefined;
    if (entry === undefined) return;
    run.replay = undefined;
    if (run.failure === undefined && !run.handled) {
      if (this.#isDue(run)) this.#addRecent(entry, exchange);
      return;
    }
    const message = this.#toStored(entry);
    if (message === undefined) return;
    this.#failed.set(entry.id, { ...entry, message, outcome: outcomeOf(exchange, run.failure ?? exchange.caught) });
    this.#bytes += storedSize(message) + 1_000;
    for (const [id, oldest] of this.#failed) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#failed.delete(id);
      this.#bytes -= storedSize(oldest.message) + 1_000;
    }
  }

  /** The input message of a run, if it was stored. */
  input(runId: string): StoredMessage | undefined {
    const entry = this.#find(runId);
    return entry === undefined ? undefined : this.#toStored(entry);
  }

  outcome(runId: string): RunOutcome | undefined {
    const entry = this.#find(runId);
    return entry?.outcome ?? (entry?.ended === undefined ? undefined : outcomeOf(entry.ended, undefined));
  }

  export(runId: string): ReplayData | undefined {
    const input = this.input(runId);
    return input === undefined ? undefined : { id: runId, input, outcome: this.outcome(runId) };
  }

  /** Adds the replay data of another process. */
  adopt({ id, input, outcome }: ReplayData): void {
    this.#recent[this.#next] = { id, message: input, properties: undefined, outcome, ended: undefined };
    this.#next = (this.#next + 1) % recentRuns;
  }

  #isDue({ route, session, endedAt }: Run): boolean {
    if (session !== undefined) return true;
    let sampling = this.#samplingStates.get(route);
    if (sampling === undefined) this.#samplingStates.set(route, (sampling = { since: endedAt, count: 0, last: endedAt }));
    // The clock may have been set back.
    if (endedAt < sampling.since || endedAt - sampling.since >= 1_000) {
      sampling.since = endedAt;
      sampling.count = 0;
    }
    if (sampling.count >= storedPerSecond && endedAt - sampling.last < sampleEveryMs) return false;
    sampling.count++;
    sampling.last = endedAt;
    return true;
  }

  #addRecent(entry: ReplayEntry, exchange: Exchange): void {
    const { body } = exchange.message;
    // A structure of unknown size is converted now; other bodies are bounded and converted on demand.
    const isBounded =
      (typeof body === "string" && body.length <= maxBodyBytes) ||
      (typeof body !== "string" && typeof body !== "object") ||
      body === null ||
      (body instanceof Uint8Array && body.byteLength <= maxBodyBytes);
    if (isBounded) entry.ended = exchange;
    else entry.outcome = outcomeOf(exchange, undefined);
    this.#recent[this.#next] = entry;
    this.#next = (this.#next + 1) % recentRuns;
  }

  #find(runId: string): ReplayEntry | undefined {
    return this.#failed.get(runId) ?? this.#recent.find((entry) => entry?.id === runId);
  }

  #toStored({ message, properties }: ReplayEntry): StoredMessage | undefined {
    if (!isMessage(message)) return message;
    try {
      return storeMessage(message, { properties }, maxBodyBytes);
    } catch {
      return undefined;
    }
  }
}

/** A copy of the message, or undefined when it is too large: text and bytes by reference, structures serialized. */
function snapshot(message: Message): Message | StoredMessage | undefined {
  const { body } = message;
  if (typeof body === "string") return body.length > maxBodyBytes ? undefined : message.copy();
  if (body instanceof Uint8Array) return body.byteLength > maxBodyBytes ? undefined : message.copy();
  if (typeof body !== "object" || body === null) return message.copy();
  try {
    return storeMessage(message, {}, maxStructureBytes);
  } catch {
    return undefined;
  }
}

/** The result of an exchange; a body that is too large is omitted. */
export function outcomeOf({ message, run }: Exchange, failure: FlowError | undefined): RunOutcome {
  const { plain, complete } = toPlainWithin(message.body, maxStructureBytes);
  const headers: Record<string, unknown> = Object.create(null);
  const truncatedHeaders: string[] = [];
  for (const [name, value] of message.headers.own()) {
    const header = toPlainWithin(value, maxHeaderLength);
    headers[name] = header.plain;
    if (!header.complete) truncatedHeaders.push(name);
  }
  return {
    status: run.status,
    body: complete ? plain : undefined,
    bodyType: bodyTypeOf(message.body),
    headers,
    ...(truncatedHeaders.length === 0 ? {} : { truncatedHeaders }),
    error: failure === undefined ? null : { type: failure.type, message: failure.message },
  };
}
