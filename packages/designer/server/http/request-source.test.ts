import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { requestSource } from "./request-source.ts";

const request = (remoteAddress: string, forwardedFor: string): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: { "x-forwarded-for": forwardedFor } }) as unknown as IncomingMessage;

it("uses X-Forwarded-For only if the request comes from a trusted proxy", () => {
  const source = requestSource(["10.0.0.0/8"]);
  expect([source(request("10.1.2.3", "192.0.2.7")), source(request("192.0.2.1", "192.0.2.7"))]).toEqual(["192.0.2.7", "192.0.2.1"]);
});

it.each(["10.0.0.0/33", "10.0.0.0/8/99", "10.0.0.0/", "host"])("rejects the proxy entry %s", (entry) => {
  expect(() => requestSource([entry])).toThrow("is not an address or network");
});
