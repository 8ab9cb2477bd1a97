// What every importer gives back.

/** A step as YAML writes it: one word with its options. */
export type Step = Readonly<Record<string, unknown>>;

export interface Remark {
  /** What it is about: a node's name, an element, a line. */
  readonly where: string;
  readonly text: string;
}

export interface Imported {
  /** The items of the flow's list. */
  readonly flow: readonly Step[];
  readonly remarks: readonly Remark[];
}

/** The step that stands where something did not map. */
export const missing = (what: string): Step => ({ log: { message: `not imported: ${what.replaceAll("$", "")}`, loggingLevel: "WARN" } });
