// The newest log lines, bounded. Arriving lines are collected and handed over a few times a second, however many there are.

import type { LogEvent } from "@sluice/client";

export interface LogLine {
  readonly key: number;
  readonly at: string;
  readonly level: string;
  readonly logger: string;
  readonly message: string;
  readonly flowId: string | null;
  readonly routeId: string | null;
  readonly runId: string | null;
}

const kept = 2000;
const longest = 4000;

export class LogBuffer {
  #lines: LogLine[] = [];
  #next = 0;

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  push({ at, level, logger, message, flowId, routeId, runId }: LogEvent): void {
    this.#lines.push({ key: this.#next++, at, level, logger, message: message.slice(0, longest), flowId, routeId, runId });
    if (this.#lines.length > kept * 1.25) this.#lines = this.#lines.slice(-kept);
  }

  clear(): void {
    this.#lines = [];
  }
}
