import { fileURLToPath } from "node:url";

/** The file that node runs as this command, for processes that are this command again. */
export const commandFile = fileURLToPath(new URL("../../bin/sluice.cjs", import.meta.url));
