/** Limits of a document. Each is checked before memory or time is spent beyond it. */
export interface ReadLimits {
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
  /** Nesting depth of lists and mappings, aliases resolved. */
  readonly depth: number;
  /** Aliases, and likewise anchors, in the text. */
  readonly aliases: number;
  /** Keys of all mappings together, as written. */
  readonly keys: number;
  /** Scalars, lists and mappings together, aliases resolved. */
  readonly nodes: number;
  /** Tokens of any kind, including line ends and comments: parse time is proportional to them. */
  readonly tokens: number;
  /** Maximum number of diagnostics; further errors are not reported. */
  readonly faults: number;
}

/** Chosen so that reading and compiling do not block other callers noticeably: some 2,500 plain steps. */
export const defaultLimits: ReadLimits = { bytes: 512 * 1024, depth: 100, aliases: 100, keys: 4_000, nodes: 8_000, tokens: 32_000, faults: 50 };
