// Every connection type of the catalog through the form of the designer: all fields are filled, saved on a real runtime and read back.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConnectionTypeView, OptionView } from "@sluice/model";
import { optionLabel } from "../../../packages/designer/src/inspector/fields/option-label.ts";
import { startTestServer, token, type StartedServer } from "../../started-server.ts";
import { hasBrowser, openPage, soon, type OpenPage } from "../../designer/browser.ts";
import { startTestDesigner, type StartedDesigner } from "../../designer/started-designer.ts";

/** Values that cannot be arbitrary: addresses without a listener, and settings that depend on each other. */
const values: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  amqp: { url: "amqp://127.0.0.1:1" },
  jdbc: { url: "jdbc:postgresql://127.0.0.1:1/shop" },
  kafka: { brokers: "127.0.0.1:1", securityProtocol: "SASL_PLAINTEXT", saslAuthType: "PLAIN" },
  mqtt: { brokerUrl: "tcp://127.0.0.1:1" },
  mysql: { host: "127.0.0.1", port: "1" },
  nats: { servers: "127.0.0.1:1" },
  postgres: { host: "127.0.0.1", port: "1" },
  rabbitmq: { host: "127.0.0.1", port: "1" },
  redis: { url: "redis://127.0.0.1:1", host: "127.0.0.1", port: "1" },
  sqlite: { file: ":memory:" },
};

/** Fields that would need valid certificates. */
const certificateFields: ReadonlySet<string> = new Set(["tlsCa", "tlsCert", "tlsKey", "tlsPassphrase"]);
/** Fields that cannot be combined with others. */
const skipped: ReadonlySet<string> = new Set([
  "rabbitmq.url",
  "rabbitmq.addresses",
  "mqtt.serverURIs",
  "nats.token",
  "nats.credentialsFilePath",
  "kafka.saslMechanism",
  "kafka.saslJaasConfig",
  "kafka.oauthTokenEndpointUri",
  "kafka.oauthClientId",
  "kafka.oauthClientSecret",
  "kafka.oauthScope",
]);
const isFilled = (type: string, { name, fields }: OptionView): boolean =>
  fields === undefined && !certificateFields.has(name) && !skipped.has(`${type}.${name}`);

function sampleOf(type: string, { name, kind, values: choices, default: preset }: OptionView): string | boolean {
  if (kind === "boolean") return preset !== true;
  return values[type]?.[name] ?? (kind === "integer" ? "3" : kind === "duration" ? "5s" : kind === "enum" ? (choices?.[0] ?? "") : `some-${name}`);
}

describe.skipIf(!hasBrowser)("connection types (needs Chromium)", () => {
  let runtime: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;
  let types: readonly ConnectionTypeView[];

  beforeAll(async () => {
    runtime = await startTestServer();
    types = (await runtime.api("GET", "/catalog?full=true")).json.connections;
    designer = await startTestDesigner(runtime.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
    opened = await openPage({ viewport: { width: 1280, height: 1600 } });
  });
  afterAll(async () => {
    await opened?.close();
    await designer?.end();
    await runtime?.end();
  });

  const control = (page: Page, field: OptionView) => page.getByLabel(`${optionLabel(field)}${field.required ? " (required)" : ""}`, { exact: true });
  const openGroups = async (page: Page): Promise<void> => {
    for (const group of await page.locator("details.fold").all())
      if ((await group.getAttribute("open")) === null) await group.locator(":scope > summary").click();
  };

  it("are all tested here", () => {
    expect(types.map(({ type }) => type).toSorted()).toEqual(Object.keys(values));
  });

  it.each(Object.keys(values))("%s is offered, its form is filled and saved, and the document is read back", async (type) => {
    const { page } = opened;
    const { fields } = types.find((offered) => offered.type === type) as ConnectionTypeView;
    const filled = fields.filter((field) => isFilled(type, field));
    await page.goto(`${designer.url}/connections/new`);
    const dialog = page.getByRole("dialog", { name: "New connection" });
    await dialog.getByLabel("Name").fill(`My ${type}`);
    await expect.poll(async () => (await dialog.getByRole("option").all()).length, soon).toBe(types.length);
    await dialog.getByLabel("Type").selectOption(type);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await control(page, filled[0] as OptionView).waitFor();
    await openGroups(page);
    for (const field of filled) {
      const sample = sampleOf(type, field);
      const input = control(page, field);
      if (typeof sample === "boolean") await input.setChecked(sample);
      else if (field.kind === "enum") await input.selectOption(sample);
      else await input.fill(sample);
    }
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const saved = page.getByText(/^Saved. In effect since/);
    const saveAnyway = page.getByRole("button", { name: "Save anyway" });
    await saved.or(saveAnyway).or(page.getByRole("alert")).first().waitFor();
    expect(await page.getByRole("alert").allInnerTexts(), type).toEqual([]);
    // Nothing listens there, so the test before saving fails for all but SQLite.
    expect(await saveAnyway.count(), type).toBe(type === "sqlite" ? 0 : 1);
    if (type !== "sqlite") await saveAnyway.click();
    await saved.waitFor();
    const expected = Object.fromEntries(
      filled.map((field) => {
        const sample = sampleOf(type, field);
        return [field.name, field.secret ? { value: sample, secret: true } : field.kind === "integer" ? Number(sample) : sample];
      }),
    );
    expect(JSON.parse(readFileSync(join(runtime.dataDir, "connections", `my-${type}.json`), "utf8"))).toEqual({
      type,
      title: `My ${type}`,
      values: expected,
    });
    await page.reload();
    await control(page, filled[0] as OptionView).waitFor();
    await openGroups(page);
    for (const field of filled) {
      const sample = sampleOf(type, field);
      const input = control(page, field);
      if (typeof sample === "boolean") expect(await input.isChecked(), `${type}.${field.name}`).toBe(sample);
      else expect(await input.inputValue(), `${type}.${field.name}`).toBe(field.secret ? "***" : sample);
    }
    expect(opened.pageErrors).toEqual([]);
  });
});
