// Stores the versions of flows as `<id>/<revision>.yaml`: one comment line with the metadata, then the text, byte for byte. A file is never
// changed after it was written.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { flushDirectory, makeDirectory, putInPlace, readEntireFile, removeDirectory, removeFile, removeLeftovers, writeTemporary } from "./durable-file.ts";
import { hashOf } from "./flow-hash.ts";
import type { FlowVersion, Unflushed } from "./flow-store.ts";

export interface VersionLimits {
  /** Maximum versions per flow. */
  readonly count: number;
  /** Maximum total size of their files per flow. */
  readonly bytes: number;
}

export type NewVersion = Omit<FlowVersion, "revision">;

export interface StagedVersions {
  /** The revision of the last version. */
  readonly revision: number;
  /** Adds the versions to the history. If it rejects, none was added. */
  commit(): Promise<Unflushed>;
  /** Discards the staged versions, or removes them again after `commit`. */
  discard(): Promise<void>;
  /** Removes the oldest versions above the limits. */
  prune(): Promise<void>;
}

/** The first line of a file. */
interface Header {
  readonly v: 1;
  readonly at: string;
  readonly hash: string;
  readonly by?: string | undefined;
  readonly comment?: string | undefined;
  readonly restoredFrom?: number | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly tests?: string | null | undefined;
}

const headerPrefix = "# sluice version ";
const fileName = /^([1-9]\d{0,14})\.yaml$/;
const nameOf = (revision: number): string => `${revision}.yaml`;

export class DiskVersions {
  readonly #directory: string;
  readonly #limits: VersionLimits;

  constructor(directory: string, limits: VersionLimits) {
    this.#directory = directory;
    this.#limits = limits;
  }

  /** Newest first. Damaged files are omitted. */
  async list(id: string): Promise<readonly FlowVersion[]> {
    const versions: FlowVersion[] = [];
    for (const revision of await this.#revisions(id)) {
      // A concurrent change may have pruned the version, because listing does not hold the flow's mutex.
      const content = await readEntireFile(join(this.#directory, id, nameOf(revision))).catch(unlessMissing);
      const version = content === undefined ? undefined : parse(revision, content);
      if (version !== undefined) versions.push(version);
    }
    return versions;
  }

  /** Writes new versions under temporary names. Calls for one flow must not overlap. */
  async stage(id: string, versions: readonly NewVersion[]): Promise<StagedVersions> {
    const directory = join(this.#directory, id);
    const isNew = await makeDirectory(this.#directory, id, 0o750);
    if (!isNew) await removeLeftovers(directory);
    const newest = isNew ? 0 : ((await this.#revisions(id))[0] ?? 0);
    const staged: { readonly name: string; readonly temporary: string }[] = [];
    const discard = async (): Promise<void> => {
      for (const { name, temporary } of staged) for (const file of [name, temporary]) await removeFile(directory, file).catch(() => undefined);
    };
    try {
      for (const [index, version] of versions.entries()) {
        const name = nameOf(newest + 1 + index);
        staged.push({ name, temporary: await writeTemporary(directory, name, format(version), 0o640) });
      }
    } catch (error) {
      await discard();
      throw error;
    }
    return {
      revision: newest + versions.length,
      discard,
      commit: async () => {
        try {
          for (const { name, temporary } of staged) await putInPlace(directory, temporary, name);
        } catch (error) {
          await discard();
          throw error;
        }
        const [unflushed, unflushedParent] = await Promise.all([flushDirectory(directory, id), isNew ? flushDirectory(this.#directory, id) : undefined]);
        return unflushed ?? unflushedParent;
      },
      // The only version is never removed.
      prune: async () => (isNew && versions.length === 1 ? undefined : this.#prune(id)),
    };
  }

  /** Removes the history of a flow, so that it does not appear in the next flow with this id. */
  remove(id: string): Promise<void> {
    return removeDirectory(this.#directory, id);
  }

  async #prune(id: string): Promise<void> {
    const directory = join(this.#directory, id);
    let bytes = 0;
    for (const [index, revision] of (await this.#revisions(id)).entries()) {
      if (index < this.#limits.count) bytes += (await stat(join(directory, nameOf(revision)))).size;
      if (index > 0 && (index >= this.#limits.count || bytes > this.#limits.bytes)) await removeFile(directory, nameOf(revision));
    }
  }

  /** Newest first. */
  async #revisions(id: string): Promise<readonly number[]> {
    const names = await readdir(join(this.#directory, id)).catch(unlessMissing);
    return (names ?? [])
      .flatMap((name) => fileName.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => b - a);
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}

function format({ bytes, at, ...metadata }: NewVersion): Buffer {
  const header: Header = { v: 1, at: new Date(at).toISOString(), ...metadata };
  return Buffer.concat([Buffer.from(`${headerPrefix}${JSON.stringify(header)}\n`), bytes]);
}

/** Undefined for a file of another format, or whose text was changed. */
function parse(revision: number, content: Buffer): FlowVersion | undefined {
  const end = content.indexOf("\n");
  const line = content.subarray(0, Math.max(end, 0)).toString("utf8");
  if (!line.startsWith(headerPrefix)) return undefined;
  try {
    const { v, at, ...metadata } = JSON.parse(line.slice(headerPrefix.length)) as Header;
    const bytes = content.subarray(end + 1);
    return v === 1 && hashOf(bytes) === metadata.hash ? { ...metadata, revision, bytes, at: Date.parse(at) } : undefined;
  } catch {
    return undefined;
  }
}
