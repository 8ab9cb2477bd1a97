/** What a document may be at most. Every limit is checked before memory or time is spent on what lies beyond it. */
export interface ReadLimits {
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
  /** How deep lists and mappings may nest, aliases followed. */
  readonly depth: number;
  /** Aliases, and likewise anchors, in the text. */
  readonly aliases: number;
  /** Keys of all mappings together, as written. */
  readonly keys: number;
  /** Scalars, lists and mappings together, aliases followed. */
  readonly nodes: number;
  /** Pieces of text of any kind, line ends and comments among them: what the time of parsing grows with. */
  readonly tokens: number;
  /** Diagnostics after which reading gives up. */
  readonly faults: number;
}

/** So much, and no more, is read and compiled in one go without holding up other callers noticeably: some 2,500 plain steps. */
export const defaultLimits: ReadLimits = { bytes: 512 * 1024, depth: 100, aliases: 100, keys: 4_000, nodes: 8_000, tokens: 32_000, faults: 50 };
