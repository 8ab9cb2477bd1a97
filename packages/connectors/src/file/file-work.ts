// One file from being taken to being done with. A file is moved or deleted only after its run went well, so a crash at any
// moment leaves it where it will be found again.
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join, posix } from "node:path";
import { Headers, Message, type Endpoint, type Host } from "@sluice/engine/spi";
import { decoderOf, readBody } from "./file-body.ts";
import type { FileMemory } from "./file-memory.ts";
import type { FileOptions } from "./file-shape.ts";
import { hasCode, pathWithin } from "./file-path.ts";
import { look, type FoundFile } from "./file-scan.ts";
import { compileTemplate, hasParts, type Template } from "./file-template.ts";
import { readLock } from "./read-lock.ts";

/** A file that is ours until it is finished one way or the other. */
interface TakenFile {
  readonly message: Message;
  /** Its run is over. */
  finish(failed: boolean): Promise<void>;
}

export interface FileWork {
  /** Undefined when the file is gone, not ready, done already or somebody else's. */
  take(file: FoundFile): Promise<TakenFile | undefined>;
}

/** `jailed`: moves may not leave the directory, because the options may have come from a message. */
export function fileWork({ uri, options }: Endpoint<FileOptions>, directory: string, memory: FileMemory, host: Host, jailed: boolean): FileWork {
  const { clock } = host;
  const lock = readLock(directory, options, clock);
  const decoder = decoderOf(options.charset);
  const target = (option: string, text: string | undefined): Template | undefined =>
    text === undefined ? undefined : moveTarget(option, text, directory, host, jailed);
  const moves = {
    before: target("preMove", options.preMove),
    done: options.noop || options.delete ? undefined : target("move", options.move ?? ".camel"),
    failed: target("moveFailed", options.moveFailed),
  };
  const doneFile = options.doneFileName === undefined ? undefined : compileTemplate("doneFileName", options.doneFileName, clock);
  const key = options.idempotentKey === undefined ? undefined : compileTemplate("idempotentKey", options.idempotentKey, clock);
  const once = options.idempotent ?? options.noop;

  return {
    async take(found) {
      const identity = key?.(found) ?? found.path;
      if ((once && memory.isDone(uri, identity)) || !memory.begin(found.path)) return undefined;
      let release: (() => Promise<void>) | undefined;
      const letGo = async (): Promise<void> => {
        await release?.();
        memory.end(found.path);
      };
      try {
        const done = doneFile === undefined ? undefined : join(dirname(found.path), doneFile({ name: posix.basename(found.name) }));
        if (done !== undefined && (await look(directory, done, done)) === undefined) return await letGo().then(() => undefined);
        release = await lock(found);
        const file = release === undefined ? undefined : await moved(found);
        if (file === undefined) return await letGo().then(() => undefined);
        const message = new Message(await readBody(file.path, file.size, options.streamOver, decoder), headersOf(file, found));
        return { message, finish: (failed) => finished(file, found, identity, done, failed).finally(letGo) };
      } catch (thrown) {
        await letGo();
        throw thrown;
      }
    },
  };

  async function moved(found: FoundFile): Promise<FoundFile | undefined> {
    const now = await look(directory, found.name);
    if (now === undefined || moves.before === undefined) return now;
    const path = moves.before(now);
    await move(now.path, path);
    return { ...now, path };
  }

  async function finished(file: FoundFile, found: FoundFile, identity: string, done: string | undefined, failed: boolean): Promise<void> {
    if (failed) {
      if (moves.failed !== undefined) await move(file.path, moves.failed(found));
      else if (file.path !== found.path) await move(file.path, found.path);
      return;
    }
    if (once) memory.remember(uri, identity);
    if (options.delete) await rm(file.path, { force: true });
    else if (moves.done !== undefined) await move(file.path, moves.done(found));
    else if (file.path !== found.path) await move(file.path, found.path);
    if (done !== undefined && !options.noop) await rm(done, { force: true });
  }

  function headersOf(file: FoundFile, found: FoundFile): Headers {
    const only = posix.basename(found.name);
    return Headers.of({
      CamelFileName: options.flatten ? only : found.name,
      CamelFileNameOnly: only,
      CamelFileNameConsumed: found.name,
      CamelFileAbsolute: isAbsolute(options.directoryName),
      CamelFileAbsolutePath: file.path,
      CamelFilePath: join(options.directoryName, found.name),
      CamelFileRelativePath: found.name,
      CamelFileParent: dirname(file.path),
      CamelFileLength: found.size,
      CamelFileLastModified: found.modified,
      CamelMessageTimestamp: found.modified,
    });
  }
}

/** A text without parts names a folder beside the file; with parts it is the file's new name. */
function moveTarget(option: string, text: string, directory: string, { clock }: Host, jailed: boolean): Template {
  const template = compileTemplate(option, hasParts(text) ? text : posix.join(text, "${file:onlyname}"), clock);
  return (source) => {
    const name = template(source);
    const folder = join(directory, posix.dirname(source.name));
    if (jailed) return pathWithin(folder, name);
    return isAbsolute(name) ? name : join(folder, name);
  };
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  try {
    await rename(from, to);
  } catch (thrown) {
    if (!hasCode(thrown, "EXDEV")) throw thrown;
    await copyFile(from, to);
    await rm(from);
  }
}
