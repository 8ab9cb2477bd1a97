import { expect, it } from "vitest";
import { systemClock } from "../host/clock.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import type { HubClient } from "./event-hub.ts";
import { LogRecorder } from "./log-recorder.ts";

it("masks secrets, and credentials in URIs, in the fields of a record", () => {
  const secrets = createSecretValues();
  secrets.set("x", ["S3CR3T-1"]);
  const recorder = new LogRecorder({
    boot: "b",
    maxEvents: 10,
    maxBytes: 100_000,
    lingers: false,
    clock: systemClock,
    secrets,
    minLevel: "INFO",
    recentLines: () => [],
  });
  const events: string[] = [];
  const client = { offer: (event) => void events.push(event.write("1", "none")) } as HubClient;
  recorder.hub.join(client);
  const uri = "http://u:pw-1@h?access_token=pw-2";
  const fields = { error: new Error(`GET ${uri}`), inner: [{ uri }], note: "S3CR3T-1", n: 1 };
  recorder.write({ at: 0, level: "ERROR", logger: "x", message: "failed", exchange: undefined, fields });
  recorder.hub.leave(client);
  const shown = "http://u:***@h?access_token=***";
  expect(events.map((text) => JSON.parse(text))).toMatchObject([{ fields: { error: `GET ${shown}`, inner: [{ uri: shown }], note: "***", n: 1 } }]);
});
