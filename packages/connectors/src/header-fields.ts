// Declarations of message headers whose values are maps or lists.

import { f } from "@sluice/model";

export const mapHeader = (doc: string) => f.object({}, { doc });

export const listHeader = (doc: string) => f.list(f.string({ doc: "One item." }), { doc });

/** A list of maps. */
export const rowsHeader = (doc: string) => f.list(f.object({}, { doc: "One row." }), { doc });
