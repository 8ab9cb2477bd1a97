// Formats options as rows of a Markdown table; members of objects and lists get their own rows, named by path.

const cell = (text) => text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
/** Escapes text outside of code, so that Markdown does not treat any of it as a tag. */
export const escapeTags = (text) => text.replaceAll(/`[^`]*`|</g, (match) => (match === "<" ? "&lt;" : match));
const code = (text) => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);

/** `heading` names the first column. */
export function optionTable(options, heading = "Option") {
  if (options.length === 0) return "";
  const rows = options.flatMap((option) => optionRows(option, option.name));
  return [`| ${heading} | Kind | Default | Meaning |`, "|---|---|---|---|", ...rows, ""].join("\n");
}

function optionRows(option, path) {
  const marks = [option.required ? "**required**" : "", option.secret ? "secret" : "", option.group === "advanced" ? "advanced" : ""].filter(
    (mark) => mark !== "",
  );
  const row = `| ${code(path)}${marks.length === 0 ? "" : ` (${marks.join(", ")})`} | ${kindText(option)} | ${defaultText(option)} | ${escapeTags(cell(option.doc))}${exampleText(option)} |`;
  const inner =
    option.item?.fields === undefined
      ? (option.fields ?? []).map((field) => [field, `${path}.${field.name}`])
      : option.item.fields.map((field) => [field, `${path}[].${field.name}`]);
  return [row, ...inner.flatMap(([field, name]) => optionRows(field, name))];
}

function kindText({ kind, values, item, minimum, maximum }) {
  if (values !== undefined) return values.map((value) => code(cell(value))).join(", ");
  if (kind === "list") return `list of ${item.fields === undefined ? kindText(item) : "objects"}`;
  const bounds =
    minimum !== undefined && maximum !== undefined
      ? ` ${minimum} to ${maximum}`
      : minimum !== undefined
        ? ` ≥ ${minimum}`
        : maximum !== undefined
          ? ` ≤ ${maximum}`
          : "";
  return `${kind}${bounds}`;
}

function defaultText({ default: value, kind }) {
  if (value === undefined || (Array.isArray(value) && value.length === 0) || (typeof value === "object" && Object.keys(value).length === 0)) return "";
  if (kind === "duration") return code(durationText(value));
  if (value === "") return "empty";
  return code(cell(typeof value === "string" ? value.replaceAll("\n", "\\n").replaceAll("\r", "\\r") : JSON.stringify(value)));
}

/** A duration as it can be written in a flow. 0 and -1 have special meanings and no unit. */
function durationText(ms) {
  if (ms <= 0) return `${ms}`;
  const [unit, size] = [
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1000],
    ["ms", 1],
  ].find(([, unitMs]) => ms % unitMs === 0);
  return `${ms / size}${unit}`;
}

function exampleText({ examples }) {
  return examples === undefined || examples.length === 0 ? "" : ` For example ${examples.map((example) => code(cell(String(example)))).join(", ")}.`;
}
