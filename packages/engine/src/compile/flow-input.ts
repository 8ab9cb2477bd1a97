import type { KameletFiles } from "../spi/host.ts";

/** A flow to deploy: its source text and a lookup for its placeholders. */
export interface FlowInput {
  readonly id: string;
  /** Lower-case hex SHA-256 of the text. */
  readonly hash: string;
  readonly source: string;
  /** The value of a `{{name}}`: params first, then properties of the host. */
  property(name: string): string | undefined;
  /** All properties whose names start with a prefix such as `camel.component.kafka.`, by the rest of the name. */
  propertiesUnder?(prefix: string): Readonly<Record<string, string>>;
  /** Replaces the host's Kamelets, to check a flow with other Kamelets than the installed ones. */
  readonly kamelets?: KameletFiles | undefined;
}
