import { FlowError, defineFormat } from "@sluice/engine/spi";
import { maxIntegerDigits } from "@sluice/engine/values";
import { f, readTree, type Tree } from "@sluice/model";
import { Document, isCollection, isPair, isScalar, visit } from "yaml";
import { toRecord } from "../../xml/xml-object.ts";
import { commonFields, invalidInput, withText } from "../format-input.ts";
import { runIncrementally } from "../incremental.ts";

/** Parsing takes microseconds per token and cannot be interrupted: the token limit keeps it below 0.2 seconds. */
const limits = { bytes: 8 * 1024 * 1024, depth: 100, aliases: 50, keys: 20_000, nodes: 40_000, tokens: 100_000 };
const maxDepth = 100;
/** Writing takes about ten microseconds per value and cannot be interrupted. */
const maxValues = 10_000;
/** Values with more characters in their strings are written in the style of JSON: the other styles take up to a second for ten megabytes. */
const maxStyledCharacters = 200_000;

/** Values as YAML text; the size of the text and the depth and number of its values are limited. */
export const yaml = defineFormat({
  name: "yaml",
  title: "YAML",
  summary: "Converts values to YAML text, and back.",
  group: "text",
  icon: "file-text",
  since: "0.1",
  options: {
    ...commonFields,
    library: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    prettyFlow: f.boolean({ doc: "Writes lists and maps of plain values in blocks instead of on one line.", default: false, group: "advanced" }),
    unmarshalType: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    representer: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    dumperOptions: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    constructor: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    resolver: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    useApplicationContextClassLoader: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    allowAnyType: f.string({ doc: "Accepted but ignored: tags never create types.", group: "advanced" }),
    typeFilter: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    maxAliasesForCollections: f.integer({ doc: "Maximum number of aliases.", default: 50, min: 0, max: 50, group: "advanced" }),
    allowRecursiveKeys: f.boolean({ doc: "Accepted but ignored: recursive structures are rejected.", group: "advanced" }),
  },
  examples: [
    { title: "Reading", yaml: "unmarshal: {yaml: {}}", given: { body: "a: 1\nb: [x, true]\n" }, expect: { body: { a: 1, b: ["x", true] } } },
    { title: "Writing", yaml: "marshal: {yaml: {}}", given: { body: { a: 1, b: { c: ["x"] } } }, expect: { body: "a: 1\nb:\n  c: [x]\n" } },
  ],
  create({ prettyFlow, maxAliasesForCollections }, clock) {
    return {
      marshal(body) {
        const value: unknown = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
        if (!Array.isArray(value) || (!prettyFlow && value.every((item) => typeof item !== "object" || item === null))) return writeYaml(value, prettyFlow);
        let text = value.length === 0 ? writeYaml(value, prettyFlow) : "";
        // The items of a list in a block are independent of each other.
        const items = function* (): Generator<undefined> {
          for (const item of value as readonly unknown[]) {
            text += writeYaml([item], prettyFlow, "block");
            yield undefined;
          }
        };
        return runIncrementally(items(), () => text, clock);
      },
      unmarshal: (body) =>
        withText(body, (text) => {
          if (text.trim() === "") return null;
          const { tree, diagnostics } = readTree(text, { ...limits, aliases: maxAliasesForCollections });
          if (tree !== undefined) return valueOf(tree);
          const [fault] = diagnostics;
          throw invalidInput(
            "yaml",
            `the body is not valid YAML: ${fault?.message ?? "it cannot be read"} (line ${fault?.span.line ?? 1}, column ${fault?.span.column ?? 1})`,
          );
        }),
    };
  },
});

/** The text of a value. By default, a list of plain values is written on one line; `outer` forces the block style for the outermost list. */
function writeYaml(value: unknown, prettyFlow: boolean, outer?: "block"): string {
  const budget: SizeBudget = { values: maxValues, styledCharacters: maxStyledCharacters };
  checkSize(value, 0, budget);
  const document = new Document(value, { aliasDuplicateObjects: false });
  const isLong = budget.styledCharacters < 0;
  if (isLong) visit(document, { Scalar: (_key, node) => void (typeof node.value === "string" && (node.type = "QUOTE_DOUBLE")) });
  if (!prettyFlow)
    visit(document, (key, node) => void (isCollection(node) && !(key === null && outer === "block") && node.items.every(isPlain) && (node.flow = true)));
  return document.toString({ lineWidth: 0, flowCollectionPadding: false, doubleQuotedAsJSON: isLong });
}

function isPlain(item: unknown): boolean {
  return isPair(item) ? !isCollection(item.value) : isScalar(item);
}

interface SizeBudget {
  values: number;
  styledCharacters: number;
}

function checkSize(value: unknown, depth: number, budget: SizeBudget): void {
  if (--budget.values < 0)
    throw new FlowError(
      "java.lang.IllegalStateException",
      `size limit: a body written as YAML may have at most ${maxValues} values; for a list, the limit applies to each item`,
      {
        code: "limit-size",
      },
    );
  if (typeof value === "string") budget.styledCharacters -= value.length;
  if (typeof value !== "object" || value === null) return;
  if (depth > maxDepth)
    throw new FlowError("java.lang.IllegalStateException", `size limit: the value is nested deeper than ${maxDepth} levels`, { code: "limit-size" });
  for (const inner of value instanceof Map ? value.values() : Object.values(value)) checkSize(inner, depth + 1, budget);
}

function valueOf(tree: Tree): unknown {
  if (tree.type === "map") return toRecord(tree.entries.map(({ key, value }) => [key, valueOf(value)] as const));
  if (tree.type === "list") return tree.items.map(valueOf);
  return tree.quoted || tree.text === null ? tree.text : scalar(tree.text);
}

/** Resolves an unquoted scalar by YAML's core schema. */
function scalar(text: string): unknown {
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  if (/^(null|Null|NULL|~|)$/.test(text)) return null;
  if (/^[-+]?\d+$/.test(text)) return toInteger(text);
  if (/^0o[0-7]+$|^0x[0-9a-fA-F]+$/.test(text)) return Number(text);
  if (/^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/.test(text)) return Number(text);
  if (/^[-+]?\.(inf|Inf|INF)$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return /^\.(nan|NaN|NAN)$/.test(text) ? Number.NaN : text;
}

function toInteger(text: string): number | bigint {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  if (text.length > maxIntegerDigits) throw invalidInput("yaml", `the body cannot be parsed as YAML: an integer has more than ${maxIntegerDigits} digits`);
  return BigInt(text.replace(/^\+/, ""));
}
