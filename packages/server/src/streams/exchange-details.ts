// Data shared by the events of one exchange in a route. Many events reference it, and it contains little but text, because memory is the
// main cost of tracing.
import type { Exchange, Headers, RouteIdentity, TraceContext } from "@sluice/engine";
import { headersText } from "../masking/preview.ts";
import type { EventScrubber } from "../masking/secret-values.ts";

type HeaderList = ReturnType<Headers["snapshot"]>;

/** The members of an object as JSON, without braces. */
export const members = (object: object): string => JSON.stringify(object).slice(1, -1);

export class ExchangeDetails {
  readonly route: RouteIdentity;
  readonly runId: string;
  readonly sessionId: string | undefined;
  readonly correlationId: string;
  /** The headers as members of a JSON object. */
  readonly headers: string;
  readonly secrets: EventScrubber;
  readonly #exchangeId: string;
  readonly #trace: TraceContext | undefined;
  #text: string | undefined = undefined;

  constructor({ id, run }: Exchange, headers: HeaderList, secrets: EventScrubber) {
    this.route = run.route;
    this.runId = run.id;
    this.sessionId = run.session?.id;
    this.correlationId = run.chainId;
    this.headers = headersText(headers);
    this.secrets = secrets;
    this.#exchangeId = id;
    this.#trace = run.trace;
  }

  /** Ids of the exchange as members of an event's JSON. */
  get text(): string {
    return (this.#text ??= members({
      flowId: this.route.flowId,
      routeId: this.route.id,
      runId: this.runId,
      exchangeId: this.#exchangeId,
      correlationId: this.correlationId,
      traceId: this.#trace?.traceId ?? null,
      spanId: this.#trace?.spanId ?? null,
      parentSpanId: this.#trace?.parentSpanId ?? null,
    }));
  }
}

/** Returns the data of an exchange; reuses the previous object if nothing changed. */
export class ExchangeDetailsCache {
  #exchange: Exchange | undefined = undefined;
  #headers: HeaderList | undefined = undefined;
  #last: ExchangeDetails | undefined = undefined;

  of(exchange: Exchange, secrets: EventScrubber): ExchangeDetails {
    const { run } = exchange;
    const headers = exchange.message.headers.snapshot();
    const last = this.#last;
    if (exchange === this.#exchange && headers === this.#headers && last?.runId === run.id && last.correlationId === run.chainId && last.secrets === secrets)
      return last;
    // Headers with mutable values are read again each time.
    const isCacheable = headers.every(([, value]) => typeof value !== "object" || value === null);
    this.#exchange = isCacheable ? exchange : undefined;
    this.#headers = headers;
    return (this.#last = new ExchangeDetails(exchange, headers, secrets));
  }

  forget(): void {
    this.#exchange = undefined;
    this.#headers = undefined;
    this.#last = undefined;
  }
}
