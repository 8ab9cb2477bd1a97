// What the events of one exchange on its way through a route have in common. Many events hold one passage, and it holds little
// but text: what a full ring keeps alive is what tracing costs most.
import type { Exchange, Headers, RouteIdentity, TraceContext } from "@sluice/engine";
import { headersText } from "../masking/preview.ts";
import type { Scrub } from "../masking/secret-values.ts";

type HeaderList = ReturnType<Headers["snapshot"]>;

/** An object's members as they stand in JSON, without the braces. */
export const members = (object: object): string => JSON.stringify(object).slice(1, -1);

export class Passage {
  readonly route: RouteIdentity;
  readonly runId: string;
  readonly sessionId: string | undefined;
  readonly correlationId: string | undefined;
  /** The headers as members of a JSON object. */
  readonly headers: string;
  readonly scrub: Scrub;
  readonly #exchangeId: string;
  readonly #trace: TraceContext | undefined;
  #text: string | undefined = undefined;

  constructor({ id, run }: Exchange, headers: HeaderList, scrub: Scrub) {
    this.route = run.route;
    this.runId = run.id;
    this.sessionId = run.session?.id;
    this.correlationId = run.correlationId;
    this.headers = headersText(headers);
    this.scrub = scrub;
    this.#exchangeId = id;
    this.#trace = run.trace;
  }

  /** Whose passage it is, as members of an event's JSON. */
  get text(): string {
    return (this.#text ??= members({
      flowId: this.route.flowId,
      routeId: this.route.id,
      runId: this.runId,
      exchangeId: this.#exchangeId,
      correlationId: this.correlationId ?? null,
      traceId: this.#trace?.traceId ?? null,
      spanId: this.#trace?.spanId ?? null,
      parentSpanId: this.#trace?.parentSpanId ?? null,
    }));
  }
}

/** The passage of an exchange as it is now: the one asked for last while nothing of it has changed. */
export class Passages {
  #exchange: Exchange | undefined = undefined;
  #headers: HeaderList | undefined = undefined;
  #last: Passage | undefined = undefined;

  of(exchange: Exchange, scrub: Scrub): Passage {
    const { run } = exchange;
    const headers = exchange.message.headers.snapshot();
    const last = this.#last;
    if (exchange === this.#exchange && headers === this.#headers && last?.runId === run.id && last.correlationId === run.correlationId && last.scrub === scrub)
      return last;
    // A header whose value can change behind our back is looked at again each time.
    const isLasting = headers.every(([, value]) => typeof value !== "object" || value === null);
    this.#exchange = isLasting ? exchange : undefined;
    this.#headers = headers;
    return (this.#last = new Passage(exchange, headers, scrub));
  }

  forget(): void {
    this.#exchange = undefined;
    this.#headers = undefined;
    this.#last = undefined;
  }
}
