import { basename } from "node:path";
import { stringify } from "yaml";
import { createFlowChecker } from "@sluice/server/check";
import { CommandError, isOn, textFlag, UsageError, type Call } from "../../command/declaration.ts";
import { unconvertible } from "../../files/file-types.ts";
import { writeOutput } from "../../files/write-output.ts";
import { readText } from "../../files/yaml-files.ts";
import { operatorPlugins } from "../../runtime/operator-plugins.ts";
import type { ImportResult, Remark } from "./import-result.ts";

type Source = "camel-xml" | "kamelet" | "node-red" | "n8n";

export async function run({ arguments: positionals, flags, terminal }: Call): Promise<number> {
  const path = String(positionals["file"]);
  const text = await readText(path);
  const source = flags["from"] === "auto" || flags["from"] === undefined ? sourceOf(path, text) : (flags["from"] as Source);
  const { flow, remarks } = await importText(source, text, path);
  if (flow.length === 0) throw new CommandError(`'${path}' contains nothing to convert from ${source}: pass another file, or another format with --from`);
  const yaml = stringify(flow, { lineWidth: 0, defaultStringType: "PLAIN", defaultKeyType: "PLAIN" });
  const id = basename(path)
    .replace(/\.[^.]*$/, "")
    .replaceAll(/[^A-Za-z0-9._-]/g, "-");
  const { diagnostics } = await createFlowChecker(await operatorPlugins())({
    id: /^[A-Za-z0-9]/.test(id) ? id : "imported",
    source: yaml,
    property: () => undefined,
  });
  const flowRemarks = diagnostics
    .filter(({ code }) => code !== "placeholder-unresolved")
    .map(({ span, message, hint }): Remark => ({
      where: `line ${span.line} of the flow`,
      text: hint === undefined || message.includes(hint) ? message : `${message} (fix: ${hint})`,
    }));
  const report = [...remarks, ...flowRemarks];
  const output = textFlag(flags, "output");
  if (output !== undefined) await writeOutput(output, yaml);
  if (isOn(flags, "json")) terminal.write(JSON.stringify({ source, yaml, report }, undefined, 2));
  else if (output === undefined) terminal.write(yaml);
  if (!isOn(flags, "json")) {
    for (const { where, text: remark } of report) terminal.note(`${terminal.style("yellow", "!")} ${where}: ${remark}`);
    terminal.note(
      `${flow.length} ${flow.length === 1 ? "item" : "items"} from ${source}, ${report.length} ${report.length === 1 ? "remark" : "remarks"}${output === undefined ? "" : `, written to ${output}`}`,
    );
  }
  return report.length === 0 ? 0 : 1;
}

async function importText(source: Source, text: string, path: string): Promise<ImportResult> {
  try {
    switch (source) {
      case "camel-xml":
        return (await import("./camel-xml.ts")).importCamelXml(text);
      case "kamelet":
        return (await import("./kamelet.ts")).importKamelet(text);
      case "node-red":
        return (await import("./node-red.ts")).importNodeRed(text);
      case "n8n":
        return (await import("./n8n.ts")).importN8n(text);
    }
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`'${path}': ${error.message}`);
    throw new UsageError(`'${path}' cannot be read as ${source}: ${(error as Error).message.split("\n")[0]}`);
  }
}

function sourceOf(path: string, text: string): Source {
  const start = text.trimStart();
  if (start.startsWith("<")) return "camel-xml";
  if (/^kind:\s*Kamelet\b/m.test(text)) return "kamelet";
  if (start.startsWith("[")) return "node-red";
  if (start.startsWith("{") && /"connections"\s*:/.test(text)) return "n8n";
  throw unconvertible(path) ?? new UsageError(`cannot detect the format of '${path}': pass --from`);
}
