// Sets a route off again and again, by default some time after the last run ended.
import { defineConnector, Message, type Connector, type Endpoint, type Exchange, type Host, type Source } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sourceFields } from "../camel-options.ts";
import { nextOnGrid, Ticker, type Plan } from "../ticking/ticker.ts";

const path = { name: f.string({ doc: "A name for the scheduler, shown in runs.", required: true }) };

const options = {
  initialDelay: f.duration({ doc: "How long to wait before the first run.", default: 1000 }),
  delay: f.duration({ doc: "The time between runs.", default: 500 }),
  useFixedDelay: f.boolean({ doc: "Whether the delay counts from the end of a run; otherwise runs keep to a fixed grid.", default: true }),
  repeatCount: f.integer({ doc: "How many runs there are in all; 0 means no end.", default: 0, min: 0 }),
  greedy: f.boolean({
    doc: "Whether the next run follows at once, unless the last one set the property CamelSchedulerPolledMessages to false.",
    default: false,
  }),
  includeMetadata: f.boolean({ doc: "Whether the exchange tells the scheduler's name in a property.", default: false }),
  poolSize: f.integer({ doc: "Accepted for flows from Camel: runs of one scheduler never overlap.", default: 1, min: 1, group: "advanced" }),
  startScheduler: f.boolean({ doc: "Whether the scheduler starts with its route.", default: true, group: "advanced" }),
  ...sourceFields,
};

type Options = Values<typeof path> & Values<typeof options>;

export const scheduler = defineConnector({
  scheme: "scheduler",
  title: "Scheduler",
  summary: "Sets a route off again and again, some time after the last run ended.",
  group: "scheduling",
  icon: "calendar-clock",
  since: "0.1",
  syntax: "scheduler:name",
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
  let again = false;
  let ticker: Ticker | undefined;
  const plan: Plan = {
    first: (now) => now + Math.max(firstTickMs, options.initialDelay),
    next({ due, ended, count }) {
      if (options.repeatCount > 0 && count >= options.repeatCount) return undefined;
      if (again || options.delay <= 0) return ended;
      return options.useFixedDelay ? ended + options.delay : nextOnGrid(due, options.delay, ended);
    },
  };
  const over = (exchange: Exchange): void => {
    again = options.greedy && exchange.failure === undefined && String(exchange.property("CamelSchedulerPolledMessages")) !== "false";
  };
  return {
    claims: [],
    exclusive: true,
    start(inlet) {
      if (!options.startScheduler) return;
      ticker?.stop();
      ticker = new Ticker(clock, plan, () => {
        const exchange = inlet.deliver(new Message(null), { trigger, properties, pattern: options.exchangePattern });
        return exchange instanceof Promise ? exchange.then(over) : over(exchange);
      });
      ticker.start();
    },
    stop() {
      ticker?.stop();
      ticker = undefined;
    },
  };
}
