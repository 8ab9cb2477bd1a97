// Triggers a route repeatedly, by default with a delay after the end of the previous run.
import { defineConnector, Message, type Awaitable, type Connector, type Endpoint, type Exchange, type Host, type Source } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sourceFields } from "../camel-options.ts";
import { nextOnGrid, tickClaim, Ticker, type Plan } from "../ticking/ticker.ts";

const path = { name: f.string({ doc: "Name of the scheduler, shown in runs.", required: true }) };

const options = {
  initialDelay: f.duration({ doc: "Delay before the first run.", default: 1000 }),
  delay: f.duration({ doc: "Delay between runs.", default: 500 }),
  useFixedDelay: f.boolean({ doc: "Whether the delay counts from the end of a run; otherwise runs follow a fixed rate.", default: true }),
  repeatCount: f.integer({ doc: "Maximum number of runs; 0 for no limit.", default: 0, min: 0 }),
  greedy: f.boolean({
    doc: "Whether the next run starts immediately, unless the previous one failed or set the property CamelSchedulerPolledMessages to false.",
    default: false,
  }),
  includeMetadata: f.boolean({ doc: "Whether the name of the scheduler is set as an exchange property.", default: false }),
  poolSize: f.integer({ doc: "Accepted but ignored: runs of one scheduler never overlap.", default: 1, min: 1, group: "advanced" }),
  startScheduler: f.boolean({ doc: "Whether the scheduler starts with its route.", default: true, group: "advanced" }),
  ...sourceFields,
};

type Options = Values<typeof path> & Values<typeof options>;

export const scheduler = defineConnector({
  scheme: "scheduler",
  title: "Scheduler",
  summary: "Triggers a route repeatedly, with a delay after the end of the previous run.",
  guarantees:
    "Runs of one scheduler never overlap. Runs missed while the runtime was down are skipped. Changes to the wall clock have no effect. With several workers, one of them runs the schedule.",
  group: "scheduling",
  icon: "calendar-clock",
  paletteGroup: "receive",
  card: { subtitle: "Every {delay}" },
  since: "0.1",
  syntax: "scheduler:name",
  roles: ["source"],
  trigger: "schedule",
  path,
  options,
  headers: {},
  examples: [
    {
      title: "One run, shortly after the start",
      yaml: `- route:
    id: example
    from:
      uri: scheduler:nightly
      parameters: {initialDelay: 10ms, repeatCount: 1}
      steps:
        - setBody: {constant: ran}
        - to: mock:result`,
      expect: { body: "ran" },
    },
  ],
  connect: (host): Connector<Options> => ({ source: (endpoint) => schedulerSource(endpoint, host) }),
});

function schedulerSource({ uri, options }: Endpoint<Options>, { clock, firstTickMs = 0 }: Host): Source {
  const trigger = { uri };
  const properties = options.includeMetadata ? new Map<string, unknown>([["CamelSchedulerName", options.name]]) : undefined;
  let startsImmediately = false;
  let ticker: Ticker | undefined;
  const plan: Plan = {
    first: (now) => now + Math.max(firstTickMs, options.initialDelay),
    next({ due, ended, count }) {
      if (options.repeatCount > 0 && count >= options.repeatCount) return undefined;
      if (startsImmediately || options.delay <= 0) return ended;
      return options.useFixedDelay ? ended + options.delay : nextOnGrid(due, options.delay, ended);
    },
  };
  const handleRunEnd = (exchange: Exchange): void => {
    startsImmediately = options.greedy && exchange.failure === undefined && String(exchange.property("CamelSchedulerPolledMessages")) !== "false";
  };
  return {
    claims: [],
    exclusive: true,
    start(routeInput) {
      if (!options.startScheduler) return;
      ticker?.stop();
      const run = (): Awaitable => {
        const exchange = routeInput.deliver(new Message(null), { trigger, properties, pattern: options.exchangePattern });
        return exchange instanceof Promise ? exchange.then(handleRunEnd) : handleRunEnd(exchange);
      };
      ticker = new Ticker(clock, plan, run, tickClaim(routeInput, clock, { periodMs: options.greedy ? 0 : options.delay, isCounted: options.repeatCount > 0 }));
      ticker.start();
    },
    stop() {
      ticker?.stop();
      ticker = undefined;
    },
  };
}
