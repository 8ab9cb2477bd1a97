import type { EmbeddedLogRecord } from "./log-callback.ts";

/** Options of a runtime embedded in a host application. */
export interface Embedding {
  /** False to store flows only in memory. */
  readonly keepsFlows: boolean;
  readonly opensPort: boolean;
  readonly onLog?: ((record: EmbeddedLogRecord) => void) | undefined;
}
