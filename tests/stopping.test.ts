// The moment a runtime stops listening, observed by clients that open a new connection for every request. A connection that reaches the system
// between the last one accepted and the end of the port is reset, which no program can prevent: its request has not run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { spawnServer } from "./spawned-server.ts";
import { stubPartner } from "./stub-partner.ts";

const loop = fileURLToPath(new URL("fresh-connections.mjs", import.meta.url));

async function startClients(url: string, count: number): Promise<{ stop(): Promise<Readonly<Record<string, number>>> }> {
  const child = spawn(process.execPath, [loop, url, String(count)], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  await once(child.stdout, "data");
  return {
    async stop() {
      const ended = once(child, "close");
      child.stdin.end();
      await ended;
      return JSON.parse(output) as Record<string, number>;
    },
  };
}

it("each request at the moment of closing gets the response of its run, or has not run", async () => {
  const partner = await stubPartner();
  const flow = `- route: {id: a, from: {uri: webhook, steps: [{to: "${partner.url}/"}]}}\n`;
  for (let stop = 0; stop < 2; stop++) {
    const server = await spawnServer();
    try {
      expect((await server.putFlow("a", flow)).status).toBe(201);
      const clients = await startClients(`${server.baseUrl}/api/a`, 24);
      expect(await server.end("SIGTERM")).toBe(0);
      const { 200: completed = 0, ...others } = await clients.stop();
      expect(partner.calls.splice(0).length).toBe(completed);
      expect(completed).toBeGreaterThan(0);
      expect(Object.keys(others)).toContain("refused");
      expect(["503", "refused", "ECONNRESET"]).toEqual(expect.arrayContaining(Object.keys(others)));
    } finally {
      server.clean();
    }
  }
  await partner.close();
});
