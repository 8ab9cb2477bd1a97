// Triggers a route periodically. Uses the monotonic clock: changes to the wall clock have no effect.
import {
  CompileError,
  defineConnector,
  Headers,
  Message,
  type Connector,
  type Delivery,
  type Endpoint,
  type Host,
  type RouteInput,
  type Source,
} from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sourceFields } from "../camel-options.ts";
import { nextOnGrid, tickClaim, Ticker, type Plan } from "../ticking/ticker.ts";

const path = { timerName: f.string({ doc: "Name of the timer, shown in runs.", required: true }) };

const options = {
  delay: f.duration({ doc: "Delay before the first run; -1 starts immediately, and each run follows the previous one without a pause.", default: 1000 }),
  period: f.duration({ doc: "Time between runs; 0 or less for a single run.", default: 1000 }),
  repeatCount: f.integer({ doc: "Maximum number of runs; 0 for no limit.", default: 0, min: 0 }),
  fixedRate: f.boolean({ doc: "Whether runs start at a fixed rate instead of one period after the start of the previous run.", default: false }),
  time: f.string({
    doc: "Time of the first run, as `yyyy-MM-dd HH:mm:ss` or `yyyy-MM-ddTHH:mm:ss`, in the server's time zone.",
    examples: ["2026-12-24 18:00:00"],
  }),
  includeMetadata: f.boolean({ doc: "Whether the name, counter, period and firing time of the timer are set as exchange properties.", default: false }),
  daemon: f.boolean({ doc: "Accepted but ignored: there are no threads.", default: true, group: "advanced" }),
  synchronous: f.boolean({ doc: "Accepted but ignored: runs of one timer never overlap.", default: false, group: "advanced" }),
  ...sourceFields,
};

type Options = Values<typeof path> & Values<typeof options>;

export const timer = defineConnector({
  scheme: "timer",
  title: "Timer",
  summary: "Triggers a route periodically with an empty message.",
  guarantees:
    "Runs of one timer never overlap. If ticks are missed during a long run, one run follows immediately; with fixedRate they are all skipped. Ticks missed while the runtime was down are skipped. Changes to the wall clock have no effect on the period. With several workers, one of them runs the timer.",
  group: "scheduling",
  icon: "alarm-clock",
  paletteGroup: "receive",
  card: { subtitle: "Every {period}" },
  since: "0.1",
  keywords: ["cron", "schedule", "interval"],
  syntax: "timer:timerName",
  roles: ["source"],
  trigger: "schedule",
  local: true,
  path,
  options,
  headers: {
    CamelTimerFiredTime: f.string({ doc: "Time of the tick, with includeMetadata." }),
    CamelMessageTimestamp: f.integer({ doc: "The same in milliseconds since the epoch, with includeMetadata." }),
  },
  examples: [
    {
      title: "One tick",
      yaml: `- route:
    id: example
    from:
      uri: timer:tick
      parameters: {delay: 10ms, repeatCount: 1}
      steps:
        - setBody: {constant: tick}
        - to: mock:result`,
      expect: { body: "tick" },
    },
  ],
  connect: (host): Connector<Options> => ({ source: (endpoint) => timerSource(endpoint, host) }),
});

function timerSource(endpoint: Endpoint<Options>, host: Host): Source {
  const { clock } = host;
  const { time } = endpoint.options;
  const at = time === undefined ? undefined : parseTime(time);
  const plan = timerPlan(endpoint.options, at, host);
  let ticker: Ticker | undefined;
  return {
    claims: [],
    exclusive: true,
    start(routeInput) {
      ticker?.stop();
      const { delay, period, repeatCount } = endpoint.options;
      const claim = tickClaim(routeInput, clock, { periodMs: delay < 0 ? 0 : period, isCounted: repeatCount > 0 || (delay >= 0 && period <= 0) });
      ticker = new Ticker(clock, plan, (count) => tick(routeInput, count), claim);
      ticker.start();
    },
    stop() {
      ticker?.stop();
      ticker = undefined;
    },
  };

  function tick(routeInput: RouteInput, count: number) {
    const trigger = { uri: endpoint.uri };
    const pattern = endpoint.options.exchangePattern;
    if (!endpoint.options.includeMetadata) return routeInput.deliver(new Message(null), { trigger, pattern });
    const now = clock.now();
    const firedAt = new Date(now);
    const delivery: Delivery = { trigger, pattern, properties: metadata(endpoint.options, count, firedAt, at) };
    return routeInput.deliver(new Message(null, Headers.of({ CamelTimerFiredTime: firedAt, CamelMessageTimestamp: now })), delivery);
  }
}

function timerPlan({ delay, period, repeatCount, fixedRate }: Options, at: number | undefined, { clock, firstTickMs = 0 }: Host): Plan {
  const backToBack = delay < 0;
  return {
    first: (now) => (at === undefined ? now + Math.max(firstTickMs, delay) : now + Math.max(0, at - clock.now())),
    next({ due, started, ended, count }) {
      if (repeatCount > 0 && count >= repeatCount) return undefined;
      if (backToBack) return ended;
      if (period <= 0) return undefined;
      return fixedRate ? nextOnGrid(due, period, ended) : started + period;
    },
  };
}

function metadata({ timerName, period }: Options, count: number, firedAt: Date, at: number | undefined): Map<string, unknown> {
  const properties = new Map<string, unknown>([
    ["CamelTimerName", timerName],
    ["CamelTimerCounter", count],
    ["CamelTimerPeriod", period],
    ["CamelTimerFiredTime", firedAt],
  ]);
  if (at !== undefined) properties.set("CamelTimerTime", new Date(at));
  return properties;
}

function parseTime(text: string): number {
  const match = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})$/.exec(text);
  const at = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}`);
  if (Number.isNaN(at)) throw new CompileError("bad-option", `time '${text}' is not a valid date and time`, { hint: "write it as 2026-12-24 18:00:00" });
  return at;
}
