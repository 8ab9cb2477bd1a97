// Version history of a flow: a copy of the text for each save and deployment, limited to the last 20. File names contain all metadata.
import { readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { HttpError } from "../http/http-error.ts";
import { diskError, hashOf, type WriteFile } from "./durable-file.ts";

const maxVersions = 20;
const namePattern = /^(\d{8}T\d{9}Z)-(save|deploy)-([0-9a-f]{64})\.yaml$/;

export interface Version {
  readonly id: string;
  readonly at: string;
  readonly reason: "save" | "deploy";
  readonly hash: string;
}

export class Versions {
  readonly #folder: string;
  readonly #write: WriteFile;
  #lastTime = 0;

  constructor(folder: string, write: WriteFile) {
    this.#folder = folder;
    this.#write = write;
  }

  /** Newest first. */
  async list(flowId: string): Promise<Version[]> {
    const names = await readdir(join(this.#folder, flowId)).catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? [] : Promise.reject(error)));
    return names
      .flatMap((name) => {
        const [, stamp, reason, hash] = namePattern.exec(name) ?? [];
        return stamp === undefined ? [] : [{ id: name.slice(0, -5), at: timeOf(stamp), reason: reason as Version["reason"], hash: hash as string }];
      })
      .sort((left, right) => (left.id < right.id ? 1 : -1));
  }

  async text(flowId: string, id: string): Promise<string> {
    if (!namePattern.test(`${id}.yaml`)) throw new HttpError(404, `version '${id.slice(0, 120)}' not found`);
    return readFile(join(this.#folder, flowId, `${id}.yaml`), "utf8").catch(() => Promise.reject(new HttpError(404, `version '${id}' not found`)));
  }

  /** Deploying a version that was just saved replaces its entry, so that each text is listed once. */
  async add(flowId: string, text: string, reason: Version["reason"]): Promise<void> {
    const hash = hashOf(text);
    const versions = await this.list(flowId);
    const newest = versions[0];
    if (newest?.hash === hash && (newest.reason === reason || reason === "save")) return;
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    const stamp = new Date(this.#lastTime).toISOString().replaceAll(/[-:.]/g, "");
    const name = `${stamp}-${reason}-${hash}.yaml`;
    await this.#write(join(this.#folder, flowId, name), Buffer.from(text, "utf8")).catch((error: unknown) => Promise.reject(diskError(error, name)));
    const outdated = [...(newest?.hash === hash ? [newest] : []), ...versions.slice(maxVersions - 1)];
    for (const { id } of outdated) await unlink(join(this.#folder, flowId, `${id}.yaml`)).catch(() => undefined);
  }
}

const timeOf = (stamp: string): string => stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, "$1-$2-$3T$4:$5:$6.$7Z");
