import { describe, expect, it } from "vitest";
import { mappingList } from "./mapping-list.ts";

describe("the list of mappings", () => {
  const about = { hash: "h", lastModified: "2026-11-14T16:02:33.120Z" };
  it("merges the mappings of the runtime and the workspace, and lists what uses each of them", () => {
    const entries = mappingList({
      tables: [{ id: "uom", name: "Units", columns: ["shop", "sap"], rowCount: 3, ...about }],
      documents: [{ id: "order", name: null, source: "json", target: "xml", fields: 4, uses: ["uom"], ...about }],
      flows: new Map([["orders", "- to: message-mapping:order\n- setBody: {simple: '${valueMapping(uom,shop,sap,${body})}'}\n"]]),
      workspace: { "value-mappings": ["uom", "draft"], "message-mappings": [] },
    });
    expect(entries.map(({ id, shape, size, usedBy, isInstalled }) => ({ id, shape, size, usedBy, isInstalled }))).toEqual([
      { id: "draft", shape: "", size: undefined, usedBy: [], isInstalled: false },
      { id: "order", shape: "json → xml", size: 4, usedBy: ["orders"], isInstalled: true },
      { id: "uom", shape: "shop ↔ sap", size: 3, usedBy: ["order", "orders"], isInstalled: true },
    ]);
  });
});
