import type { EntityDeclaration } from "@sluice/engine/spi";
import { transformers, validators } from "./data-types.ts";
import { restConfiguration } from "./rest/rest-configuration.ts";
import { rest } from "./rest/rest.ts";

/** Top-level elements in addition to those of the engine. */
export const standardEntities: readonly EntityDeclaration[] = [rest, restConfiguration, transformers, validators];
