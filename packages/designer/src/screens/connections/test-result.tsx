import type { ConnectionTestFailure, ConnectionTestSuccess } from "@sluice/client";
import { connectionStrings as labels } from "../../strings/connections.ts";

export interface TestResultProps {
  readonly outcome: ConnectionTestSuccess | ConnectionTestFailure | undefined;
  readonly isTesting: boolean;
}

/** The result of a connection test as text. The element exists before the result, so that screen readers announce it. */
export function TestResult({ outcome, isTesting }: TestResultProps) {
  const className = isTesting || outcome === undefined ? "muted" : outcome.ok ? "connections__works" : "connections__fails";
  return (
    <span className={className} role="status">
      {isTesting
        ? labels.testing
        : outcome === undefined
          ? null
          : outcome.ok
            ? labels.testPassed(outcome.server, outcome.ms)
            : labels.testFailed(outcome.error, outcome.hint)}
    </span>
  );
}
