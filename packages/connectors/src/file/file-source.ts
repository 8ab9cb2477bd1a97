// Polls a directory and delivers its files one by one.
import { stat } from "node:fs/promises";
import { CompileError, isFlowError, settlementOf, type Endpoint, type Source } from "@sluice/engine/spi";
import { createFolder } from "../create-folder.ts";
import { polledSource } from "../polling/polled-source.ts";
import type { FileMemory } from "./file-memory.ts";
import type { FileOptions } from "./file-shape.ts";
import { fileError, isMissing } from "./file-path.ts";
import { fileScan, type FoundFile } from "./file-scan.ts";
import { fileWork, type FileParts } from "./file-work.ts";
import { clearLeftovers } from "./read-lock.ts";

export function fileSource(endpoint: Endpoint<FileOptions>, directory: string, memory: FileMemory, parts: FileParts): Source {
  const { host, scope } = parts;
  const { options, uri } = endpoint;
  if (options.noop && options.delete) throw new CompileError("bad-option", "noop and delete cannot both be true", { hint: "noop leaves files where they are" });
  const scan = fileScan(directory, options, scope);
  const work = fileWork(endpoint, directory, memory, parts, false);
  const name = options.directoryName;

  return polledSource<FoundFile>({
    uri,
    logger: "file",
    options,
    host,
    poll: scan,
    prepare: () =>
      prepare(directory, options).catch((error: unknown) => {
        if (isFlowError(error)) throw error;
        throw fileError(`the directory '${name}' cannot be used: ${(error as Error).message}`, "file-failed", error);
      }),
    problemOf(error) {
      if (isMissing(error)) return options.autoCreate ? `the directory '${name}' no longer exists` : undefined;
      return `the directory '${name}' cannot be read`;
    },
    async each(file, routeInput, properties) {
      try {
        const claimed = await work.claim(file);
        if (claimed === undefined) return false;
        const exchange = await routeInput.deliver(claimed.message, { trigger: { uri, path: file.name }, pattern: options.exchangePattern, properties });
        await claimed.finish(settlementOf(exchange).kind);
        return true;
      } catch (error) {
        host.log.write("WARN", "file", `${uri}: '${file.name}' cannot be processed or moved: ${error instanceof Error ? error.message : String(error)}`);
        return false;
      }
    },
  });
}

async function prepare(directory: string, options: FileOptions): Promise<void> {
  if (options.directoryMustExist || options.startingDirectoryMustExist || !options.autoCreate) {
    const exists = await stat(directory).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!exists && (options.directoryMustExist || options.startingDirectoryMustExist))
      throw fileError(`the directory '${options.directoryName}' does not exist: create it, or correct the path`, "file-no-directory");
    if (!exists) return;
  } else await createFolder(directory);
  if (options.readLock === "rename" || (options.readLock === "markerFile" && options.readLockDeleteOrphanLockFiles))
    await clearLeftovers(directory, options.recursive);
}
