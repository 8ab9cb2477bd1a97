// Formats an example: the complete flow, the input and the output.
import { exampleDocument } from "@sluice/testkit";

export function exampleBlock({ title, yaml, given, expect }) {
  const flow = exampleDocument(yaml);
  const result = /\bmock:result\b/.test(flow) && !/\buri: direct:start\b/.test(flow) ? "`mock:result` receives" : "Result";
  return [`### ${title}`, "", "```yaml", flow.trimEnd(), "```", "", ...messageLines("Given", given), ...messageLines(result, expect)].join("\n");
}

function messageLines(label, message = {}) {
  const parts = ["body", "headers", "properties", "variables", "error"].filter((part) => message[part] !== undefined);
  if (parts.length === 0) return [];
  const values = parts.map((part) => `| ${part} | ${valueText(message[part])} |`);
  return [`**${label}**`, "", "| | |", "|---|---|", ...values, ""];
}

function valueText(value) {
  const text = typeof value === "string" ? JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"') : JSON.stringify(value);
  return text === "" ? "(empty)" : `${text.includes("`") ? "`` " : "`"}${text.replaceAll("|", "\\|")}${text.includes("`") ? " ``" : "`"}`;
}
