import type { RunListener } from "@sluice/engine";
import type { Embedding } from "../embedding/embedding.ts";
import type { ExternalFlows } from "../flows/external-flows.ts";
import type { LeaderPort } from "../other-workers/service-view.ts";
import type { LeaderParts } from "../workers/leader.ts";

/** How a runtime is started; all fields are omitted for a normal single process. */
export interface StartVariant {
  /** Accepts only messages of test sessions. */
  readonly isTrial?: boolean;
  readonly externalFlows?: ExternalFlows | undefined;
  readonly leaderPort?: LeaderPort<LeaderParts, RunListener>;
  /** The number of this worker, if it is one of several nodes behind one port. */
  readonly worker?: number;
  readonly embedding?: Embedding;
}

/** False for a trial, which uses any free port, for a worker, whose supervisor has chosen the port, and if the host application opens none. */
export const opensOwnPort = ({ isTrial, leaderPort, worker, embedding }: StartVariant): boolean =>
  isTrial !== true && leaderPort === undefined && worker === undefined && embedding?.opensPort !== false;
