// A worker of `sluice run` is this command again, started by the supervisor, so it uses the file whose code is already in the compile cache.
import { commandFile } from "../../command/package-files.ts";

const workerArgument = "worker";

/** The hidden command that starts a worker. */
export const workerCommand = { file: commandFile, args: [workerArgument] } as const;

/** Whether this process was started as a worker. */
export const isWorker = (): boolean => process.argv[2] === workerArgument && process.connected;
