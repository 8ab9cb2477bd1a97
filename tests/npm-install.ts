import { execFile } from "node:child_process";
import { promisify } from "node:util";

const unreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH|network/;

/** Why npm failed if the registry cannot be reached. */
export const unreachableReason = (stderr: string): string | undefined =>
  unreachable.test(stderr) ? `the npm registry cannot be reached: ${stderr.split("\n", 1)[0]}` : undefined;

/** Installs with npm; returns why that is not possible when the registry cannot be reached. */
export async function install(args: readonly string[]): Promise<string | undefined> {
  try {
    await promisify(execFile)("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0", ...args]);
    return undefined;
  } catch (error) {
    const reason = unreachableReason((error as { readonly stderr: string }).stderr);
    if (reason === undefined) throw error;
    return reason;
  }
}
