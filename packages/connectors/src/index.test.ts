import { readdir, readFile } from "node:fs/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectorSuite, type ConnectorSuiteOptions } from "@sluice/testkit";
import type { LanguageDeclaration } from "@sluice/engine/spi";
import { describe as fieldInfo, type Fields } from "@sluice/model";
import { afterAll, describe, expect, it } from "vitest";
import { beanIndex, connectionIndex, connectorIndex, connectorsWith } from "./index.ts";

const echo: LanguageDeclaration = {
  name: "name",
  title: "Name",
  summary: "Returns its text.",
  group: "test",
  since: "0.1",
  options: {},
  examples: [],
  compile: (text) => () => text,
};
const connectors = connectorsWith({ languages: { language: () => echo } });
const directory = mkdtempSync(join(tmpdir(), "sluice-suite-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** One endpoint of each connector, for the conformance suite. */
const suites: Readonly<Record<string, ConnectorSuiteOptions>> = {
  bean: { uri: "bean:orders?method=total", beans: { "orders.total": () => 42 } },
  controlbus: { uri: "controlbus:route?routeId=r&action=status" },
  cron: { uri: "cron:tick?schedule=0+0+6+*+*+?" },
  direct: { uri: "direct:orders" },
  file: { uri: `file:${directory}/inbox?delay=1s` },
  http: { uri: "http://partner.example/orders" },
  kamelet: { uri: "kamelet:sink" },
  language: { uri: "language:name:text" },
  log: { uri: "log:orders" },
  master: { uri: "master:lock:direct:orders" },
  "message-mapping": { uri: "message-mapping:orders" },
  mock: { uri: "mock:orders" },
  "platform-http": { uri: "platform-http:/orders" },
  quartz: { uri: "quartz:tick?cron=0+0+6+*+*+?" },
  // Its source opens the durable store; tests/queue.test.ts covers it.
  queue: { uri: "queue:orders", skipStart: true },
  rest: { uri: "rest:post:orders?host=localhost" },
  saga: { uri: "saga:complete" },
  scheduler: { uri: "scheduler:tick?delay=1s" },
  seda: { uri: "seda:orders" },
  sluice: { uri: "sluice:dead-letters" },
  "sluice-event": { uri: "sluice-event:run.failed" },
  stub: { uri: "stub:orders" },
  timer: { uri: "timer:tick?period=1s" },
  "value-mapping": { uri: "value-mapping:table?from=a&to=b" },
  webhook: { uri: "webhook" },
};

/** One paragraph of complete sentences. */
const guarantee = /^[A-Z][^\n]{40,}\.$/;

/** Folders with code shared by several connectors. */
const shared = ["clients", "message-receiver", "messaging", "polling", "reconnecting", "ticking", "tls"];

describe("the list of connectors", () => {
  it("contains every folder and no duplicate scheme", async () => {
    const folders = (await readdir(new URL(".", import.meta.url), { withFileTypes: true })).filter(
      (entry) => entry.isDirectory() && !shared.includes(entry.name),
    );
    const schemes = connectors.flatMap(({ scheme, aliases }) => [scheme, ...(aliases ?? [])]);
    expect(new Set(schemes).size).toBe(schemes.length);
    const index = await readFile(new URL("connector-index.ts", import.meta.url), "utf8");
    const onDemand = folders.map(({ name }) => name).filter((name) => index.includes(`"./${name}/`));
    expect([...connectors.map(({ scheme }) => scheme), ...onDemand].toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
  });

  it("has a sample endpoint for each connector", () => {
    expect(Object.keys(suites).toSorted()).toEqual(connectors.map(({ scheme }) => scheme).toSorted());
  });
});

describe("guarantees", () => {
  it.each(connectors.map((connector) => [connector.scheme, connector] as const))("connector %s documents its guarantees in a paragraph", (_, connector) => {
    expect(connector.guarantees).toMatch(guarantee);
  });

  it.each(connectorIndex.map((entry) => [entry.scheme, entry] as const))("on-demand connector %s documents its guarantees in a paragraph", async (_, entry) => {
    expect((await entry.load({})).guarantees).toMatch(guarantee);
  });
});

describe("the index of connectors loaded on demand", () => {
  it.each(connectorIndex.map((entry) => [entry.scheme, entry] as const))("agrees with the declaration of the connector %s", async (_, entry) => {
    const { load, kinds, needs: _needs, ...facts } = entry;
    const declaration = await load({});
    expect(declaration).toMatchObject(facts);
    const named = Object.values({ ...declaration.path, ...declaration.options } as Fields).flatMap((field) => fieldInfo(field).spec.connection ?? []);
    expect(named).toEqual(kinds);
  });

  it.each(connectionIndex.map((entry) => [entry.type, entry] as const))("agrees with the declaration of the connection type %s", async (_, entry) => {
    const { load, beans, ...facts } = entry;
    const declaration = await load();
    expect(declaration).toMatchObject(facts);
    expect((declaration.beans ?? []).flatMap(({ names }) => names)).toEqual(beans);
    expect(declaration.verifiedAgainst?.join()).toMatch(/ \d/);
  });

  it("has no duplicate names, and loads each bean by all of its names", async () => {
    const schemes = [...connectors, ...connectorIndex].flatMap(({ scheme, aliases = [] }) => [scheme, ...aliases]);
    const classes = [...connectionIndex.flatMap(({ beans }) => beans), ...beanIndex.flatMap(({ names }) => names)];
    const types = connectionIndex.map(({ type }) => type);
    for (const names of [schemes, classes, types]) expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    for (const { names, load } of beanIndex) expect((await load()).names).toEqual(names);
  });
});

for (const connector of connectors)
  describe(`${connector.scheme} passes the connector suite`, () => {
    for (const { name, run } of connectorSuite(connector, suites[connector.scheme] as ConnectorSuiteOptions)) it(name, run);
  });
