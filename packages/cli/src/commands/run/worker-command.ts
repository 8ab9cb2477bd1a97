// A worker of `sluice run` is this command again, called by its supervisor: so it starts from the one file whose code is compiled already.
import { commandFile } from "../../command/command-file.ts";

const word = "worker";

/** How a supervisor calls a worker. */
export const workerCommand = { file: commandFile, words: [word] } as const;

/** Whether a supervisor called us; to people there is no such command. */
export const isWorker = (): boolean => process.argv[2] === word && process.connected;
