import type { EmbeddedLogRecord } from "./log-callback.ts";

/** Options of a runtime embedded in a host application. */
export interface Embedding {
  /** If false, flows are stored only in memory. */
  readonly keepsFlows: boolean;
  readonly opensPort: boolean;
  readonly onLog?: ((record: EmbeddedLogRecord) => void) | undefined;
}
