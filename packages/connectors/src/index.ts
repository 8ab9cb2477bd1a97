// The connectors that every runtime loads at start, in addition to those of portable.ts, which do no I/O. Connectors to other systems are loaded on
// demand and belong in connector-index.ts.
import type { ConnectorDeclaration } from "@sluice/engine/spi";
import type { ConnectorSettings } from "./connector-settings.ts";
import { fileConnector } from "./file/file.ts";
import { httpCalls, httpConnector } from "./http/http.ts";
import { portableConnectors } from "./portable.ts";
import { nodeHttpTools } from "./webhook/node-http-tools.ts";

export { importModule } from "./clients/import-module.ts";
export { findClient, installCommand, loadClient, missingClient, type InstalledClient } from "./clients/load-client.ts";
export { mainModule } from "./clients/main-module.ts";
export { findSqlite, howToGetSqlite, sqlitePackage } from "./clients/sqlite-module.ts";
export type { ConnectionSettings } from "./database/database-folders.ts";
export { beanIndex, connectionIndex, connectorIndex, type BeanEntry, type ConnectionEntry, type ConnectorEntry } from "./connector-index.ts";
export type { ConnectorSettings } from "./connector-settings.ts";
export { type RouteAction, type RouteControl } from "./controlbus/controlbus.ts";
export type { FileSettings } from "./file/file.ts";
export type { EgressPolicy } from "./http/egress.ts";
export type { HttpSettings } from "./http/http.ts";
export { isBelow } from "./is-below.ts";
export type { LanguageList } from "./language/language.ts";
export type { MessageMappingPort } from "./message-mapping/message-mapping.ts";
export type {
  DeadLetterDetails,
  DurableQueues,
  Failure,
  Position,
  Queue,
  QueuedMessage,
  QueueStore,
  QueueSubscriber,
  SharedQueues,
  ClaimedMessage,
} from "./queue/durable-queues.ts";
export { webhookErrors } from "./webhook/webhook-errors.ts";
export { WorkQueue } from "./queue/work-queue.ts";
export { restorePart, storePart } from "./queue/stored-part.ts";
export { restoreMessage, storedSize, storeMessage, type StoredContext, type RestoredMessage, type StoredMessage } from "./queue/stored-message.ts";
export type { DeadLetters } from "./sluice/sluice.ts";
export { sluiceEvents, type SluiceEvent, type SluiceEvents } from "./sluice-event/sluice-event.ts";

export function connectorsWith(settings: ConnectorSettings): readonly ConnectorDeclaration[] {
  const all = [
    ...portableConnectors(nodeHttpTools, { ...settings, httpCalls: httpCalls(settings.http) }),
    fileConnector(settings.file),
    httpConnector(settings.http),
  ];
  return all.toSorted((a, b) => (a.scheme < b.scheme ? -1 : 1));
}

/** The connectors with default settings, for tools and tests that run no server. */
export const connectors: readonly ConnectorDeclaration[] = connectorsWith({});
