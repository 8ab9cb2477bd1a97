import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { joinedHeaders } from "./joined-headers.ts";

const heads: readonly (readonly string[])[] = [
  ["Host: a", "X-One: 1", "x-one: 2", "X-ONE: 3"],
  ["Host: a", "Cookie: a=1", "cookie: b=2"],
  ["Host: a", "Set-Cookie: a=1", "set-cookie: b=2"],
  ["Host: a", "Content-Type: text/plain", "content-type: application/json", "User-Agent: x", "user-agent: y"],
  ["Host: a", "Authorization: Basic eA==", "authorization: Bearer t", "If-Modified-Since: x", "If-Modified-Since: y"],
  ["Host: a", "__proto__: x", "constructor: y", "X-Empty:", "X-Empty: 2"],
  ["Host: a", "Accept: a/b", "Accept: c/d", "Referer: r1", "Referer: r2", "Retry-After: 1", "Retry-After: 2"],
];

describe("joined headers", () => {
  it("joins fields like node", async () => {
    const server = createServer((request, response) =>
      response.end(JSON.stringify({ node: Object.entries(request.headers), ours: Object.entries(joinedHeaders(request.rawHeaders, undefined)) })),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    for (const head of heads) {
      const { node, ours } = JSON.parse(await ask(port, head));
      expect(ours.filter(([name]: [string]) => name !== "connection")).toEqual(node.filter(([name]: [string]) => name !== "connection"));
    }
    server.close();
  });

  it("omits the given names", () => {
    expect({ ...joinedHeaders(["Authorization", "Bearer t", "X-Key", "k", "Accept", "*/*"], ["authorization", "x-key"]) }).toEqual({ accept: "*/*" });
  });
});

async function ask(port: number, head: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(`GET / HTTP/1.1\r\n${head.join("\r\n")}\r\nConnection: close\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text.slice(text.indexOf("\r\n\r\n") + 4).replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, "");
}
