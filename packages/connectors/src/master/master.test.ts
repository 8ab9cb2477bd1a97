import { defineConnector } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { connectors } from "../index.ts";
import { timer } from "../timer/timer.ts";

const guarded = defineConnector({
  ...timer,
  scheme: "guarded",
  syntax: "guarded:name",
  path: { name: f.string({ doc: "A name.", required: true }) },
  options: { code: f.string({ doc: "A secret.", secret: true }) },
  connect: () => ({ source: () => ({ claims: [], exclusive: false, start: () => undefined, stop: () => undefined }) }),
});

/** `flow()` provides `direct` and `mock` itself. */
const additional = [...connectors.filter(({ scheme }) => scheme !== "direct" && scheme !== "mock"), guarded];

const start = (from: string) => flow(`- route:\n    id: example\n    from:\n      ${from}\n      steps:\n        - to: mock:out\n`, { connectors: additional });

describe("master", () => {
  it.each([
    ["in the URI", "uri: master:lock:timer:tick?delay=10&period=50&repeatCount=2"],
    ["as parameters", "uri: master:lock:timer:tick\n      parameters: {delay: 10, period: 50, repeatCount: 2}"],
    ["as parameters only", 'uri: master\n      parameters: {namespace: lock, delegateUri: "timer:tick?delay=10&period=50&repeatCount=2"}'],
  ])("runs the source of the delegate, with options %s", async (_, from) => {
    const run = await start(from);
    await run.host.clock.advance(1_000);
    const route = run.runtime.routes.get("example");
    expect([route?.stats.total, route?.trigger, route?.from]).toEqual([2, "schedule", "master:lock:timer:tick?delay=10&period=50&repeatCount=2"]);
    await run.stop();
  });

  it("ties its route to one process, even with a delegate that every process may run", async () => {
    const run = await start("uri: master:lock:webhook");
    const route = run.runtime.routes.get("example");
    expect([route?.trigger, route?.placement.tiedBy.find(({ kind }) => kind === "trigger")]).toMatchObject(["request", { master: "lock" }]);
    await run.stop();
  });

  it.each([
    ["master:lock", "line 4: endpoint-option-missing: endpoint 'master' needs 'delegateUri'"],
    ["master:lock:tmer:tick", "line 4: connector-unknown: unknown connector 'tmer' (did you mean 'timer'?)"],
    ["master:lock:timer:tick?perod=1s", "line 4: endpoint-option-unknown: endpoint 'timer' has no option 'perod' (did you mean 'period'?)"],
    ["master:lock:timer:tick?period=soon", "line 4: endpoint-option-invalid: option 'period' of endpoint 'timer'"],
    ["master:lock:log:x", "line 4: endpoint-no-source: endpoint 'log:x' cannot trigger a route"],
    ["master:lock:master:other:timer:tick", "line 4: endpoint-invalid: 'master:' cannot be used inside 'master:'"],
    ["master:lock:kamelet:source", "line 4: endpoint-invalid: 'kamelet:' cannot be used inside 'master:'"],
  ])("reports an error of %s at the 'from'", async (uri, problem) => {
    await expect(start(`uri: ${uri}`)).rejects.toThrow(problem);
  });

  it("masks the options that the delegate declares as secret", async () => {
    const run = await start("uri: master:lock:guarded:x?code=hunter2");
    expect(run.runtime.routes.get("example")?.from).toBe("master:lock:guarded:x?code=xxxxxx");
    await run.stop();
  });
});
