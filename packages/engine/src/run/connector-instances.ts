// One instance of each connector, created when its declaration is loaded: at startup, or when a flow first needs it.
import { addExceptionTypes } from "../errors/exception-types.ts";
import type { Connector, SharedState } from "../spi/connector.ts";
import type { Catalog, ConnectorDeclaration } from "../spi/declaration.ts";
import type { Host } from "../spi/host.ts";

export class ConnectorInstances {
  readonly #catalog: Catalog;
  readonly #host: Host;
  readonly #byScheme = new Map<string, Connector>();
  readonly #byDeclaration = new Map<ConnectorDeclaration, Connector>();
  readonly #shared: SharedState;

  constructor(catalog: Catalog, host: Host) {
    this.#catalog = catalog;
    this.#host = host;
    const objects = new Map<string, unknown>();
    this.#shared = {
      of<T>(name: string, create: () => T): T {
        if (!objects.has(name)) objects.set(name, create());
        return objects.get(name) as T;
      },
    };
    this.update();
  }

  get(scheme: string): Connector | undefined {
    return this.#byScheme.get(scheme);
  }

  all(): readonly Connector[] {
    return [...this.#byDeclaration.values()];
  }

  /** Adds connectors loaded since the last call; their exception types must be known before a flow is compiled. */
  update(): void {
    if (this.#byScheme.size === this.#catalog.connectors.size) return;
    for (const [scheme, declaration] of this.#catalog.connectors) {
      if (this.#byScheme.has(scheme)) continue;
      if (declaration.exceptions !== undefined) addExceptionTypes(declaration.exceptions);
      const instance = this.#byDeclaration.get(declaration) ?? declaration.connect(this.#host, this.#shared);
      this.#byDeclaration.set(declaration, instance);
      this.#byScheme.set(scheme, instance);
    }
  }
}
