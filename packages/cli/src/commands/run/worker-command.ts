// The supervisor of `sluice run` starts each worker with this command, so that workers use the same bundle and V8 code cache.
import { commandFile } from "../../command/package-files.ts";

const workerArgument = "worker";

/** The hidden command that starts a worker. */
export const workerCommand = { file: commandFile, args: [workerArgument] } as const;

/** Whether this process was started as a worker. */
export const isWorker = (): boolean => process.argv[2] === workerArgument && process.connected;
