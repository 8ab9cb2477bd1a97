// Text files in one folder of the workspace, with ids that are safe file names. A write names the hash of the content it replaces,
// so concurrent writers cannot overwrite each other unnoticed.
import { lstat, readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { HttpError } from "../http/http-error.ts";
import { diskError, hashOf, type WriteFile } from "./durable-file.ts";

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** Reserved file names on Windows. */
const deviceName = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;
const maxFileBytes = 10 * 1024 * 1024;

export interface TextFile {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
  readonly lastModified: string;
}

const isValidId = (id: string): boolean => idPattern.test(id) && !id.includes("..") && !id.endsWith(".") && !deviceName.test(id);

export function assertId(id: string): void {
  if (isValidId(id)) return;
  throw new HttpError(400, `invalid id '${id.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 140)}': use letters, digits, '.', '_', '-' (max 128)`);
}

export class TextFiles {
  readonly #folder: string;
  readonly #suffix: string;
  readonly #write: WriteFile;
  /** Writes to one file are serialized, so that the hash check and the write are atomic. */
  readonly #pendingWrites = new Map<string, Promise<unknown>>();

  constructor(folder: string, suffix: string, write: WriteFile) {
    this.#folder = folder;
    this.#suffix = suffix;
    this.#write = write;
  }

  async ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? [] : Promise.reject(error)));
    return names
      .filter((name) => name.endsWith(this.#suffix))
      .map((name) => name.slice(0, -this.#suffix.length))
      .filter(isValidId)
      .sort();
  }

  async read(id: string): Promise<TextFile | undefined> {
    assertId(id);
    const path = this.#path(id);
    try {
      const found = await lstat(path);
      if (!found.isFile()) throw new HttpError(409, `'${id}${this.#suffix}' is not a regular file`);
      if (found.size > maxFileBytes) throw new HttpError(413, `'${id}${this.#suffix}' is larger than ${maxFileBytes} bytes`);
      const bytes = await readFile(path);
      return { id, text: bytes.toString("utf8"), hash: hashOf(bytes), lastModified: found.mtime.toISOString() };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Writes the file if its hash is still `expectedHash`, where null means that it does not exist; otherwise throws 409 with the current content. */
  save(id: string, text: string, expectedHash: string | null): Promise<TextFile & { readonly changed: boolean }> {
    assertId(id);
    const bytes = Buffer.from(text, "utf8");
    if (bytes.length > maxFileBytes) throw new HttpError(413, `a file must not exceed ${maxFileBytes} bytes`);
    return this.#serialize(id, async () => {
      const current = await this.#expect(id, expectedHash, hashOf(bytes));
      if (current?.hash === hashOf(bytes)) return { ...current, changed: false };
      await this.#write(this.#path(id), bytes).catch((error: unknown) => Promise.reject(diskError(error, `${id}${this.#suffix}`)));
      return { ...((await this.read(id)) as TextFile), changed: true };
    });
  }

  remove(id: string, expectedHash: string): Promise<void> {
    assertId(id);
    return this.#serialize(id, async () => {
      if ((await this.#expect(id, expectedHash)) === undefined) throw new HttpError(404, `'${id}' not found in the workspace`);
      await unlink(this.#path(id)).catch((error: unknown) => Promise.reject(diskError(error, id)));
    });
  }

  /** The current content. Identical content from another writer is not a conflict. */
  async #expect(id: string, expectedHash: string | null, newHash?: string): Promise<TextFile | undefined> {
    const current = await this.read(id);
    if ((current?.hash ?? null) === expectedHash || (current !== undefined && current.hash === newHash)) return current;
    const message =
      current === undefined
        ? `'${id}' was deleted from disk after it was opened`
        : expectedHash === null
          ? `'${id}' already exists`
          : `'${id}' was changed on disk after it was opened`;
    throw new HttpError(409, message, {
      conflict: "file",
      disk: current === undefined ? null : { text: current.text, hash: current.hash, lastModified: current.lastModified },
    });
  }

  #path(id: string): string {
    return join(this.#folder, id + this.#suffix);
  }

  async #serialize<T>(id: string, act: () => Promise<T>): Promise<T> {
    const write = (this.#pendingWrites.get(id) ?? Promise.resolve()).then(act, act);
    this.#pendingWrites.set(id, write);
    try {
      return await write;
    } finally {
      if (this.#pendingWrites.get(id) === write) this.#pendingWrites.delete(id);
    }
  }
}
