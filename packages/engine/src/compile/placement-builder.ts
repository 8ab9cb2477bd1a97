// Collects, while a route is compiled, everything that ties the route to one process, for services with several workers.
import type { Placement, Tie } from "./placement.ts";
import type { DynamicEndpointOptions } from "../spi/compiler.ts";
import type { Source } from "../spi/connector.ts";
import type { Catalog, ConnectorDeclaration } from "../spi/declaration.ts";
import { schemesOf } from "./dynamic-endpoints.ts";

/** Shared by the many routes that are not tied. */
const untied: Placement = { tiedBy: [], calls: [] };

export class PlacementBuilder {
  #tiedBy: Tie[] | undefined = undefined;
  #calls: string[] | undefined = undefined;

  addTie(tie: Tie): void {
    (this.#tiedBy ??= []).push(tie);
  }

  addDestination(uri: string, workers: ConnectorDeclaration["workers"]): void {
    if (workers === "callee") (this.#calls ??= []).push(uri);
    else if (workers === undefined) this.addTie({ kind: "endpoint", reason: `'${uri}' is tied to one process`, uri });
  }

  /** For destinations resolved at run time: ties the route unless every possible one can run anywhere. */
  addDynamicDestinations(options: DynamicEndpointOptions, { connectors }: Catalog): void {
    const schemes = schemesOf(options);
    if (schemes === undefined || schemes.some((scheme) => connectors.get(scheme)?.workers !== "any"))
      this.addTie({ kind: "endpoint", reason: `'${options.template}' may resolve to an endpoint that is tied to one process` });
  }

  build({ everyWorker, isStored = false, master }: Source): Placement {
    if (everyWorker !== true || master !== undefined)
      this.addTie({ kind: "trigger", reason: "its trigger runs in one process", isStored, ...(master === undefined ? {} : { master: master.name }) });
    if (this.#tiedBy === undefined && this.#calls === undefined) return untied;
    return { tiedBy: this.#tiedBy ?? untied.tiedBy, calls: this.#calls ?? untied.calls };
  }
}
