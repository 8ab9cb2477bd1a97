// Breaks dependency cycles during startup: holders for parts that are created after the parts that use them.
import type { Runtime } from "@sluice/engine";
import type { Captures } from "../replay/captures.ts";
import type { FlowParts } from "../flows/installed-flows.ts";
import type { HttpListener } from "../http/listener.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";

export interface LateParts {
  readonly runtime: LatePart<Runtime>;
  readonly sessions: LatePart<TestSessions>;
  readonly captures: LatePart<Captures>;
  readonly flows: LatePart<FlowParts>;
  readonly listener: LatePart<HttpListener>;
}

class LatePart<T> {
  readonly #name: string;
  #part: T | undefined = undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Throws when the part does not exist yet, which means that the start order is wrong. */
  get current(): T {
    if (this.#part === undefined) throw new Error(`'${this.#name}' was used before it was created`);
    return this.#part;
  }

  set(part: T): T {
    return (this.#part = part);
  }
}

export function createLateParts(): LateParts {
  return {
    runtime: new LatePart("runtime"),
    sessions: new LatePart("sessions"),
    captures: new LatePart("captures"),
    flows: new LatePart("flows"),
    listener: new LatePart("listener"),
  };
}
