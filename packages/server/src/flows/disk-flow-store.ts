// Flows as files of one directory: `<id>.yaml` (also `.yml` and `.camel.yaml` when found there) and `<id>.params.json`.
// Two files cannot be renamed at once, so the parameters' file names the text it belongs to and keeps the values of
// the text before: whichever text a crash leaves in place finds its own parameters.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { flushDirectory, putInPlace, readWhole, removeFile, removeLeftovers, writeTemporary } from "./durable-file.ts";
import { extensions, FlowDirectory, paramsSuffix } from "./flow-directory.ts";
import type { FlowChange, FlowFile, FlowStore, StagedFlow, StoredFlow, StoredParams } from "./flow-store.ts";

interface ParamsFile {
  readonly for: string;
  readonly params: StoredParams;
  readonly before?: { readonly for: string; readonly params: StoredParams };
}

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Opens the directory, makes it when missing, and clears what a crash left behind. */
export async function openDiskFlowStore(directory: string): Promise<FlowStore> {
  await mkdir(directory, { recursive: true, mode: 0o750 });
  // A directory that cannot be written is no reason not to serve what is in it.
  await removeLeftovers(directory).catch(() => undefined);
  const store = new DiskFlowStore(directory);
  await store.removeOrphans().catch(() => undefined);
  return store;
}

class DiskFlowStore implements FlowStore {
  readonly #directory: string;
  readonly #files: FlowDirectory;

  constructor(directory: string) {
    this.#directory = directory;
    this.#files = new FlowDirectory(directory);
  }

  list(): Promise<readonly FlowFile[]> {
    return this.#files.list();
  }

  async read(id: string): Promise<StoredFlow | undefined> {
    const file = await this.#fileOf(id);
    if (file === undefined) return undefined;
    try {
      const path = join(this.#directory, file);
      const [bytes, facts] = await Promise.all([readWhole(path), stat(path)]);
      const hash = hashOf(bytes);
      const kept = await this.#readParams(id);
      return { id, file, bytes, hash, lastModified: Math.round(facts.mtimeMs), params: paramsFor(kept, hash) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async readListed({ id, file, lastModified, hasParams }: FlowFile): Promise<StoredFlow | undefined> {
    // A start reads thousands of small files one after another: through the thread pool that takes six times as long.
    const bytes = readFileSync(join(this.#directory, file));
    const hash = hashOf(bytes);
    return { id, file, bytes, hash, lastModified, params: hasParams ? paramsFor(await this.#readParams(id), hash) : {} };
  }

  async stage({ id, bytes, hash, params }: FlowChange): Promise<StagedFlow> {
    const directory = this.#directory;
    const current = await this.read(id);
    const file = current?.file ?? `${id}.yaml`;
    const kept = current === undefined ? undefined : { for: current.hash, params: current.params };
    const paramsName = `${id}${paramsSuffix}`;
    const passingText = current?.hash === hash ? undefined : await writeTemporary(directory, file, bytes, 0o640);
    const paramsChanged = JSON.stringify(kept?.params ?? {}) !== JSON.stringify(params) || (passingText !== undefined && Object.keys(params).length > 0);
    let passingParams: string | undefined;
    try {
      if (paramsChanged) {
        const content: ParamsFile = { for: hash, params, ...(kept === undefined || kept.for === hash ? {} : { before: kept }) };
        passingParams = await writeTemporary(directory, paramsName, Buffer.from(`${JSON.stringify(content, null, 2)}\n`), 0o600);
      }
    } catch (error) {
      if (passingText !== undefined) await removeFile(directory, passingText);
      throw error;
    }
    return {
      async commit() {
        if (passingParams !== undefined) await putInPlace(directory, passingParams, paramsName);
        if (passingText !== undefined) await putInPlace(directory, passingText, file);
        await flushDirectory(directory);
        return { file, lastModified: Math.round((await stat(join(directory, file))).mtimeMs) };
      },
      async discard() {
        for (const passing of [passingText, passingParams]) if (passing !== undefined) await removeFile(directory, passing).catch(() => undefined);
      },
    };
  }

  async remove(id: string): Promise<boolean> {
    const file = await this.#fileOf(id);
    if (file === undefined || !(await removeFile(this.#directory, file))) return false;
    await flushDirectory(this.#directory);
    if (await removeFile(this.#directory, `${id}${paramsSuffix}`)) await flushDirectory(this.#directory);
    return true;
  }

  /** Parameters whose flow is gone would otherwise come back with the next flow of that id. */
  async removeOrphans(): Promise<void> {
    const names = (await readdir(this.#directory)).filter((name) => name.endsWith(paramsSuffix));
    if (names.length === 0) return;
    const flows = new Set((await this.list()).map((flow) => flow.id));
    for (const name of names) {
      if (flows.has(name.slice(0, -paramsSuffix.length))) await chmod(join(this.#directory, name), 0o600).catch(() => undefined);
      else await removeFile(this.#directory, name);
    }
  }

  async #fileOf(id: string): Promise<string | undefined> {
    for (const extension of extensions) {
      const facts = await stat(join(this.#directory, id + extension)).catch(() => undefined);
      if (facts?.isFile() === true) return id + extension;
    }
    return undefined;
  }

  async #readParams(id: string): Promise<ParamsFile | undefined> {
    try {
      return JSON.parse(String(await readWhole(join(this.#directory, `${id}${paramsSuffix}`)))) as ParamsFile;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new Error(
        `the parameters of flow '${id}' cannot be read: ${error instanceof SyntaxError ? "the file is no JSON" : (error as NodeJS.ErrnoException).code}`,
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
