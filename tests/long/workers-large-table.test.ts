// The supervisor passes every connection to a worker, so it must not be busy with the data that workers exchange.
import { expect, it } from "vitest";
import { cpuMs } from "../process-usage.ts";
import { callMany, put, route, workersOf, type WorkerView } from "../several-workers.ts";
import { spawnServer } from "../spawned-server.ts";

it("a large table reaches the other worker without keeping the process busy that accepts connections", async () => {
  const server = await spawnServer({ env: { SERVICE_WORKERS: "2" } });
  await put(server, "looks-up", route("looks-up", "webhook", 'setBody: {simple: "${valueMapping(large,from,to,k299999)}"}'));
  const rows = Array.from({ length: 300_000 }, (_, index) => [`k${index}`, `v${index}`]);
  const leader = (await workersOf(server)).find(({ leads }) => leads) as WorkerView;
  const before = { supervisor: cpuMs(server.pid), leader: cpuMs(leader.pid) };
  expect((await server.api("PUT", "/value-mappings/large", { columns: ["from", "to"], rows })).status).toBe(201);
  const used = { supervisor: cpuMs(server.pid) - before.supervisor, leader: cpuMs(leader.pid) - before.leader };
  console.log(`CPU time: supervisor ${used.supervisor} ms, leader ${used.leader} ms`);
  // Copying the rows once more took the supervisor half as long as the leader needs for the request.
  expect(used.supervisor / used.leader).toBeLessThan(0.25);
  expect(new Set((await callMany(20, server.baseUrl, "/api/looks-up")).map(({ body }) => body))).toEqual(new Set(["v299999"]));
  await server.end();
  server.clean();
});
