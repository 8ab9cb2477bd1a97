import { count } from "./count.ts";

/** Text of the metrics on the step cards of a deployed flow. */
export const metricsStrings = {
  show: "Live",
  hint: "Show live message counts, and the rate, failures and p95 latency of the last 5 minutes on each step",
  count: (messages: number) => (messages < 10_000 ? `${messages}×` : `${Math.floor(messages / 1_000)}k×`),
  seen: (messages: number, failed: number, last: string) =>
    `Since you opened this page: ${count(messages, "message", "messages")}, ${failed} failed, last took ${last}`,
  perMinute: (number: string) => `${number}/min`,
  perSecond: (number: string) => `${number}/s`,
  p95: (duration: string) => `p95 ${duration}`,
  failed: (number: number) => `${number} failed`,
  lastFiveMinutes: (messages: number, failed: number, p95: string | undefined) =>
    `Last 5 minutes: ${count(messages, "message", "messages")}, ${failed} failed${p95 === undefined ? "" : `, p95 latency ${p95}`}`,
} as const;
