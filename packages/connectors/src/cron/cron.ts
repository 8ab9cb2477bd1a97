import { defineConnector, Headers, type Connector } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sourceFields } from "../camel-options.ts";
import { cronSchedule } from "./cron-schedule.ts";
import { cronSource } from "./cron-source.ts";

const path = { name: f.string({ doc: "A name for the schedule, shown in runs.", required: true }) };

const options = {
  schedule: f.string({
    doc: "When to run: five fields (minute hour day month weekday) or Quartz's six or seven with seconds first; blanks may be written as `+`.",
    required: true,
    examples: ["0/30 * * * * ?", "0 6 * * 1-5"],
  }),
  timeZone: f.string({ doc: "The time zone the schedule is meant in, such as Europe/Berlin; the server's own unless given.", examples: ["Europe/Berlin"] }),
  ...sourceFields,
};

type Options = Values<typeof path> & Values<typeof options>;

export const cron = defineConnector({
  scheme: "cron",
  title: "Cron",
  summary: "Sets a route off at the times of a cron expression.",
  group: "scheduling",
  icon: "calendar-clock",
  since: "0.1",
  syntax: "cron:name",
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
