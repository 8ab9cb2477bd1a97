import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { flatParams, readParamsFile, assignmentsOf } from "./flow-params.ts";
import { findYamlFiles, flowIdOf } from "./yaml-files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe("the files of a folder", () => {
  it("are flows, tests and connections; other files, hidden folders and installed packages are ignored", async () => {
    put("a.yaml", "# a comment\n- route: {id: a}\n");
    put("b.camel.yml", "---\n- from: {uri: direct:b}\n");
    put("mistyped.yaml", "- roue:\n    from: {uri: direct:x}\n");
    put("deep/t.yaml", "flow: ../a.yaml\ntests: []\n");
    put("categories.yaml", "- {id: a2a, label: Application to application}\n");
    put("compose.yaml", "services: {}\n");
    put("empty.yaml", "\n");
    put("connections/db.json", "{}");
    put("connections/shop.yaml", "type: postgres\n");
    put("other.json", "{}");
    put(".sluice/c.yaml", "- route: {}\n");
    put("node_modules/d.yaml", "- route: {}\n");
    const found = (await findYamlFiles([folder])).map(({ path, kind }) => [path.slice(folder.length + 1), kind]);
    expect(found).toEqual([
      ["a.yaml", "flow"],
      ["b.camel.yml", "flow"],
      ["connections/db.json", "connection"],
      ["connections/shop.yaml", "connection"],
      ["deep/t.yaml", "tests"],
      ["empty.yaml", "flow"],
      ["mistyped.yaml", "flow"],
    ]);
  });

  it("a named file is read once, whatever its content", async () => {
    const path = put("compose.yaml", "services: {}\n");
    expect(await findYamlFiles([path, path])).toEqual([{ path, text: "services: {}\n", kind: "flow" }]);
  });

  it("unreadable files are reported", async () => {
    await expect(findYamlFiles([join(folder, "gone")])).rejects.toThrow(/^file or folder '.*gone' not found: check the path$/);
    await expect(findYamlFiles([put("latin.yaml", Uint8Array.of(0x2d, 0xe9))])).rejects.toThrow(/latin\.yaml' is not UTF-8 text$/);
  });
});

it("the id of a flow is its file name, or the folder name for `flow.yaml`", () => {
  expect(["x/orders.yaml", "x/orders.camel.yaml", "orders/flow.yaml", "x/a b.yml", "x/-_.yaml"].map(flowIdOf)).toEqual([
    "orders",
    "orders",
    "orders",
    "a-b",
    "flow",
  ]);
});

describe("parameters", () => {
  it("are read from arguments and from the file next to the flow, and flattened", async () => {
    expect(assignmentsOf(["a=1", "b=x=y", "c="])).toEqual({ a: "1", b: "x=y", c: "" });
    const flow = put("f.yaml", "");
    expect(await readParamsFile(flow)).toBeUndefined();
    put("f.params.json", '{"erp": {"url": "u"}, "key": {"value": "s", "secret": true}}');
    expect(flatParams((await readParamsFile(flow)) ?? {})).toEqual({ "erp.url": "u", key: "s" });
    put("f.params.json", '{"for": "hash", "params": {"a": {"value": 1}}}');
    expect(flatParams((await readParamsFile(flow)) ?? {})).toEqual({ a: "1" });
    expect(flatParams({ erp: { url: { env: "ERP_URL" } }, other: { env: "OTHER" } }, { ERP_URL: "http://erp" })).toEqual({ "erp.url": "http://erp" });
    put("f.params.json", "{");
    await expect(readParamsFile(flow)).rejects.toThrow(/f\.params\.json' is not valid JSON/);
    put("f.params.json", "[]");
    await expect(readParamsFile(flow)).rejects.toThrow(/f\.params\.json' must be an object of parameter names and values$/);
  });
});
