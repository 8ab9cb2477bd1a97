import type { MappingKind } from "../../api-client/runtime-client.ts";

/** The URL of a mapping's editor. */
export const pathOf = (kind: MappingKind, id: string): string => `/mappings/${kind === "value-mappings" ? "values" : "messages"}/${encodeURIComponent(id)}`;

/** The key of its unsaved draft. */
export const draftKey = (kind: MappingKind, id: string, target: string | undefined): string => `${target ?? ""} ${kind} ${id}`;
