// The lifecycle of one file. A file is moved or deleted only after its run succeeded, so that after a crash it is found again.
import { copyFile, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join, posix } from "node:path";
import { Headers, Message, type Endpoint, type EndpointScope, type Host, type IdempotentRepository, type Settlement } from "@sluice/engine/spi";
import { createFolder } from "../create-folder.ts";
import { decoderOf, readBody } from "./file-body.ts";
import type { FileMemory } from "./file-memory.ts";
import type { FileOptions } from "./file-shape.ts";
import { hasCode, pathWithin } from "./file-path.ts";
import { findFile, type FoundFile } from "./file-scan.ts";
import { fileNameOption, hasExpressions, type FileNameOption } from "./file-name-option.ts";
import { readLock } from "./read-lock.ts";

interface ClaimedFile {
  readonly message: Message;
  /**
   * Called when the run has ended: a processed file is moved or deleted, a failed one is moved to `moveFailed`, and one that was not
   * accepted stays in place.
   */
  finish(settled: Settlement["kind"]): Promise<void>;
}

export interface FileParts {
  readonly host: Host;
  readonly scope: EndpointScope;
}

/** Processes the files of an endpoint, with its options compiled. */
export interface FileWork {
  /** Undefined when the file does not exist, is not ready, was already processed or is claimed elsewhere. */
  claim(file: FoundFile): Promise<ClaimedFile | undefined>;
}

/** `jailed`: files must not be moved out of the directory, because the options may come from a message. */
export function fileWork({ uri, options }: Endpoint<FileOptions>, directory: string, memory: FileMemory, parts: FileParts, jailed: boolean): FileWork {
  const { scope } = parts;
  const lock = readLock(directory, options, parts.host.clock);
  const decoder = decoderOf(options.charset);
  const target = (option: string, text: string | undefined): FileNameOption | undefined =>
    text === undefined ? undefined : moveTarget(option, text, directory, scope, jailed);
  const moves = {
    before: target("preMove", options.preMove),
    done: options.noop || options.delete ? undefined : target("move", options.move ?? ".camel"),
    failed: target("moveFailed", options.moveFailed),
  };
  const doneFile = options.doneFileName === undefined ? undefined : fileNameOption("doneFileName", options.doneFileName, scope);
  const key = options.idempotentKey === undefined ? undefined : fileNameOption("idempotentKey", options.idempotentKey, scope);
  const isIdempotent = options.idempotent ?? options.noop;
  const processedFiles =
    options.idempotentRepository === undefined
      ? memory.doneFiles(uri)
      : (scope.bean(options.idempotentRepository, "idempotent-repository") as Pick<IdempotentRepository, "contains" | "add" | "confirm">);

  return {
    async claim(found) {
      const identity = key?.(found) ?? found.path;
      if ((isIdempotent && (await processedFiles.contains(identity))) || !memory.begin(found.path)) return undefined;
      let release: (() => Promise<void>) | undefined;
      const releaseFile = async (): Promise<void> => {
        await release?.();
        memory.end(found.path);
      };
      try {
        const marker = doneFile === undefined ? undefined : join(dirname(found.path), doneFile({ name: posix.basename(found.name) }));
        if (marker !== undefined && (await findFile(directory, marker, marker)) === undefined) return await releaseFile().then(() => undefined);
        release = await lock(found);
        const file = release === undefined ? undefined : await preMove(found);
        if (file === undefined) return await releaseFile().then(() => undefined);
        const message = new Message(await readBody(file.path, file.size, options.streamOver, decoder), headersOf(file, found));
        return { message, finish: (settled) => settle(file, found, { identity, marker, settled }).finally(releaseFile) };
      } catch (error) {
        await releaseFile();
        throw error;
      }
    },
  };

  async function preMove(found: FoundFile): Promise<FoundFile | undefined> {
    const current = await findFile(directory, found.name);
    if (current === undefined || moves.before === undefined) return current;
    const path = moves.before(current);
    await move(current.path, path);
    return { ...current, path };
  }

  interface Finish {
    readonly identity: string;
    readonly marker: string | undefined;
    readonly settled: Settlement["kind"];
  }

  async function settle(file: FoundFile, found: FoundFile, { identity, marker, settled }: Finish): Promise<void> {
    if (settled !== "done") {
      if (settled !== "released" && moves.failed !== undefined) await move(file.path, moves.failed(found));
      else if (file.path !== found.path) await move(file.path, found.path);
      return;
    }
    if (isIdempotent) {
      await processedFiles.add(identity);
      await processedFiles.confirm(identity);
    }
    if (options.delete) await rm(file.path, { force: true });
    else if (moves.done !== undefined) await move(file.path, moves.done(found));
    else if (file.path !== found.path) await move(file.path, found.path);
    if (marker !== undefined && !options.noop) await rm(marker, { force: true });
  }

  function headersOf(file: FoundFile, found: FoundFile): Headers {
    const baseName = posix.basename(found.name);
    return Headers.of({
      CamelFileName: options.flatten ? baseName : found.name,
      CamelFileNameOnly: baseName,
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

/** Text without expressions is a folder next to the file; with expressions it is the new name of the file. */
function moveTarget(option: string, text: string, directory: string, scope: EndpointScope, jailed: boolean): FileNameOption {
  const template = fileNameOption(option, hasExpressions(text) ? text : posix.join(text, "${file:onlyname}"), scope);
  return (source) => {
    const name = template(source);
    const folder = join(directory, posix.dirname(source.name));
    if (jailed) return pathWithin(folder, name);
    return isAbsolute(name) ? name : join(folder, name);
  };
}

async function move(from: string, to: string): Promise<void> {
  await createFolder(dirname(to));
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, "EXDEV")) throw error;
    await copyFile(from, to);
    await rm(from);
  }
}
