// No accepted message is lost: messages pass through a durable webhook, a queue and two routes while the process is repeatedly killed.
// SLUICE_MESSAGES sets their number; SLUICE_QUICK=1 sends fewer.
import { Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { eventually } from "../started-server.ts";

const quick = process.env["SLUICE_QUICK"] === "1";
const messages = Number(process.env["SLUICE_MESSAGES"] ?? (quick ? 4_000 : 100_000));
const kills = 20;
const senders = 32;
const poison = 20;

/** How many times each message reached the partner at the end of the second route. */
const deliveries = new Map<string, number>();
let partner: Server;
let partnerUrl = "";

beforeAll(async () => {
  partner = createServer((incoming, response) => {
    let id = "";
    incoming.on("data", (chunk) => (id += chunk));
    incoming.on("end", () => {
      if (!id.startsWith("poison")) deliveries.set(id, (deliveries.get(id) ?? 0) + 1);
      response.writeHead(id.startsWith("poison") ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => partner.listen(0, "127.0.0.1", resolve));
  partnerUrl = `http://127.0.0.1:${(partner.address() as AddressInfo).port}`;
});

afterAll(() => {
  partner.closeAllConnections();
  partner.close();
});

const flow = (): string => `- route:
    id: in
    from:
      uri: "webhook?durable=true"
      steps:
        - to: queue:work
- route:
    id: work
    from:
      uri: "queue:work?concurrentConsumers=20&maximumRedeliveries=30&redeliveryDelay=20&maximumRedeliveryDelay=200"
      steps:
        - convertBodyTo: {type: String}
        - to: "${partnerUrl}/done?httpMethod=POST"
`;

const agent = new Agent({ keepAlive: true, maxSockets: senders });

/** Posts one message; true only when the response was 202. */
function post(baseUrl: string, id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request(`${baseUrl}/api/in`, { method: "POST", agent, timeout: 10_000 }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode === 202));
      response.on("error", () => resolve(false));
    });
    outgoing.on("error", () => resolve(false));
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.end(id);
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("conservation", () => {
  it(`${messages} messages, ${kills} times kill -9: every accepted message is processed or becomes a dead letter`, { timeout: 1_800_000 }, async () => {
    const env = { SERVICE_EGRESS_ALLOW_PRIVATE: "true", SERVICE_LOG_LEVEL: "error" };
    let server: SpawnedServer = await spawnServer({ env });
    const { dataDir } = server;
    expect((await server.putFlow("conservation", flow())).status).toBe(201);
    const ids = Array.from({ length: messages }, (_, index) => (index % Math.floor(messages / poison) === 7 ? `poison-${index}` : `m-${index}`));
    const accepted = new Set<string>();
    let refused = 0;
    let next = 0;
    const send = async (): Promise<void> => {
      for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
        while (!(await post(server.baseUrl, id))) {
          refused++;
          await pause(20);
        }
        accepted.add(id);
      }
    };
    const killer = async (): Promise<void> => {
      for (let kill = 0; kill < kills; kill++) {
        const due = ((kill + Math.random()) / kills) * messages * 0.98;
        while (accepted.size < due) await pause(5);
        await pause(Math.random() * 50);
        await server.end("SIGKILL");
        server = await spawnServer({ env, dataDir });
      }
    };
    await Promise.all([killer(), ...Array.from({ length: senders }, send)]);
    expect(accepted.size).toBe(messages);

    const poisoned = ids.filter((id) => id.startsWith("poison"));
    const plain = ids.filter((id) => !id.startsWith("poison"));
    await eventually(() => deliveries.size === plain.length, 300_000);
    // Counted individually: a message that was accepted twice makes two dead letters and must not hide one that is still being retried.
    const deadLetters = async (id: string): Promise<number> => (await server.api("GET", `/dead-letters?text=${id}`)).json.total;
    for (const id of poisoned) await eventually(async () => (await deadLetters(id)) >= 1, 120_000);
    const missing = plain.filter((id) => !deliveries.has(id));
    expect(missing).toEqual([]);
    for (const id of poisoned) expect(await deadLetters(id), id).toBeGreaterThanOrEqual(1);
    const repeatedRuns = [...deliveries.values()].reduce((sum, times) => sum + times - 1, 0);
    console.log(
      JSON.stringify({
        messages,
        kills,
        refusedAndSentAgain: refused,
        processed: deliveries.size,
        deadLetters: poisoned.length,
        lost: missing.length,
        processedAgain: repeatedRuns,
      }),
    );
    // Only messages in flight at a kill may run twice: those of both routes' workers, and those of one pending flush.
    expect(repeatedRuns).toBeLessThan(kills * 1_200);
    expect(await server.end("SIGTERM")).toBe(0);
    server.clean();
    agent.destroy();
  });
});
