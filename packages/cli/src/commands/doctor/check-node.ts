// The check of the Node version: docs/operations/support.md states the policy.
import type { Finding } from "./checks.ts";

/** The first minor version of each supported major version; later major versions are supported from their first release. */
const firstMinors: Readonly<Record<number, number>> = { 22: 23, 24: 15 };
const check = "Node";
const fix = "use Node 22.23, 24.15, 26 or newer";

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) return { check, state: "problem", text: `${version} is too old`, fix };
  if (major === 20) return { check, state: "warning", text: `${version} is supported on a best-effort basis: Node 20 ended in April 2026`, fix };
  if (major % 2 === 1) return { check, state: "warning", text: `${version} is not supported: odd versions of Node end after half a year`, fix };
  const isOld = minor < (firstMinors[major] ?? 0);
  return isOld
    ? { check, state: "warning", text: `${version} is older than the supported ${major}.${firstMinors[major]}`, fix }
    : { check, state: "ok", text: version };
}
