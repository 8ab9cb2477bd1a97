import type { DocumentSummary, TableSummary } from "@sluice/client";
import { runtimeAt } from "../api-client/runtime-client.ts";

interface InstalledMappings {
  readonly tables: readonly TableSummary[];
  readonly documents: readonly DocumentSummary[];
}

/** The mappings of the runtime, or why they cannot be read. */
export async function installedMappings(target: string | undefined): Promise<InstalledMappings | { readonly error: Error }> {
  const runtime = runtimeAt(target);
  try {
    const [{ valueMappings: tables }, { messageMappings: documents }] = await Promise.all([
      runtime.call("GET /value-mappings"),
      runtime.call("GET /message-mappings"),
    ]);
    return { tables, documents };
  } catch (error) {
    return { error: error as Error };
  }
}
