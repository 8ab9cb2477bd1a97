import type { RunListener } from "@sluice/engine";
import type { Embedding } from "../embedding/embedding.ts";
import type { ExternalFlows } from "../flows/external-flows.ts";
import type { LeadPort } from "../other-workers/service-view.ts";
import type { LeadParts } from "../workers/lead.ts";

/** Variants of starting a runtime other than the normal single process. */
export interface StartVariant {
  /** Accepts only messages of test sessions. */
  readonly isTrial?: boolean;
  readonly externalFlows?: ExternalFlows | undefined;
  readonly leadPort?: LeadPort<LeadParts, RunListener>;
  readonly embedding?: Embedding;
}
