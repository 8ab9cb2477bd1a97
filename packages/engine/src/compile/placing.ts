// Notes while a route is compiled what ties it to one process, for services that have several.
import type { Placement } from "../run/runtime.ts";
import type { DynamicEndpointOptions } from "../spi/compiler.ts";
import type { Source } from "../spi/connector.ts";
import type { Catalog, ConnectorDeclaration } from "../spi/declaration.ts";
import { schemesOf } from "./dynamic-endpoints.ts";

/** Most routes are tied by nothing: they share one object. */
const free: Placement = { tiedBy: [], calls: [] };

export class Placing {
  #tiedBy: string[] | undefined = undefined;
  #calls: string[] | undefined = undefined;

  tie(reason: string): void {
    (this.#tiedBy ??= []).push(reason);
  }

  sendsTo(uri: string, workers: ConnectorDeclaration["workers"]): void {
    if (workers === "callee") (this.#calls ??= []).push(uri);
    else if (workers === undefined) this.tie(`'${uri}' is held by one process`);
  }

  /** Destinations found while running: every one that may be found must be free. */
  finds(options: DynamicEndpointOptions, { connectors }: Catalog): void {
    const schemes = schemesOf(options);
    if (schemes === undefined || schemes.some((scheme) => connectors.get(scheme)?.workers !== "any"))
      this.tie(`'${options.template}' may lead to what is held by one process`);
  }

  of({ everyWorker }: Source): Placement {
    if (everyWorker !== true) this.tie("its trigger runs in one process");
    if (this.#tiedBy === undefined && this.#calls === undefined) return free;
    return { tiedBy: this.#tiedBy ?? free.tiedBy, calls: this.#calls ?? free.calls };
  }
}
