import { readdir } from "node:fs/promises";
import { FakeHost, routeIdentity } from "@sluice/testkit";
import type { LanguageDeclaration } from "@sluice/engine/spi";
import { describe as about, type Fields } from "@sluice/model";
import { describe, expect, it } from "vitest";
import { connectorsWith } from "./index.ts";

const echo: LanguageDeclaration = {
  name: "name",
  title: "Name",
  summary: "Gives its text.",
  group: "test",
  since: "0.1",
  options: {},
  examples: [],
  compile: (text) => () => text,
};
const connectors = connectorsWith({ languages: { language: () => echo } });
/** Names that mean something to their connector. */
const names: Readonly<Record<string, string>> = { "sluice-event": "run.failed", kamelet: "sink", sluice: "dead-letters" };

/** Folders that several connectors share instead of being one. */
const shared = ["ticking"];

describe("the list of connectors", () => {
  it("holds every folder, and no scheme twice", async () => {
    const folders = (await readdir(new URL(".", import.meta.url), { withFileTypes: true })).filter(
      (entry) => entry.isDirectory() && !shared.includes(entry.name),
    );
    const schemes = connectors.flatMap(({ scheme, aliases }) => [scheme, ...(aliases ?? [])]);
    expect(new Set(schemes).size).toBe(schemes.length);
    expect(connectors.map(({ scheme }) => scheme).toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
  });

  it.each(connectors.map((connector) => [connector.scheme, connector] as const))("%s says of every option what it is for", (_, connector) => {
    const fields = Object.entries({ ...(connector.path as Fields), ...(connector.options as Fields), ...connector.headers });
    for (const [name, field] of fields) expect(about(field).spec.doc, name).toMatch(/^[A-Z`][^]*[.]$/);
    expect(connector.summary).toMatch(/^[A-Z].*\.$/);
    expect(connector.syntax.startsWith(`${connector.scheme}:`) || connector.scheme === "webhook").toBe(true);
  });

  it.each(connectors.map((connector) => [connector.scheme, connector] as const))("%s starts nothing before it is told to", (scheme, connector) => {
    const host = new FakeHost();
    const made = connector.connect(host);
    const values: Record<string, unknown> = {};
    const given: Record<string, string> = {
      command: "route",
      action: scheme === "saga" ? "complete" : "status",
      schedule: "* * * * *",
      routeId: "r",
      name: names[scheme] ?? "name",
    };
    for (const [name, field] of Object.entries({ ...(connector.path as Fields), ...(connector.options as Fields) })) {
      const info = about(field);
      values[name] = field.parse(info.spec.required === true ? (given[name] ?? "name") : undefined);
    }
    const endpoint = { scheme, uri: `${scheme}:name`, path: "name", options: values, extra: {}, trusted: true };
    made.source?.(endpoint, routeIdentity());
    made.sink?.(endpoint);
    made.poller?.(endpoint);
    expect([host.clock.pending, host.http.mounts.length, host.log.records.length]).toEqual([0, 0, 0]);
  });
});
