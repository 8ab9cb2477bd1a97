// A buffer of the latest log lines with a limited size.

import type { LogEvent } from "@sluice/client";

export type LogLine = Pick<LogEvent, "at" | "level" | "logger" | "message" | "flowId" | "routeId" | "runId"> & { readonly key: number };

const maxLines = 2000;
const maxMessageLength = 4000;

export class LogBuffer {
  #lines: LogLine[] = [];
  #next = 0;

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  push({ at, level, logger, message, flowId, routeId, runId }: LogEvent): void {
    this.#lines.push({ key: this.#next++, at, level, logger, message: message.slice(0, maxMessageLength), flowId, routeId, runId });
    if (this.#lines.length > maxLines * 1.25) this.#lines = this.#lines.slice(-maxLines);
  }

  clear(): void {
    this.#lines = [];
  }
}
