// Stores flows as files in one directory: `<id>.yaml` (`.yml` and `.camel.yaml` are read too) and `<id>.params.json`. Two files cannot be
// renamed atomically, so the parameter file contains the hash of the text that it belongs to, and also the parameters of the previous
// text: after a crash, whichever text is on disk has its own parameters. Past versions are in a separate directory, where they do not slow down every listing.
import { readFileSync } from "node:fs";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import { flushDirectory, modifiedAt, putInPlace, readEntireFile, removeFile, removeLeftovers, writeTemporary } from "./durable-file.ts";
import { DiskVersions, type StagedVersions, type VersionLimits } from "./disk-versions.ts";
import { listFlowFiles, paramsSuffix } from "./flow-directory.ts";
import { fileNameOf, fileNamesOf } from "./flow-file-name.ts";
import { hashOf } from "./flow-hash.ts";
import { shownParams } from "./flow-params.ts";
import type { FlowChange, FlowFile, FlowStore, FlowVersion, Removal, StagedFlow, StoredFlow, StoredParams, Unflushed } from "./flow-store.ts";
import { inspectFile, type FoundFile } from "./inspect-file.ts";
import { unrecordedVersion } from "./unrecorded-version.ts";

interface ParamsFile {
  readonly for: string;
  readonly params: StoredParams;
  readonly before?: { readonly for: string; readonly params: StoredParams };
}

export interface DiskFlowOptions {
  readonly directory: string;
  /** Files larger than this are not read. */
  readonly maxBytes: number;
  readonly versionsDirectory: string;
  readonly versions: VersionLimits;
}

/** Opens or creates the directory and removes temporary files left by a crash. */
export async function openDiskFlowStore({ directory, maxBytes, versionsDirectory, versions }: DiskFlowOptions): Promise<FlowStore> {
  await createFolder(directory, 0o750);
  // A read-only directory can still be served.
  await removeLeftovers(directory).catch(() => undefined);
  const store = new DiskFlowStore(directory, maxBytes, new DiskVersions(versionsDirectory, versions));
  await store.removeOrphans().catch(() => undefined);
  return store;
}

class DiskFlowStore implements FlowStore {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #versions: DiskVersions;

  constructor(directory: string, maxBytes: number, versions: DiskVersions) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    this.#versions = versions;
  }

  list(): Promise<readonly FlowFile[]> {
    return listFlowFiles(this.#directory, this.#maxBytes);
  }

  async read(id: string): Promise<StoredFlow | undefined> {
    const [file, found] = this.#fileOf(id) ?? [];
    if (file === undefined || found === undefined) return undefined;
    const { problem } = found;
    const lastModified = Math.round(found.stats.mtimeMs);
    if (problem !== undefined) return { id, file, bytes: new Uint8Array(), hash: "", lastModified, params: {}, problem };
    try {
      const bytes = await readEntireFile(join(this.#directory, file), this.#maxBytes);
      const hash = hashOf(bytes);
      return { id, file, bytes, hash, lastModified, params: paramsFor(await this.#readParams(id), hash) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async readListed({ id, file, lastModified, hasParams }: FlowFile): Promise<StoredFlow | undefined> {
    // Synchronous: at start, reading thousands of small files through the thread pool takes six times as long.
    const bytes = readFileSync(join(this.#directory, file));
    const hash = hashOf(bytes);
    return { id, file, bytes, hash, lastModified, params: hasParams ? paramsFor(await this.#readParams(id), hash) : {} };
  }

  versions(id: string): Promise<readonly FlowVersion[]> {
    return this.#versions.list(id);
  }

  async stage(change: FlowChange): Promise<StagedFlow> {
    const { id, bytes, hash, params } = change;
    const directory = this.#directory;
    const current = await this.read(id);
    const file = current?.file ?? fileNameOf(id);
    const before = current === undefined ? undefined : { for: current.hash, params: current.params };
    const paramsName = `${id}${paramsSuffix}`;
    const isNewText = current?.hash !== hash;
    const paramsChanged = JSON.stringify(before?.params ?? {}) !== JSON.stringify(params) || (isNewText && Object.keys(params).length > 0);
    const paramsFile: ParamsFile = { for: hash, params, ...(before === undefined || before.for === hash ? {} : { before }) };
    // In parallel, because each write waits for the disk.
    const [text, parameters, versions] = await Promise.allSettled([
      isNewText ? writeTemporary(directory, file, bytes, 0o640) : undefined,
      paramsChanged ? writeTemporary(directory, paramsName, Buffer.from(`${JSON.stringify(paramsFile, null, 2)}\n`), 0o600) : undefined,
      this.#stageVersion(change, current),
    ]);
    const temporaryText = text.status === "fulfilled" ? text.value : undefined;
    const temporaryParams = parameters.status === "fulfilled" ? parameters.value : undefined;
    const version = versions.status === "fulfilled" ? versions.value : undefined;
    const failed = [text, parameters, versions].find((result) => result.status === "rejected");
    if (failed !== undefined || version === undefined) {
      await discard();
      throw failed?.reason;
    }
    const { revision, commit, prune } = version;
    return {
      async commit() {
        let unflushed: Unflushed;
        try {
          // Add the version first, so that the running text is always in the history, even after a crash.
          unflushed = await commit();
          if (temporaryParams !== undefined) await putInPlace(directory, temporaryParams, paramsName);
          if (temporaryText !== undefined) await putInPlace(directory, temporaryText, file);
        } catch (error) {
          await discard();
          throw error;
        }
        unflushed = (await flushDirectory(directory, file)) ?? unflushed;
        // Extra versions are harmless and are removed with the next change.
        const [lastModified] = await Promise.all([modifiedAt(join(directory, file)), prune().catch(() => undefined)]);
        return { file, lastModified, revision, unflushed };
      },
      discard,
    };

    async function discard(): Promise<void> {
      for (const temporaryName of [temporaryText, temporaryParams])
        if (temporaryName !== undefined) await removeFile(directory, temporaryName).catch(() => undefined);
      await version?.discard();
    }
  }

  async #stageVersion({ id, bytes, hash, params, tests, metadata }: FlowChange, current: StoredFlow | undefined): Promise<StagedVersions> {
    const unrecorded = current === undefined ? undefined : unrecordedVersion(current, await this.#versions.list(id));
    const next = { bytes, hash, at: Date.now(), params: shownParams(params), tests, ...metadata };
    return this.#versions.stage(id, unrecorded === undefined ? [next] : [unrecorded, next]);
  }

  async remove(id: string): Promise<Removal> {
    let found = false;
    // Remove all names: a second file with this id would restore the flow at the next start.
    for (const name of fileNamesOf(id)) found = (await removeFile(this.#directory, name)) || found;
    if (!found) return { found, unflushed: undefined };
    await this.#versions.remove(id).catch(() => undefined);
    const unflushed = await flushDirectory(this.#directory, id);
    // Orphaned parameters are removed at the next start at the latest.
    const hadParams = await removeFile(this.#directory, `${id}${paramsSuffix}`).catch(() => false);
    return { found, unflushed: unflushed ?? (hadParams ? await flushDirectory(this.#directory, id) : undefined) };
  }

  /** Orphaned parameters would otherwise apply to the next flow with the same id. */
  async removeOrphans(): Promise<void> {
    const names = (await readdir(this.#directory)).filter((name) => name.endsWith(paramsSuffix));
    if (names.length === 0) return;
    const flows = new Set((await this.list()).map((flow) => flow.id));
    for (const name of names) {
      if (flows.has(name.slice(0, -paramsSuffix.length))) await chmod(join(this.#directory, name), 0o600).catch(() => undefined);
      else await removeFile(this.#directory, name);
    }
  }

  #fileOf(id: string): readonly [name: string, found: FoundFile] | undefined {
    for (const name of fileNamesOf(id)) {
      const found = inspectFile(join(this.#directory, name), this.#maxBytes);
      if (found !== undefined) return [name, found];
    }
    return undefined;
  }

  async #readParams(id: string): Promise<ParamsFile | undefined> {
    try {
      return JSON.parse(String(await readEntireFile(join(this.#directory, `${id}${paramsSuffix}`)))) as ParamsFile;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new Error(
        `the parameters of flow '${id}' cannot be read: ${error instanceof SyntaxError ? "the file is not JSON" : (error as NodeJS.ErrnoException).code}`,
        { cause: error },
      );
    }
  }
}

function paramsFor(file: ParamsFile | undefined, hash: string): StoredParams {
  if (file === undefined) return {};
  if (file.for !== hash && file.before?.for === hash) return file.before.params;
  return file.params ?? {};
}
