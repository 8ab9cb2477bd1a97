// The tables and documents of the runtime and the workspace in one list, with the flows and documents that use them.
import { mentionsDocument, mentionsTable } from "@sluice/mapping";
import type { DocumentSummary, TableSummary } from "@sluice/client";
import type { MappingKind } from "../api-client/runtime-client.ts";

export interface MappingEntry {
  readonly kind: MappingKind;
  readonly id: string;
  readonly name: string;
  /** The columns of a table, the formats of a document. */
  readonly shape: string;
  readonly size: number | undefined;
  readonly usedBy: readonly string[];
  readonly hash: string | undefined;
  readonly lastModified: string | undefined;
  /** Why the runtime cannot use the mapping. */
  readonly error: string | undefined;
  readonly isInstalled: boolean;
  /** Created in this page and not saved yet. */
  readonly isNew?: boolean;
}

export interface MappingDetails {
  readonly tables: readonly TableSummary[];
  readonly documents: readonly DocumentSummary[];
  /** YAML of deployed flows by id. */
  readonly flows: ReadonlyMap<string, string>;
  readonly workspace: Readonly<Record<MappingKind, readonly string[]>>;
}

export const mappingKinds = ["value-mappings", "message-mappings"] as const satisfies readonly MappingKind[];

export function mappingList({ tables, documents, flows, workspace }: MappingDetails): readonly MappingEntry[] {
  const flowUsers = (kind: MappingKind, id: string): readonly string[] => {
    const isUser = kind === "value-mappings" ? mentionsTable(id) : mentionsDocument(id);
    return [...flows].filter(([, text]) => isUser(text)).map(([flow]) => flow);
  };
  const ofTables = tables.map(({ id, name, columns, rowCount, hash, lastModified, error }): MappingEntry => ({
    kind: "value-mappings",
    id,
    name: name ?? id,
    shape: columns.join(" ↔ "),
    size: rowCount,
    usedBy: [...documents.filter(({ uses }) => uses.includes(id)).map((document) => document.id), ...flowUsers("value-mappings", id)],
    hash,
    lastModified,
    error,
    isInstalled: true,
  }));
  const ofDocuments = documents.map(({ id, name, source, target, fields, hash, lastModified, error }): MappingEntry => ({
    kind: "message-mappings",
    id,
    name: name ?? id,
    shape: source === "" ? "" : `${source} → ${target}`,
    size: fields,
    usedBy: flowUsers("message-mappings", id),
    hash,
    lastModified,
    error,
    isInstalled: true,
  }));
  const installed = [...ofTables, ...ofDocuments];
  const others = mappingKinds.flatMap((kind) =>
    workspace[kind].filter((id) => !installed.some((entry) => entry.kind === kind && entry.id === id)).map((id) => notInstalled(kind, id, flowUsers(kind, id))),
  );
  return [...installed, ...others].toSorted((left, right) => left.name.localeCompare(right.name));
}

/** A mapping that is not installed on the runtime. */
export const notInstalled = (kind: MappingKind, id: string, usedBy: readonly string[]): MappingEntry => ({
  kind,
  id,
  name: id,
  shape: "",
  size: undefined,
  usedBy,
  hash: undefined,
  lastModified: undefined,
  error: undefined,
  isInstalled: false,
});
