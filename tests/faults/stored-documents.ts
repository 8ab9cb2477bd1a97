// Flows, mappings and policies, which the runtime stores as files, each in an old and a new version, for disk tests.
import { replyFlow } from "../started-server.ts";

export interface DocumentCase {
  readonly noun: string;
  /** The path of the document in the API. */
  readonly path: string;
  readonly folder: string;
  readonly file: string;
  readonly versions: readonly [unknown, unknown];
}

const mapping = (to: string): unknown => ({ source: { format: "json" }, target: { format: "json" }, map: [{ to, from: "b" }] });

/** A policy with one key. */
const policy = (key: string): unknown => ({ authenticate: [{ type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "k", key }] }], default: "allow" });

export const oldKey = "old-0123456789abcdef";
export const newKey = "new-0123456789abcdef";

export const storedDocuments: readonly DocumentCase[] = [
  {
    noun: "flow",
    path: "/flows/kept",
    folder: "routes",
    file: "kept.yaml",
    versions: [{ yaml: replyFlow("kept", "old") }, { yaml: replyFlow("kept", "new") }],
  },
  {
    noun: "value mapping",
    path: "/value-mappings/kept",
    folder: "value-mappings",
    file: "kept.json",
    versions: [{ entries: { a: "old" } }, { entries: { a: "new" } }],
  },
  { noun: "message mapping", path: "/message-mappings/kept", folder: "message-mappings", file: "kept.json", versions: [mapping("old"), mapping("new")] },
  { noun: "policy", path: "/auth/kept", folder: "policies", file: "kept.json", versions: [policy(oldKey), policy(newKey)] },
];
