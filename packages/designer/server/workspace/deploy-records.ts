// What became of each flow's last deploy, per target. The runtime knows what runs; these records know what was tried from here.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { WriteFile } from "./durable-file.ts";

export interface DeployRecord {
  readonly target: string;
  readonly outcome: "deployed" | "failed";
  /** When it was tried, by the designer's clock. */
  readonly at: string;
  /** The text that was sent. */
  readonly hash: string;
  /** The text that runs since the last success; null when there was none. */
  readonly deployedHash: string | null;
  /** The runtime's own time of that success. */
  readonly deployedAt: string | null;
  readonly error?: string;
}

export class DeployRecords {
  readonly #folder: string;
  readonly #write: WriteFile;

  constructor(folder: string, write: WriteFile) {
    this.#folder = folder;
    this.#write = write;
  }

  async of(flowId: string): Promise<Readonly<Record<string, DeployRecord>>> {
    try {
      return JSON.parse(await readFile(join(this.#folder, `${flowId}.json`), "utf8")) as Record<string, DeployRecord>;
    } catch {
      return {};
    }
  }

  async put(flowId: string, record: DeployRecord): Promise<void> {
    const records = { ...(await this.of(flowId)), [record.target]: record };
    await this.#write(join(this.#folder, `${flowId}.json`), Buffer.from(`${JSON.stringify(records, null, 2)}\n`, "utf8"));
  }
}
