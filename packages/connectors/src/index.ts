// Every connector that comes with Sluice. Adding one is a folder and a line here.
import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { controlbusConnector, noControl, type RouteControl } from "./controlbus/controlbus.ts";
import { cron } from "./cron/cron.ts";
import { direct } from "./direct/direct.ts";
import { fileConnector, type FileSettings } from "./file/file.ts";
import { httpConnector, type HttpSettings } from "./http/http.ts";
import { kamelet } from "./kamelet/kamelet.ts";
import { languageConnector, type LanguageList } from "./language/language.ts";
import { log } from "./log/log.ts";
import { messageMappingConnector, noMappings, type MessageMappingPort } from "./message-mapping/message-mapping.ts";
import { mock } from "./mock/mock.ts";
import { platformHttpConnector } from "./platform-http/platform-http.ts";
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
import { webhookConnector } from "./webhook/webhook.ts";

export { type RouteAction, type RouteControl } from "./controlbus/controlbus.ts";
export type { FileSettings } from "./file/file.ts";
export type { EgressPolicy } from "./http/egress.ts";
export type { HttpSettings } from "./http/http.ts";
export type { LanguageList } from "./language/language.ts";
export type { MessageMappingPort } from "./message-mapping/message-mapping.ts";
export type { Burial, DurableQueues, Failure, Position, QueuedMessage, QueueStore } from "./queue/durable-queues.ts";
export { restoreMessage, storedSize, storeMessage, type Company, type RestoredMessage, type StoredMessage } from "./queue/stored-message.ts";
export type { DeadLetters } from "./sluice/sluice.ts";
export { queueDepths } from "./seda/queues.ts";
export { sluiceEvents, type SluiceEvent, type SluiceEvents } from "./sluice-event/sluice-event.ts";

/** What a server adds: ports some connectors need, and limits only an operator may set. */
export interface ConnectorSettings {
  readonly control?: RouteControl;
  readonly deadLetters?: DeadLetters;
  readonly events?: SluiceEvents;
  readonly file?: FileSettings;
  readonly http?: HttpSettings;
  readonly mappings?: MessageMappingPort;
  readonly queues?: DurableQueues;
  readonly languages?: LanguageList;
}

export function connectorsWith(settings: ConnectorSettings): readonly ConnectorDeclaration[] {
  return [
    controlbusConnector(settings.control ?? noControl),
    cron,
    direct,
    fileConnector(settings.file),
    httpConnector(settings.http),
    kamelet,
    languageConnector(settings.languages ?? { language: () => undefined }),
    log,
    messageMappingConnector(settings.mappings ?? noMappings),
    mock,
    platformHttpConnector(settings.queues),
    quartz,
    queueConnector(settings.queues),
    saga,
    scheduler,
    seda,
    sluiceConnector(settings.deadLetters ?? noDeadLetters),
    (settings.events ?? sluiceEvents()).connector,
    stub,
    timer,
    valueMapping,
    webhookConnector(settings.queues),
  ];
}

/** The connectors as they are without a server: what tools and tests need to know. */
export const connectors: readonly ConnectorDeclaration[] = connectorsWith({});
