import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a folder that is removed when the running test is over, after the clean-ups that the test registers later. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
