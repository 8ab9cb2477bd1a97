// The connectors that use nothing outside the engine: they run wherever the engine runs, including in a browser. Those that do I/O are included by declaration
// only, which is enough to read and check a flow.
import type { ConnectorDeclaration, SharedState } from "@sluice/engine/spi";
import { bean } from "./bean/bean.ts";
import { controlbusConnector, noControl, type RouteControl } from "./controlbus/controlbus.ts";
import { cron } from "./cron/cron.ts";
import { direct } from "./direct/direct.ts";
import { fileShape } from "./file/file-shape.ts";
import type { HttpCalls } from "./http/http.ts";
import { httpShape } from "./http/http-shape.ts";
import { kamelet } from "./kamelet/kamelet.ts";
import { languageConnector, type LanguageList } from "./language/language.ts";
import { log } from "./log/log.ts";
import { master } from "./master/master.ts";
import { messageMappingConnector, noMappings, type MessageMappingPort } from "./message-mapping/message-mapping.ts";
import { mock } from "./mock/mock.ts";
import { platformHttpConnector } from "./platform-http/platform-http.ts";
import { restConnector } from "./rest/rest.ts";
import { quartz } from "./quartz/quartz.ts";
import type { DurableQueues } from "./queue/durable-queues.ts";
import { queueConnector } from "./queue/queue.ts";
import { saga } from "./saga/saga.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { seda } from "./seda/seda.ts";
import { noDeadLetters, sluiceConnector, type DeadLetters } from "./sluice/sluice.ts";
import { sluiceEvents, type SluiceEvents } from "./sluice-event/sluice-event.ts";
import { stub } from "./stub/stub.ts";
import { timer } from "./timer/timer.ts";
import { valueMapping } from "./value-mapping/value-mapping.ts";
import type { HttpTools } from "./webhook/http-tools.ts";
import { webhookConnector } from "./webhook/webhook.ts";

export type { MessageMappingPort } from "./message-mapping/message-mapping.ts";
export type { HttpTools } from "./webhook/http-tools.ts";

/** Interfaces that a host provides for some connectors. */
export interface PortableDependencies {
  readonly control?: RouteControl;
  readonly deadLetters?: DeadLetters;
  readonly events?: SluiceEvents;
  readonly mappings?: MessageMappingPort;
  readonly queues?: DurableQueues;
  readonly languages?: LanguageList;
  readonly httpCalls?: (shared: SharedState) => HttpCalls;
}

export function portableConnectors(tools: HttpTools, dependencies: PortableDependencies = {}): readonly ConnectorDeclaration[] {
  return [
    bean,
    controlbusConnector(dependencies.control ?? noControl),
    cron,
    direct,
    kamelet,
    languageConnector(dependencies.languages ?? { language: () => undefined }),
    log,
    master,
    messageMappingConnector(dependencies.mappings ?? noMappings),
    mock,
    platformHttpConnector(tools, dependencies.queues),
    restConnector(tools, dependencies.queues, dependencies.httpCalls),
    quartz,
    queueConnector(dependencies.queues),
    saga,
    scheduler,
    seda,
    sluiceConnector(dependencies.deadLetters ?? noDeadLetters),
    (dependencies.events ?? sluiceEvents()).connector,
    stub,
    timer,
    valueMapping,
    webhookConnector(tools, dependencies.queues),
  ];
}

/** Declarations of the connectors that do I/O, without their implementation. */
export const ioShapes: readonly Omit<ConnectorDeclaration, "connect">[] = [fileShape, httpShape];
