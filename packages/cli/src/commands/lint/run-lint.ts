import { readConfiguration } from "@sluice/server/config";
import { findConnectionFolders, findKameletFolders, findResourceFolders, loadPlugins, PluginError } from "@sluice/server/check";
import { isOn, listOf, textFlag, type Call } from "../../command/declaration.ts";
import { productVersion } from "../../command/package-files.ts";
import { assignmentsOf } from "../../files/flow-params.ts";
import { findYamlFiles, nothingIn } from "../../files/yaml-files.ts";
import { fileFinding, findingsIn, pluginFinding, type Finding, type LintOptions } from "./findings.ts";
import { sarif } from "./sarif.ts";

export async function run({ arguments: positionals, flags, terminal }: Call): Promise<number> {
  const unreadable: Finding[] = [];
  const paths = listOf(positionals, "paths");
  const files = await findYamlFiles(paths, (path, problem) =>
    unreadable.push(fileFinding(path, "file-unreadable", problem, "save the file as UTF-8 text, and allow this user to read it")),
  );
  if (files.length + unreadable.length === 0 && !isOn(flags, "allowEmpty"))
    throw await nothingIn(paths, "flow, test or connection", "pass files or folders that contain some, or --allow-empty");
  const { environment, settings } = readConfiguration({ profile: textFlag(flags, "profile") });
  const options = { params: assignmentsOf(listOf(flags, "param")), profile: settings.profile ?? "dev", environment };
  const findings = [...unreadable, ...(await lint(files, settings, options))];
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const format = isOn(flags, "json") ? "json" : flags["format"];
  if (format === "json")
    terminal.write(JSON.stringify({ files: files.length + unreadable.length, errors, warnings: findings.length - errors, findings }, undefined, 2));
  else if (format === "sarif") terminal.write(JSON.stringify(sarif(findings, productVersion()), undefined, 2));
  else {
    for (const finding of findings) terminal.write(line(finding, terminal.style));
    const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
    terminal.note(`${count(files.length + unreadable.length, "file")}, ${count(errors, "error")}, ${count(findings.length - errors, "warning")}`);
  }
  return errors > 0 || (isOn(flags, "strict") && findings.length > 0) ? 1 : 0;
}

/** Flows cannot be checked without their plug-ins, so a plug-in that cannot be loaded is the only finding. */
async function lint(
  files: Parameters<typeof findingsIn>[0],
  settings: ReturnType<typeof readConfiguration>["settings"],
  options: LintOptions,
): Promise<readonly Finding[]> {
  try {
    return await findingsIn(files, {
      ...options,
      plugins: await loadPlugins(settings),
      kamelets: findKameletFolders(settings),
      resources: findResourceFolders(settings),
      connections: findConnectionFolders(settings),
    });
  } catch (error) {
    if (!(error instanceof PluginError)) throw error;
    return error.problems.map(pluginFinding);
  }
}

function line(finding: Finding, style: Call["terminal"]["style"]): string {
  const { file, line: at, column, code, message, fix, severity } = finding;
  const fixText = fix === null ? "" : ` (fix: ${fix})`;
  const oneLine = `${message}${fixText}`.replaceAll(/\s*\n\s*/g, " ");
  return `${style("bold", `${file}:${at}:${column}`)} ${style(severity === "error" ? "red" : "yellow", code)} ${severity === "warning" ? "warning: " : ""}${oneLine}`;
}
