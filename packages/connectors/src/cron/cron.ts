import { defineConnector, Headers, type Connector } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sourceFields } from "../camel-options.ts";
import { cronSchedule } from "./cron-schedule.ts";
import { cronSource } from "./cron-source.ts";

const path = { name: f.string({ doc: "Name of the schedule, shown in runs.", required: true }) };

const options = {
  schedule: f.string({
    doc: "Cron expression: five fields (minute hour day month weekday), or six or seven in Quartz format with seconds first; spaces may be written as `+`.",
    required: true,
    examples: ["0/30 * * * * ?", "0 6 * * 1-5"],
  }),
  timeZone: f.string({ doc: "Time zone of the schedule, such as Europe/Berlin; the server's time zone by default.", examples: ["Europe/Berlin"] }),
  ...sourceFields,
};

type Options = Values<typeof path> & Values<typeof options>;

export const cron = defineConnector({
  scheme: "cron",
  title: "Cron",
  summary: "Triggers a route on a cron schedule.",
  guarantees:
    "Runs of one schedule never overlap; if times are missed during a long run, one run follows for all of them. Times missed while the runtime was down are skipped. The route never runs twice for the same time of day, even when the clock changes, for example for daylight saving time. With several workers, one of them runs the schedule.",
  group: "scheduling",
  icon: "calendar-clock",
  paletteGroup: "receive",
  card: { subtitle: "{schedule}" },
  since: "0.1",
  keywords: ["schedule", "time"],
  syntax: "cron:name",
  roles: ["source"],
  trigger: "schedule",
  path,
  options,
  headers: {},
  examples: [
    {
      title: "Every second",
      yaml: `- route:
    id: example
    from:
      uri: cron:each-second
      parameters: {schedule: "* * * * * ?"}
      steps:
        - setBody: {constant: now}
        - to: mock:result`,
      expect: { body: "now" },
    },
  ],
  connect: ({ clock }): Connector<Options> => ({
    source: ({ uri, options: { schedule, timeZone, exchangePattern: pattern } }) =>
      cronSource({
        clock,
        schedule: cronSchedule(schedule.replaceAll("+", " "), timeZone),
        delivery: { trigger: { uri }, pattern },
        startDelayMs: 0,
        headers: () => new Headers(),
      }),
  }),
});
