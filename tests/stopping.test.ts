// The moment a runtime stops listening, observed by clients that open a new connection for every request.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { spawnServer } from "./spawned-server.ts";
import { replyFlow, sleep } from "./started-server.ts";

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

it("new connections at the moment of closing get a response or are refused, not reset", async () => {
  const stops: Readonly<Record<string, number>>[] = [];
  for (let stop = 0; stop < 3; stop++) {
    const server = await spawnServer();
    try {
      expect((await server.putFlow("a", replyFlow("a", "x"))).status).toBe(201);
      const clients = await startClients(`${server.baseUrl}/api/a`, 24);
      await sleep(500);
      expect(await server.end("SIGTERM")).toBe(0);
      await sleep(200);
      stops.push(await clients.stop());
    } finally {
      server.clean();
    }
  }
  for (const { 200: completed = 0, 503: unavailable = 0, refused = 0, ...broken } of stops) {
    expect(completed + unavailable).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    // The system's backlog holds at least one connection, which may arrive at the moment of closing.
    expect(Object.values(broken).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2);
  }
}, 90_000);
