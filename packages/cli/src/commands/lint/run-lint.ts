import { readConfiguration } from "@sluice/server/config";
import { isOn, listOf, type Call } from "../../command/declaration.ts";
import { productVersion } from "../../command/product-version.ts";
import { readParamWords } from "../../files/flow-params.ts";
import { findYamlFiles } from "../../files/yaml-files.ts";
import { findFaults, type Finding } from "./findings.ts";
import { sarif } from "./sarif.ts";

export async function run({ arguments: given, flags, terminal }: Call): Promise<number> {
  const files = await findYamlFiles(listOf(given, "paths"));
  const { environment } = readConfiguration();
  const findings = await findFaults(files, { params: readParamWords(listOf(flags, "param")), environment });
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const format = isOn(flags, "json") ? "json" : flags["format"];
  if (format === "json") terminal.write(JSON.stringify({ files: files.length, errors, warnings: findings.length - errors, findings }, undefined, 2));
  else if (format === "sarif") terminal.write(JSON.stringify(sarif(findings, productVersion()), undefined, 2));
  else {
    for (const finding of findings) terminal.write(line(finding, terminal.style));
    const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
    terminal.note(`${count(files.length, "file")}, ${count(errors, "error")}, ${count(findings.length - errors, "warning")}`);
  }
  return errors > 0 || (isOn(flags, "strict") && findings.length > 0) ? 1 : 0;
}

function line(finding: Finding, style: Call["terminal"]["style"]): string {
  const { file, line: at, column, code, message, fix, severity } = finding;
  const remedy = fix === null ? "" : ` (fix: ${fix})`;
  const oneLine = `${message}${remedy}`.replaceAll(/\s*\n\s*/g, " ");
  return `${style("bold", `${file}:${at}:${column}`)} ${style(severity === "error" ? "red" : "yellow", code)} ${severity === "warning" ? "warning: " : ""}${oneLine}`;
}
