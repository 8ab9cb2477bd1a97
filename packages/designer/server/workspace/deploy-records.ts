// The outcome of the last deployment of each flow, per target. The runtime stores only successful deployments.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { WriteFile } from "./durable-file.ts";

export interface DeployRecord {
  readonly target: string;
  readonly outcome: "deployed" | "failed";
  /** Time of the deployment, by the clock of the designer. */
  readonly at: string;
  /** Hash of the text that was sent. */
  readonly hash: string;
  /** Hash of the last successfully deployed text; null if there was none. */
  readonly deployedHash: string | null;
  /** Time of that success, by the clock of the runtime. */
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
