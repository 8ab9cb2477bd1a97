// The planned changes of a deployment as text and as JSON.
import { basename } from "node:path";
import type { Call } from "../../command/declaration.ts";
import type { Change } from "./plan.ts";
import type { Removal } from "./prune.ts";

export function changeText({ artifact, action, diff, routes, warnings, users, replaces = [] }: Change, style: Call["terminal"]["style"]): string {
  const mark = { create: style("green", "+"), replace: style("yellow", "~"), same: style("dim", "=") }[action];
  const lines = [`${mark} ${artifact.kind} ${style("bold", artifact.id)} (${artifact.file})${action === "same" ? " unchanged" : ""}`];
  if (routes !== undefined && routes.added.length > 0) lines.push(`    routes added: ${routes.added.join(", ")}`);
  if (routes !== undefined && routes.removed.length > 0) lines.push(`    routes removed: ${routes.removed.join(", ")}`);
  if (replaces.length > 0) lines.push(`    replaces: flow ${replaces.map(({ id }) => id).join(", flow ")}`);
  if (users !== undefined && users.flows.length > 0) lines.push(`    used by: ${users.flows.join(", ")}`);
  for (const line of diff) lines.push(`    ${line.startsWith("+") ? style("green", line) : line.startsWith("-") ? style("red", line) : line}`);
  for (const warning of warnings) lines.push(`    ${style("yellow", "warning")} ${warning}`);
  return lines.join("\n");
}

export function changeJson({ artifact, action, diff, routes, previousHash, warnings, users, replaces = [] }: Change): Readonly<Record<string, unknown>> {
  const common = {
    kind: artifact.kind,
    id: artifact.id,
    file: artifact.file,
    action,
    previousHash: previousHash ?? null,
    diff,
    routes: routes ?? null,
    warnings,
    ...(replaces.length === 0 ? {} : { replaces: replaces.map(({ id }) => id) }),
  };
  return users === undefined ? common : { ...common, flows: users.flows };
}

export const removalText = ({ kind, id }: Removal, paths: readonly string[], style: Call["terminal"]["style"]): string =>
  `${style("red", "-")} ${kind} ${style("bold", id)} (not in ${paths.map((path) => basename(path)).join(", ")})`;

export const removalJson = ({ kind, id, hash }: Removal): Readonly<Record<string, unknown>> => ({ kind, id, action: "remove", previousHash: hash ?? null });
