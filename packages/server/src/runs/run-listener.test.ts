import type { SluiceEvent } from "@sluice/connectors";
import { Exchange, FlowError, Message, Run } from "@sluice/engine";
import { expect, it } from "vitest";
import { createSecretValues } from "../masking/secret-values.ts";
import { createRunListener, type RunObservers } from "./run-listener.ts";

it("masks secrets and passwords of URIs in the events of failed runs, which flows receive", () => {
  const secrets = createSecretValues();
  secrets.set("flow", ["top-secret"]);
  const events: SluiceEvent[] = [];
  const ignore = { ended: () => undefined, runEnded: () => undefined, write: () => undefined };
  const observers = { history: ignore, replayStore: ignore, counts: ignore, trace: ignore, log: ignore, spans: undefined, secrets };
  const listener = createRunListener({ ...observers, events: { emit: (event: SluiceEvent) => void events.push(event) } } as unknown as RunObservers);
  const run = new Run("run_1", { id: "r", flowId: "f", flowHash: "h" }, 0, { uri: "webhook" });
  run.status = "failed";
  run.failure = new FlowError("java.lang.Exception", "top-secret at http://u:pw@h");
  listener.ended(run, new Exchange("e", run, "InOut", new Message(null)));
  expect(events).toMatchObject([{ name: "run.failed", details: { error: { message: "*** at http://u:***@h" } } }]);
});
