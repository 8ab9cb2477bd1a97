import { count } from "./count.ts";

/** What cards of a deployed flow tell about its traffic. */
export const figuresStrings = {
  show: "Live",
  hint: "Messages as they come, and rate, failures and 95th percentile of the last 5 minutes, on the cards",
  count: (messages: number) => (messages < 10_000 ? `${messages}×` : `${Math.floor(messages / 1_000)}k×`),
  seen: (messages: number, failed: number, last: string) =>
    `Since this page looks: ${count(messages, "message", "messages")}, ${failed} failed, the last one took ${last}`,
  perMinute: (number: string) => `${number}/min`,
  perSecond: (number: string) => `${number}/s`,
  p95: (duration: string) => `p95 ${duration}`,
  failed: (number: number) => `${number} failed`,
  told: (messages: number, failed: number, p95: string | undefined) =>
    `Last 5 minutes: ${count(messages, "message", "messages")}, ${failed} failed${p95 === undefined ? "" : `, 95 of 100 took at most ${p95}`}`,
} as const;
