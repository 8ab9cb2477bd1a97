import type { ConnectionFails, ConnectionWorks } from "@sluice/client";
import { connectionStrings as words } from "../../strings/connections.ts";

export interface TestResultProps {
  readonly outcome: ConnectionWorks | ConnectionFails | undefined;
  readonly isTesting: boolean;
}

/** The result of a connection test as text. The element exists before the result, so that screen readers announce it. */
export function TestResult({ outcome, isTesting }: TestResultProps) {
  const className = isTesting || outcome === undefined ? "muted" : outcome.ok ? "connections__works" : "connections__fails";
  return (
    <span className={className} role="status">
      {isTesting
        ? words.testing
        : outcome === undefined
          ? null
          : outcome.ok
            ? words.works(outcome.server, outcome.ms)
            : words.fails(outcome.error, outcome.hint)}
    </span>
  );
}
