// Every source that needs no external system: prepared without effects, started, stopped without leaks, started again.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectors } from "@sluice/connectors";
import { FakeHost, flow } from "@sluice/testkit";
import { afterAll, describe, expect, it } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "sluice-sources-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const triggers: Readonly<Record<string, string>> = {
  timer: "timer:tick?period=1s",
  scheduler: "scheduler:tick?delay=1s",
  cron: "cron:tick?schedule=0+0+6+*+*+?",
  quartz: "quartz:tick?cron=0+0+6+*+*+?",
  master: "master:lock:timer:tick?period=1s",
  seda: "seda:work",
  stub: "stub:work",
  "sluice-event": "sluice-event:run.failed",
  webhook: "webhook",
  "platform-http": "platform-http:/work",
  rest: "rest:post:work",
  file: `file:${directory}/inbox?delay=1s`,
};

/** Connectors that the testkit provides. */
const testkitSchemes = new Set(["direct", "mock"]);
const realConnectors = connectors.filter(({ scheme }) => !testkitSchemes.has(scheme));

/** Sources that need a store or other routes; they have their own tests. */
const testedSeparately = new Set(["queue", "kamelet", "sluice"]);

describe("sources", () => {
  it("are all covered", () => {
    const sources = realConnectors.filter((connector) => connector.roles.includes("source")).map(({ scheme }) => scheme);
    expect(sources.filter((scheme) => triggers[scheme] === undefined && !testedSeparately.has(scheme))).toEqual([]);
  });

  it.each(Object.entries(triggers))("%s starts, stops without leaks and starts again", async (_, uri) => {
    const run = await flow(`- route:\n    id: example\n    from:\n      uri: "${uri}"\n      steps:\n        - to: mock:out\n`, { connectors: realConnectors });
    const route = run.runtime.routes.get("example");
    const heldResources = (): readonly number[] => [run.host.clock.pending, run.host.http.mounts.length];
    const started = heldResources();
    for (let round = 0; round < 3; round++) {
      expect(route?.status).toBe("Started");
      await route?.stop();
      expect([route?.status, ...heldResources()]).toEqual(["Stopped", 0, 0]);
      await route?.start();
      expect(heldResources()).toEqual(started);
    }
    await run.stop();
    expect(heldResources()).toEqual([0, 0]);
  });

  it("a stopped timer does not tick, a restarted one does", async () => {
    const run = await flow(`- route:\n    id: example\n    from:\n      uri: "timer:tick?delay=1s&period=1s"\n      steps:\n        - to: mock:out\n`, {
      connectors: realConnectors,
    });
    const route = run.runtime.routes.get("example");
    await run.host.clock.advance(2_500);
    await route?.stop();
    await run.host.clock.advance(10_000);
    expect(run.mocks.get("out")?.length).toBe(2);
    await route?.start();
    await run.host.clock.advance(1_500);
    expect(run.mocks.get("out")?.length).toBe(3);
    await run.stop();
  });
});
