// Groups of an aggregate in a database survive a crash of the runtime.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { heldPartner } from "./held-partner.ts";
import { call, eventually } from "./started-server.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const size = 10;
const flow = (partnerUrl: string): string => `
- beans:
    - {name: db, type: org.apache.commons.dbcp2.BasicDataSource, properties: {url: "jdbc:sqlite:groups.db"}}
    - {name: groups, type: org.apache.camel.processor.aggregate.jdbc.JdbcAggregationRepository, properties: {dataSource: "#db", repositoryName: orders, recoveryInterval: 200}}
- route:
    id: orders
    from:
      uri: webhook
      steps:
        - convertBodyTo: {type: String}
        - aggregate:
            correlationExpression: {constant: all}
            aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"
            aggregationRepository: groups
            completionSize: ${size}
            steps:
              - convertBodyTo: {type: String}
              - setProperty: {name: group, simple: "\${body}"}
              - to: "${partnerUrl}?httpMethod=POST"
              - log: "group \${exchangeProperty.group}"
`;

it("continues open groups after a crash, and reruns a completed group whose run had not finished", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
  folders.push(dataDir);
  const send = async ({ baseUrl }: SpawnedServer, from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n++) expect((await call(baseUrl, "POST", "/api/orders", String(n))).status).toBe(200);
  };
  const partner = await heldPartner();
  const first = await spawnServer({ dataDir });
  expect((await first.putFlow("orders", flow(partner.url))).status).toBe(201);
  await send(first, 0, size / 2);
  await first.end("SIGKILL");
  const second = await spawnServer({ dataDir });
  await send(second, size / 2, size);
  // The group is complete, and its run waits for the partner.
  await eventually(() => partner.waiting() === 1);
  await second.end("SIGKILL");
  expect(second.output()).not.toContain("group [");
  const third = await spawnServer({ dataDir });
  await eventually(() => partner.waiting() === 1);
  partner.respond();
  await eventually(() => /group \[/.test(third.output()));
  const [, logged = ""] = /group (\[[^\]]*\])/.exec(third.output()) ?? [];
  expect(logged.match(/\d+/g)?.map(Number)).toEqual(Array.from({ length: size }, (_, n) => n));
  await third.end();
  third.clean();
  partner.close();
});
