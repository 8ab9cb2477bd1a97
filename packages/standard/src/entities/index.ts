import type { EntityDeclaration } from "@sluice/engine/spi";
import { restConfiguration } from "./rest/rest-configuration.ts";
import { rest } from "./rest/rest.ts";

/** Top-level words beyond those the engine itself knows. */
export const restEntities: readonly EntityDeclaration[] = [rest, restConfiguration];
