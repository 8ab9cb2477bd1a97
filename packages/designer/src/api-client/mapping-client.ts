// Value-mapping tables and message-mapping documents of a runtime.
import { callJson } from "./call.ts";
import { targetHeaders } from "./runtime-client.ts";

/** Tables and documents are reached alike; the kind is the name of their list in an address. */
export type MappingKind = "value-mappings" | "message-mappings";

interface About {
  readonly id: string;
  readonly hash: string;
  readonly lastModified: string;
}

export interface TableSummary extends About {
  readonly name: string | null;
  readonly columns: readonly string[];
  readonly rowCount: number;
  readonly error?: string;
}

export interface DocumentSummary extends About {
  readonly name: string | null;
  readonly source: string;
  readonly target: string;
  readonly fields: number;
  /** Tables it looks values up in. */
  readonly uses: readonly string[];
  readonly error?: string;
}

export interface InstalledReply extends About {
  readonly created: boolean;
  readonly warnings: readonly string[];
}

const at = (kind: MappingKind, id: string): string => `/_api/${kind}/${encodeURIComponent(id)}`;

export const mappingClient = {
  tables: (target?: string) =>
    callJson<{ valueMappings: readonly TableSummary[] }>("GET", "/_api/value-mappings", { headers: targetHeaders(target) }).then(
      ({ valueMappings }) => valueMappings,
    ),
  documents: (target?: string) =>
    callJson<{ messageMappings: readonly DocumentSummary[] }>("GET", "/_api/message-mappings", { headers: targetHeaders(target) }).then(
      ({ messageMappings }) => messageMappings,
    ),
  read: (kind: MappingKind, id: string, target?: string) => callJson<unknown>("GET", at(kind, id), { headers: targetHeaders(target) }),
  /** `hash` is what the work started from: someone else's change in between is refused, not overwritten. */
  install: (kind: MappingKind, id: string, document: unknown, hash: string | undefined, target?: string) =>
    callJson<InstalledReply>("PUT", at(kind, id), { body: document, headers: { ...targetHeaders(target), ...ifMatch(hash) } }),
  remove: (kind: MappingKind, id: string, hash: string | undefined, target?: string) =>
    callJson<{ usedBy: readonly string[] }>("DELETE", at(kind, id), { headers: { ...targetHeaders(target), ...ifMatch(hash) } }),
};

export const ifMatch = (hash: string | undefined): Readonly<Record<string, string>> => (hash === undefined ? {} : { "if-match": `"${hash}"` });
