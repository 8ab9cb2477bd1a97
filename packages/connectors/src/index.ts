// Every connector that comes with Sluice. Adding one is a folder and a line here.
import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { direct } from "./direct/direct.ts";
import { log } from "./log/log.ts";
import { mock } from "./mock/mock.ts";
import { seda } from "./seda/seda.ts";
import { timer } from "./timer/timer.ts";

export { queueDepths } from "./seda/queues.ts";

export const connectors: readonly ConnectorDeclaration[] = [direct, log, mock, seda, timer];
