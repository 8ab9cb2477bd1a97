import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FakeLog } from "@sluice/testkit";
import { openDiskDocumentStore } from "../mappings/disk-document-store.ts";
import type { DocumentVersion } from "../mappings/installed-document.ts";
import { reloadDocuments } from "../mappings/reload-documents.ts";
import { withConnectionFolders } from "./connection-folders.ts";

it("a removal is logged with the reason that applies to its store", async () => {
  const [folder, shared] = [0, 1].map(() => mkdtempSync(join(tmpdir(), "sluice-folders-"))) as [string, string];
  const store = withConnectionFolders({ ...(await openDiskDocumentStore(shared)), removalReason: () => "another node removed it" }, [folder]);
  for (const [directory, id] of [
    [folder, "local"],
    [shared, "remote"],
    [folder, "both"],
    [shared, "both"],
  ] as const)
    writeFileSync(join(directory, `${id}.json`), '{"type":"echo"}');
  const installed = new Map<string, DocumentVersion & { readonly error: undefined }>();
  const log = new FakeLog();
  const reload = (): Promise<void> =>
    reloadDocuments({
      store,
      log,
      noun: "connection",
      installed,
      exclusively: (_id, work) => work(),
      apply: ({ id, hash, lastModified }) => void installed.set(id, { id, hash, lastModified, error: undefined }),
      removed: (id) => void installed.delete(id),
    });
  await reload();
  for (const [directory, id] of [
    [folder, "local"],
    [shared, "remote"],
    [folder, "both"],
  ] as const)
    rmSync(join(directory, `${id}.json`));
  await reload();
  rmSync(join(shared, "both.json"));
  await reload();
  expect(log.texts.filter((text) => text.startsWith("Removed"))).toEqual([
    "Removed connection 'local' because its file was deleted",
    "Removed connection 'remote' because another node removed it",
    "Removed connection 'both' because another node removed it",
  ]);
});
