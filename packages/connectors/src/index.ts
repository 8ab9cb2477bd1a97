// Every connector that comes with Sluice. Adding one is a folder and a line here.
import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { controlbusConnector, noControl, type RouteControl } from "./controlbus/controlbus.ts";
import { cron } from "./cron/cron.ts";
import { direct } from "./direct/direct.ts";
import { fileConnector, type FileSettings } from "./file/file.ts";
import { httpConnector, type HttpSettings } from "./http/http.ts";
import { languageConnector, type LanguageList } from "./language/language.ts";
import { log } from "./log/log.ts";
import { mock } from "./mock/mock.ts";
import { platformHttp } from "./platform-http/platform-http.ts";
import { quartz } from "./quartz/quartz.ts";
import { saga } from "./saga/saga.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { seda } from "./seda/seda.ts";
import { sluiceEvents, type SluiceEvents } from "./sluice-event/sluice-event.ts";
import { stub } from "./stub/stub.ts";
import { timer } from "./timer/timer.ts";
import { valueMapping } from "./value-mapping/value-mapping.ts";
import { webhook } from "./webhook/webhook.ts";

export { type RouteAction, type RouteControl } from "./controlbus/controlbus.ts";
export type { FileSettings } from "./file/file.ts";
export type { EgressPolicy } from "./http/egress.ts";
export type { HttpSettings } from "./http/http.ts";
export type { LanguageList } from "./language/language.ts";
export { queueDepths } from "./seda/queues.ts";
export { sluiceEvents, type SluiceEvent, type SluiceEvents } from "./sluice-event/sluice-event.ts";

/** What a server adds: ports some connectors need, and limits only an operator may set. */
export interface ConnectorSettings {
  readonly control?: RouteControl;
  readonly events?: SluiceEvents;
  readonly file?: FileSettings;
  readonly http?: HttpSettings;
  readonly languages?: LanguageList;
}

export function connectorsWith(settings: ConnectorSettings): readonly ConnectorDeclaration[] {
  return [
    controlbusConnector(settings.control ?? noControl),
    cron,
    direct,
    fileConnector(settings.file),
    httpConnector(settings.http),
    languageConnector(settings.languages ?? { language: () => undefined }),
    log,
    mock,
    platformHttp,
    quartz,
    saga,
    scheduler,
    seda,
    (settings.events ?? sluiceEvents()).connector,
    stub,
    timer,
    valueMapping,
    webhook,
  ];
}

/** The connectors as they are without a server: what tools and tests need to know. */
export const connectors: readonly ConnectorDeclaration[] = connectorsWith({});
