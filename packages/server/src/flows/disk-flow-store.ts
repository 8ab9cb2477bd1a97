// Stores flows as files in one directory: `<id>.yaml` (`.yml` and `.camel.yaml` are read too) and `<id>.params.json`. Two files cannot be
// renamed atomically, so the parameter file names the text it belongs to and also has the values of the previous text: after a crash,
// either text finds its own parameters.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { flushDirectory, modifiedAt, putInPlace, readWhole, removeFile, removeLeftovers, writeTemporary } from "./durable-file.ts";
import { listFlowFiles, paramsSuffix } from "./flow-directory.ts";
import { fileNameOf, fileNamesOf } from "./flow-file-name.ts";
import type { FlowChange, FlowFile, FlowStore, Removal, StagedFlow, StoredFlow, StoredParams } from "./flow-store.ts";
import { inspectFile, type FoundFile } from "./inspect-file.ts";

interface ParamsFile {
  readonly for: string;
  readonly params: StoredParams;
  readonly before?: { readonly for: string; readonly params: StoredParams };
}

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Opens or creates the directory and removes temporary files of a crash. Files larger than `maxBytes` are not read. */
export async function openDiskFlowStore(directory: string, maxBytes: number): Promise<FlowStore> {
  await mkdir(directory, { recursive: true, mode: 0o750 });
  // A read-only directory can still be served.
  await removeLeftovers(directory).catch(() => undefined);
  const store = new DiskFlowStore(directory, maxBytes);
  await store.removeOrphans().catch(() => undefined);
  return store;
}

class DiskFlowStore implements FlowStore {
  readonly #directory: string;
  readonly #maxBytes: number;

  constructor(directory: string, maxBytes: number) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
  }

  list(): Promise<readonly FlowFile[]> {
    return listFlowFiles(this.#directory, this.#maxBytes);
  }

  async read(id: string): Promise<StoredFlow | undefined> {
    const [file, found] = this.#fileOf(id) ?? [];
    if (file === undefined || found === undefined) return undefined;
    const { problem } = found;
    const lastModified = Math.round(found.facts.mtimeMs);
    if (problem !== undefined) return { id, file, bytes: new Uint8Array(), hash: "", lastModified, params: {}, problem };
    try {
      const bytes = await readWhole(join(this.#directory, file), this.#maxBytes);
      const hash = hashOf(bytes);
      const kept = await this.#readParams(id);
      return { id, file, bytes, hash, lastModified, params: paramsFor(kept, hash) };
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

  async stage({ id, bytes, hash, params }: FlowChange): Promise<StagedFlow> {
    const directory = this.#directory;
    const current = await this.read(id);
    const file = current?.file ?? fileNameOf(id);
    const kept = current === undefined ? undefined : { for: current.hash, params: current.params };
    const paramsName = `${id}${paramsSuffix}`;
    const temporaryText = current?.hash === hash ? undefined : await writeTemporary(directory, file, bytes, 0o640);
    const paramsChanged = JSON.stringify(kept?.params ?? {}) !== JSON.stringify(params) || (temporaryText !== undefined && Object.keys(params).length > 0);
    let temporaryParams: string | undefined;
    try {
      if (paramsChanged) {
        const content: ParamsFile = { for: hash, params, ...(kept === undefined || kept.for === hash ? {} : { before: kept }) };
        temporaryParams = await writeTemporary(directory, paramsName, Buffer.from(`${JSON.stringify(content, null, 2)}\n`), 0o600);
      }
    } catch (error) {
      if (temporaryText !== undefined) await removeFile(directory, temporaryText);
      throw error;
    }
    return {
      async commit() {
        try {
          if (temporaryParams !== undefined) await putInPlace(directory, temporaryParams, paramsName);
          if (temporaryText !== undefined) await putInPlace(directory, temporaryText, file);
        } catch (error) {
          await discard();
          throw error;
        }
        const unflushed = await flushDirectory(directory, file);
        return { file, lastModified: await modifiedAt(join(directory, file)), unflushed };
      },
      discard,
    };

    async function discard(): Promise<void> {
      for (const temporaryName of [temporaryText, temporaryParams])
        if (temporaryName !== undefined) await removeFile(directory, temporaryName).catch(() => undefined);
    }
  }

  async remove(id: string): Promise<Removal> {
    let found = false;
    // Remove all names: a second file with this id would restore the flow at the next start.
    for (const name of fileNamesOf(id)) found = (await removeFile(this.#directory, name)) || found;
    if (!found) return { found, unflushed: undefined };
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
      return JSON.parse(String(await readWhole(join(this.#directory, `${id}${paramsSuffix}`)))) as ParamsFile;
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
