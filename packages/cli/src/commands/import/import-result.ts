// The result of an importer.

/** A step in YAML form: its name with its options. */
export type Step = Readonly<Record<string, unknown>>;

export interface Remark {
  /** The node, element or line concerned. */
  readonly where: string;
  readonly text: string;
}

export interface ImportResult {
  /** The items of the flow's list. */
  readonly flow: readonly Step[];
  readonly remarks: readonly Remark[];
}

/** The placeholder step for a part that could not be converted. */
export const placeholderStep = (what: string): Step => ({ log: { message: `not imported: ${what.replaceAll("$", "")}`, loggingLevel: "WARN" } });
