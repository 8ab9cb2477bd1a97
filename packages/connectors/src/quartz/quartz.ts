// Quartz schedules: a cron expression, or a simple trigger with an interval and a count.
import { CompileError, defineConnector, Headers, Message, type Connector, type Endpoint, type Host, type Source } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sourceFields } from "../camel-options.ts";
import { cronSchedule } from "../cron/cron-schedule.ts";
import { cronSource, type CronTick } from "../cron/cron-source.ts";
import { nextOnGrid, tickClaim, Ticker } from "../ticking/ticker.ts";

const path = { triggerName: f.string({ doc: "Name of the trigger, optionally preceded by its group and a slash.", required: true }) };

const ignoredDoc = "Accepted but ignored: there is no job store.";

const options = {
  cron: f.string({ doc: "Cron expression in Quartz format; spaces may be written as `+`.", examples: ["0/30 * * * * ?"] }),
  "trigger.timeZone": f.string({ doc: "Time zone of the cron expression; the server's time zone by default." }),
  "trigger.repeatInterval": f.duration({ doc: "Without cron: interval between runs." }),
  "trigger.repeatCount": f.integer({ doc: "Without cron: number of runs after the first; -1 for no limit.", default: 0, min: -1 }),
  triggerStartDelay: f.duration({ doc: "Delay between the start of the route and the start of the schedule.", default: 500 }),
  stateful: f.boolean({ doc: "Accepted but ignored: runs of one schedule never overlap.", default: false, group: "advanced" }),
  fireNow: f.boolean({ doc: "Without cron: whether the first run starts immediately.", default: false }),
  deleteJob: f.boolean({ doc: ignoredDoc, default: true, group: "advanced" }),
  pauseJob: f.boolean({ doc: ignoredDoc, default: false, group: "advanced" }),
  durableJob: f.boolean({ doc: ignoredDoc, default: false, group: "advanced" }),
  recoverableJob: f.boolean({ doc: ignoredDoc, default: false, group: "advanced" }),
  autoStartScheduler: f.boolean({ doc: "Accepted but ignored: the schedule starts with the route.", default: true, group: "advanced" }),
  ...sourceFields,
};

type Options = Values<typeof path> & Values<typeof options>;

export const quartz = defineConnector({
  scheme: "quartz",
  title: "Quartz",
  summary: "Triggers a route at the times of a Quartz cron expression or interval.",
  guarantees:
    "Runs of one trigger never overlap. If times are missed during a long run, one run follows for all of them with cron; with an interval they are skipped. There is no job store: times missed while the runtime was down are skipped. With several workers, one of them runs the schedule.",
  group: "scheduling",
  icon: "calendar-clock",
  paletteGroup: "receive",
  card: { subtitle: "{cron}" },
  since: "0.1",
  keywords: ["cron", "schedule", "wait"],
  syntax: "quartz:triggerName",
  roles: ["source"],
  trigger: "schedule",
  path,
  options,
  headers: {
    fireTime: f.string({ doc: "With cron: when the run started." }),
    scheduledFireTime: f.string({ doc: "With cron: when the run was due." }),
    previousFireTime: f.string({ doc: "With cron: when the previous run was due." }),
    nextFireTime: f.string({ doc: "With cron: when the next run is due." }),
    refireCount: f.integer({ doc: "With cron: always 0, because the schedule does not repeat runs." }),
    triggerName: f.string({ doc: "With cron: the name of the trigger." }),
    triggerGroup: f.string({ doc: "With cron: the group of the trigger; `Camel` if the address contains none." }),
  },
  examples: [
    {
      title: "Every second, in Quartz format",
      yaml: `- route:
    id: example
    from:
      uri: quartz:reports/each-second
      parameters: {cron: "* * * * * ?"}
      steps:
        - setBody: {simple: "\${header.triggerGroup}"}
        - to: mock:result`,
      expect: { body: "reports" },
    },
  ],
  connect: (host): Connector<Options> => ({ source: (endpoint) => quartzSource(endpoint, host) }),
});

function quartzSource(endpoint: Endpoint<Options>, host: Host): Source {
  const { uri, options } = endpoint;
  if (options.cron === undefined) return simpleTrigger(endpoint, host);
  const slash = options.triggerName.indexOf("/");
  const names = { triggerName: options.triggerName.slice(slash + 1), triggerGroup: slash < 0 ? "Camel" : options.triggerName.slice(0, slash) };
  return cronSource({
    clock: host.clock,
    schedule: cronSchedule(options.cron.replaceAll("+", " "), options["trigger.timeZone"]),
    delivery: { trigger: { uri }, pattern: options.exchangePattern },
    startDelayMs: options.triggerStartDelay,
    headers: (tick: CronTick) =>
      Headers.of({
        fireTime: new Date(tick.firedAt),
        scheduledFireTime: new Date(tick.scheduledAt),
        previousFireTime: date(tick.previousAt),
        nextFireTime: date(tick.nextAt),
        refireCount: 0,
        ...names,
      }),
  });
}

const date = (time: number | undefined): Date | null => (time === undefined ? null : new Date(time));

function simpleTrigger({ uri, options }: Endpoint<Options>, { clock, firstTickMs = 0 }: Host): Source {
  const interval = options["trigger.repeatInterval"];
  const repeats = options["trigger.repeatCount"];
  if (interval === undefined && repeats !== 0)
    throw new CompileError("bad-option", "quartz needs cron, or trigger.repeatInterval for the interval of its runs", {
      hint: "add cron=0/30+*+*+*+*+? or an interval",
    });
  let ticker: Ticker | undefined;
  return {
    claims: [],
    exclusive: true,
    start(routeInput) {
      ticker?.stop();
      ticker = new Ticker(
        clock,
        {
          first: (now) => now + Math.max(firstTickMs, options.fireNow ? 0 : options.triggerStartDelay),
          next: ({ due, ended, count }) => (interval === undefined || (repeats >= 0 && count > repeats) ? undefined : nextOnGrid(due, interval, ended)),
        },
        () => routeInput.deliver(new Message(null), { trigger: { uri }, pattern: options.exchangePattern }),
        tickClaim(routeInput, clock, { periodMs: interval ?? 0, isCounted: interval === undefined || repeats >= 0 }),
      );
      ticker.start();
    },
    stop() {
      ticker?.stop();
      ticker = undefined;
    },
  };
}
