import type { Host } from "@sluice/engine/spi";
import { FakeHost, FakeRouteInput } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { reconnectAttempts, whileConnected, type ReconnectLimit } from "./while-connected.ts";

/** A subscription that a test can lose, over a connection that fails or hangs as the test decides. */
function subscription(reconnectLimit?: ReconnectLimit) {
  const host = new FakeHost();
  const state = { attempts: 0, connect: (): Promise<string> => Promise.resolve("client"), lose: (_problem: string): void => undefined };
  const { start, stop } = whileConnected<string>({
    connection: {
      client() {
        state.attempts++;
        return state.connect();
      },
      watch: () => () => undefined,
      release: () => undefined,
    },
    host: host as Host,
    ...(reconnectLimit === undefined ? {} : { reconnectLimit }),
    async begin(_client, _routeInput, lost) {
      state.lose = lost;
      return { stop: async () => undefined };
    },
  });
  return { host, state, routeInput: new FakeRouteInput(), start, stop };
}

const refused = (): Promise<string> => Promise.reject(new Error("connection refused"));

describe("a subscription", () => {
  it("reports a connection that does not respond within 2 s, so that a deployment does not wait longer", async () => {
    const { host, state, routeInput, start, stop } = subscription();
    let connected = (_client: string): void => undefined;
    state.connect = () => new Promise((resolve) => (connected = resolve));
    let isStarted = false;
    const starting = start(routeInput).then(() => (isStarted = true));
    await host.clock.advance(1_999);
    expect(isStarted).toBe(false);
    await host.clock.advance(1);
    await starting;
    expect(routeInput.problems).toEqual(["no response within 2000 ms"]);
    connected("client");
    await host.clock.advance(0);
    expect(routeInput.problems).toEqual(["no response within 2000 ms", undefined]);
    await stop();
  });

  it("that is lost is renewed again and again until the connection works", async () => {
    const { host, state, routeInput, start, stop } = subscription();
    await start(routeInput);
    state.connect = refused;
    state.lose("cut");
    await host.clock.advance(60_000);
    expect(state.attempts).toBeGreaterThan(10);
    expect(routeInput.problems.at(-1)).toBe("connection refused");
    state.connect = () => Promise.resolve("client");
    await host.clock.advance(10_000);
    expect(routeInput.problems.at(-1)).toBeUndefined();
    await stop();
    expect(host.clock.pending).toBe(0);
  });

  it.each([0, 1, 3])("makes at most %i attempts to reconnect if this is the limit, and reports the option that sets it", async (limit) => {
    const { host, state, routeInput, start, stop } = subscription(reconnectAttempts(limit, `attempts=${limit}`));
    await start(routeInput);
    state.connect = refused;
    state.lose("cut");
    await host.clock.advance(3_600_000);
    expect([state.attempts, host.clock.pending]).toEqual([1 + limit, 0]);
    const problem = limit === 0 ? "cut" : "connection refused";
    expect(routeInput.problems.at(-1)).toBe(`${problem}; the source does not reconnect because of attempts=${limit}: restart the route`);
    await stop();
  });
});
