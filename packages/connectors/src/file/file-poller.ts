// Polls one file for a step. The file counts as processed once it is read, because a poll is not a separate run.
import type { Endpoint, Message, Poller } from "@sluice/engine/spi";
import { cancelledError } from "@sluice/engine/tools";
import { FileStream } from "./file-body.ts";
import type { FileMemory } from "./file-memory.ts";
import type { FileOptions } from "./file-shape.ts";
import { fileError, isMissing } from "./file-path.ts";
import { fileScan } from "./file-scan.ts";
import { fileWork, type FileParts } from "./file-work.ts";

const pollIntervalMs = 500;

export function filePoller(endpoint: Endpoint<FileOptions>, directory: string, memory: FileMemory, parts: FileParts): Poller {
  const { host, scope } = parts;
  const { options } = endpoint;
  const scan = fileScan(directory, options, scope);
  const work = fileWork(endpoint, directory, memory, parts, true);

  const next = async (): Promise<Message | undefined> => {
    const files = await scan().catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw fileError(`the directory '${options.directoryName}' cannot be read`, "file-failed", error);
    });
    for (const file of files) {
      const claimed = await work.claim(file);
      if (claimed === undefined) continue;
      const isTooLarge = claimed.message.body instanceof FileStream && !options.noop;
      await claimed.finish(isTooLarge ? "failed" : "done");
      if (isTooLarge)
        throw fileError(
          `'${file.name}' is larger than streamOver (${options.streamOver} bytes) and would be moved or deleted before it is read; raise streamOver`,
          "file-too-long",
        );
      return claimed.message;
    }
    return undefined;
  };

  return {
    async receive(timeoutMs, { run: { signal } }) {
      const { clock } = host;
      const deadline = timeoutMs < 0 ? Infinity : clock.monotonic() + timeoutMs;
      for (;;) {
        if (signal.aborted) throw cancelledError(signal);
        const message = await next();
        const remainingMs = deadline - clock.monotonic();
        if (message !== undefined || remainingMs <= 0) return message;
        await new Promise<void>((resolve) => clock.after(Math.min(remainingMs, pollIntervalMs), resolve));
      }
    },
  };
}
