import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readProjectProperties } from "./project-properties.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-properties-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const paramsFor = (flow: string, text: string, options: { profile?: string; environment?: Record<string, string> } = {}) =>
  readProjectProperties({ profile: options.profile, environment: options.environment ?? {} }).paramsFor(join(folder, flow), text);

describe("properties of a project", () => {
  it("come from the flow's folder and the folders above it; the nearest file wins", async () => {
    put({ "application.properties": "a=root\nb=root\nunused=x", "src/routes/application.properties": "b=near" });
    expect(await paramsFor("src/routes/orders.yaml", "'{{a}} {{b:default}} {{missing}}'")).toEqual({ a: "root", b: "near" });
  });

  it("end at the project's root", async () => {
    put({ "application.properties": "a=outside", "project/package.json": "{}", "project/flows/x.yaml": "" });
    expect(await paramsFor("project/flows/x.yaml", "{{a}}")).toEqual({});
    put({ "project/application.properties": "a=inside" });
    expect(await paramsFor("project/flows/x.yaml", "{{a}}")).toEqual({ a: "inside" });
  });

  it("are overridden by those of the profile, which the file itself may name", async () => {
    put({ "application.properties": "a=plain\n%dev.b=in one file", "application-dev.properties": "a=dev" });
    expect(await paramsFor("x.yaml", "{{a}}{{b}}")).toEqual({ a: "plain" });
    expect(await paramsFor("x.yaml", "{{a}}{{b}}", { profile: "dev" })).toEqual({ a: "dev", b: "in one file" });
    put({ "application.properties": "camel.main.profile=dev\na=plain" });
    expect(await paramsFor("x.yaml", "{{a}}")).toEqual({ a: "dev" });
  });

  it("are overridden by variables of the environment", async () => {
    put({ "application.properties": "erp.base-url=file" });
    expect(await paramsFor("x.yaml", "{{erp.base-url}}")).toEqual({ "erp.base-url": "file" });
    expect(await paramsFor("x.yaml", "{{erp.base-url}}", { environment: { ERP_BASE_URL: "variable" } })).toEqual({});
  });

  it("include referenced values, and mark secrets", async () => {
    put({ "application.properties": "url=https://{{host}}/x\nhost=h:{{port}}\nport=1\ndb.password=p" });
    expect(await paramsFor("x.yaml", "{{url}} {{db.password}}")).toEqual({
      url: "https://{{host}}/x",
      host: "h:{{port}}",
      port: "1",
      "db.password": { value: "p", secret: true },
    });
  });

  it("list the folders to watch", async () => {
    put({ "application.properties": "a=1", "deep/flows/x.yaml": "" });
    const properties = readProjectProperties({ profile: undefined, environment: {} });
    await properties.paramsFor(join(folder, "deep/flows/x.yaml"), "");
    expect(properties.folders).toEqual([folder]);
  });
});
