// The HTTP client in complete flows.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { flow } from "@sluice/testkit";
import { afterEach, expect, it } from "vitest";
import { httpConnector } from "./http.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function serve(content: string): Promise<{ address: string; paths: string[] }> {
  const paths: string[] = [];
  const server: Server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUps.push(() => server.close());
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

it("calls HTTP servers with and without a query, and rejects a private host that comes from a message", async () => {
  const { address, paths } = await serve("answer");
  const running = await flow(
    `
- from: {uri: "direct:fixed", steps: [{to: "http://{{host}}/a/b?x=1&httpMethod=PUT"}, {convertBodyTo: {type: String}}]}
- from: {uri: "direct:parameters", steps: [{to: {uri: "http://{{host}}/p", parameters: {bridgeEndpoint: "true", q: "a b"}}}]}
- from: {uri: "direct:path", steps: [{toD: "http://{{host}}/c/\${header.id}"}]}
- from: {uri: "direct:url", steps: [{toD: {uri: "\${header.url}", allowedSchemes: http}}]}
`,
    { connectors: [httpConnector({})], properties: { host: address } },
  );
  cleanUps.push(() => running.stop());
  expect((await running.send("direct:fixed", { body: "x" })).body).toBe("answer");
  expect((await running.send("direct:parameters")).error).toBeUndefined();
  expect((await running.send("direct:path", { headers: { id: "7" } })).error).toBeUndefined();
  const denied = await running.send("direct:url", { headers: { url: `http://${address}/stolen` } });
  expect(denied.error).toMatch(/^egress denied/);
  expect(paths).toEqual(["PUT /a/b?x=1", "GET /p?q=a+b", "GET /c/7"]);
});
