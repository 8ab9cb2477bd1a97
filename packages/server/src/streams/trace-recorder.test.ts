import type { Route, Runtime } from "@sluice/engine";
import { expect, it } from "vitest";
import { systemClock } from "../host/clock.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import type { HubClient } from "./event-hub.ts";
import { createStreamFilter } from "./stream-filter.ts";
import { TraceRecorder } from "./trace-recorder.ts";

it("masks secrets and passwords of URIs in the problem of a route", () => {
  const secrets = createSecretValues();
  secrets.set("x", ["S3CR3T-1"]);
  const runtime = { tap: () => () => undefined } as unknown as Runtime;
  const recorder = new TraceRecorder({
    boot: "b",
    maxEvents: 10,
    maxBytes: 100_000,
    lingers: false,
    clock: systemClock,
    secrets,
    wasMocked: () => false,
    runtime: () => runtime,
  });
  const events: string[] = [];
  const client = { filter: createStreamFilter({}), offer: (event) => void events.push(event.write("1", "none")) } as HubClient;
  recorder.hub.join(client);
  recorder.routeChanged({ status: "Failed", identity: { id: "r", flowId: "f", flowHash: "h" }, problem: "S3CR3T-1 at amqp://u:pw-1@h" } as unknown as Route);
  recorder.hub.leave(client);
  expect(events.map((text) => JSON.parse(text))).toMatchObject([{ type: "route.failed", error: { message: "*** at amqp://u:***@h" } }]);
});
