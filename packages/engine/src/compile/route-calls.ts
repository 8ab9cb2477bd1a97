// The calls of other routes in a flow, and the names that its routes consume: a call that no route consumes fails, or waits, at run time.
import { describe, type Field, type Span } from "@sluice/model";
import type { ConnectorDeclaration } from "../spi/declaration.ts";

/** A call whose address is written in the flow. */
export interface RouteCall {
  /** The called address, such as `direct:orders`. */
  readonly address: string;
  readonly span: Span;
  readonly routeId: string;
  readonly stepId: string | undefined;
}

export class RouteCalls {
  readonly made: RouteCall[] = [];
  readonly consumed = new Set<string>();

  /** `uri`: the normal form. An author can declare that a call needs no consumer. */
  call(uri: string, declaration: ConnectorDeclaration, use: Omit<RouteCall, "address">): void {
    if (callsRoute(declaration) && !/[?&](?:failIfNoConsumers=false|discardIfNoConsumers=true)(?:&|$)/i.test(uri))
      this.made.push({ ...use, address: addressOf(uri) });
  }

  consume(uri: string): void {
    this.consumed.add(addressOf(uri));
  }
}

/** True for a connector whose endpoints are named after routes of the runtime. */
const callsRoute = ({ path }: ConnectorDeclaration): boolean => Object.values(path).some((field) => describe(field as Field<unknown>).spec.names === "route");

/** The address of an endpoint without its options. */
export function addressOf(uri: string): string {
  const [address = ""] = uri.trim().split("?");
  return address.replace(/^([\w.+-]+):\/\//, "$1:");
}
