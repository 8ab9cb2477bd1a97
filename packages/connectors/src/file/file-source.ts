// Looks at a directory again and again and hands its files over one by one.
import { mkdir, stat } from "node:fs/promises";
import { CompileError, Message, type Endpoint, type Host, type Inlet, type Source } from "@sluice/engine/spi";
import { nextOnGrid, Ticker } from "../ticking/ticker.ts";
import type { FileMemory } from "./file-memory.ts";
import type { FileOptions } from "./file-shape.ts";
import { fileError, isMissing } from "./file-path.ts";
import { fileScan, type FoundFile } from "./file-scan.ts";
import { fileWork } from "./file-work.ts";
import { clearLeftovers } from "./read-lock.ts";

/** How long a stop waits for the file under way; it is finished properly in any case, only later. */
const stopWaitMs = 5000;

export function fileSource(endpoint: Endpoint<FileOptions>, directory: string, memory: FileMemory, host: Host): Source {
  const { options, uri } = endpoint;
  const pattern = options.exchangePattern;
  if (options.noop && options.delete) throw new CompileError("bad-option", "noop and delete cannot both be true", { hint: "noop leaves files where they are" });
  const { clock } = host;
  const scan = fileScan(directory, options, clock);
  const work = fileWork(endpoint, directory, memory, host, false);
  const warn = (text: string, thrown: unknown): void =>
    host.log.write("WARN", "file", `${uri}: ${text}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  let ticker: Ticker | undefined;
  let underWay: Promise<boolean> | undefined;
  let problem: string | undefined;

  /** Said once, however often it is found again. */
  const lose = (inlet: Inlet, thrown: unknown): void => {
    const found = isMissing(thrown) ? `the directory '${options.directoryName}' is gone` : `the directory '${options.directoryName}' cannot be read`;
    if (found !== problem) warn(found, thrown);
    problem = found;
    inlet.lost?.(found);
  };
  const regain = (inlet: Inlet): void => {
    problem = undefined;
    host.log.write("INFO", "file", `${uri}: the directory can be read again`);
    inlet.lost?.(undefined);
  };

  /** True when there was a file to work on. */
  const lookOnce = async (inlet: Inlet, isStopped: () => boolean): Promise<boolean> => {
    let files: FoundFile[];
    try {
      files = await scan();
    } catch (thrown) {
      if (!isStopped() && !(isMissing(thrown) && !options.autoCreate)) lose(inlet, thrown);
      return false;
    }
    if (problem !== undefined && !isStopped()) regain(inlet);
    let count = 0;
    const size = options.maxMessagesPerPoll > 0 ? Math.min(options.maxMessagesPerPoll, files.length) : files.length;
    for (const file of files) {
      if (isStopped() || count >= size) break;
      if (await workOn(inlet, file, { index: count, size })) count++;
    }
    if (count === 0 && options.sendEmptyMessageWhenIdle && !isStopped()) await inlet.deliver(new Message(null), { trigger: { uri }, pattern });
    return count > 0;
  };

  const workOn = async (inlet: Inlet, file: FoundFile, { index, size }: { index: number; size: number }): Promise<boolean> => {
    try {
      const taken = await work.take(file);
      if (taken === undefined) return false;
      const exchange = await inlet.deliver(taken.message, {
        trigger: { uri, path: file.name },
        pattern,
        properties: new Map<string, unknown>([
          ["CamelBatchIndex", index],
          ["CamelBatchSize", size],
          ["CamelBatchComplete", index + 1 === size],
        ]),
      });
      await taken.finish(exchange.failure !== undefined);
      return true;
    } catch (thrown) {
      warn(`'${file.name}' cannot be taken or finished`, thrown);
      return false;
    }
  };

  return {
    claims: [],
    exclusive: true,
    async start(inlet) {
      await prepare(directory, options);
      let found = false;
      const started = new Ticker(
        clock,
        {
          first: (now) => now + Math.max(0, options.initialDelay),
          next({ due, ended, count }) {
            if (options.repeatCount > 0 && count >= options.repeatCount) return undefined;
            if ((options.greedy && found) || options.delay <= 0) return ended;
            return options.useFixedDelay ? ended + options.delay : nextOnGrid(due, options.delay, ended);
          },
        },
        () => {
          underWay = lookOnce(inlet, () => ticker !== started).finally(() => (underWay = undefined));
          return underWay.then((some) => (found = some));
        },
      );
      ticker?.stop();
      problem = undefined;
      ticker = started;
      started.start();
    },
    async stop() {
      ticker?.stop();
      ticker = undefined;
      if (underWay === undefined) return;
      let cancel: (() => void) | undefined;
      const patience = new Promise<void>((resolve) => (cancel = clock.after(stopWaitMs, resolve)));
      await Promise.race([underWay, patience]);
      cancel?.();
    },
  };
}

async function prepare(directory: string, options: FileOptions): Promise<void> {
  if (options.directoryMustExist || options.startingDirectoryMustExist || !options.autoCreate) {
    const exists = await stat(directory).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!exists && (options.directoryMustExist || options.startingDirectoryMustExist))
      throw fileError(`the directory '${options.directoryName}' does not exist`, "file-no-directory");
    if (!exists) return;
  } else await mkdir(directory, { recursive: true });
  if (options.readLock === "rename" || (options.readLock === "markerFile" && options.readLockDeleteOrphanLockFiles))
    await clearLeftovers(directory, options.recursive);
}
