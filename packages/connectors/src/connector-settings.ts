import type { FileSettings } from "./file/file.ts";
import type { HttpSettings } from "./http/http.ts";
import type { PortableDependencies } from "./portable.ts";

/** Provided by a server: interfaces that some connectors need, and limits that only an operator may set. */
export interface ConnectorSettings extends PortableDependencies {
  readonly file?: FileSettings;
  readonly http?: HttpSettings;
}
