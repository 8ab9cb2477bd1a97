import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { connectorUnderTest, FakeHost, FakeRouteInput } from "@sluice/testkit";
import { expect, it } from "vitest";
import { cron } from "./cron/cron.ts";
import { quartz } from "./quartz/quartz.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { timer } from "./timer/timer.ts";

it.each<[string, ConnectorDeclaration]>([
  ["timer:t?delay=10", timer],
  ["timer:t?delay=10&includeMetadata=true", timer],
  ["scheduler:s?initialDelay=10", scheduler],
  ["cron:c?schedule=0/1+*+*+*+*+?", cron],
  ["quartz:q?cron=0/1+*+*+*+*+?", quartz],
  ["quartz:q?trigger.repeatInterval=100&trigger.repeatCount=3", quartz],
])("a tick of %s is InOnly unless exchangePattern is InOut", async (uri, connector) => {
  for (const [options, expected] of [
    ["", "InOnly"],
    ["&exchangePattern=InOut&bridgeErrorHandler=true", "InOut"],
  ] as const) {
    const host = new FakeHost();
    const routeInput = new FakeRouteInput(() => undefined);
    const source = connectorUnderTest(connector, host).source(uri + options);
    void source.start(routeInput);
    await host.clock.advance(2500);
    void source.stop();
    expect(new Set(routeInput.deliveries.map((delivery) => delivery?.pattern))).toEqual(new Set([expected]));
  }
});
