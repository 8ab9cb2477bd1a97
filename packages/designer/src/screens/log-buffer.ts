// The newest log lines, bounded. Arriving lines are collected and handed over a few times a second, however many there are.

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

  push(data: string): void {
    let event: Record<string, unknown>;
    try {
      event = JSON.parse(data) as Record<string, unknown>;
    } catch {
      return;
    }
    const text = (name: string): string => (typeof event[name] === "string" ? event[name].slice(0, longest) : "");
    const orNull = (name: string): string | null => (typeof event[name] === "string" ? event[name] : null);
    this.#lines.push({
      key: this.#next++,
      at: text("at"),
      level: text("level"),
      logger: text("logger"),
      message: text("message"),
      flowId: orNull("flowId"),
      routeId: orNull("routeId"),
      runId: orNull("runId"),
    });
    if (this.#lines.length > kept * 1.25) this.#lines = this.#lines.slice(-kept);
  }

  clear(): void {
    this.#lines = [];
  }
}
