/** The URL path of a connection's editor. */
export const pathOf = (id: string): string => `/connections/${encodeURIComponent(id)}`;

/** The key of its unsaved draft. */
export const draftKey = (id: string, target: string | undefined): string => `${target ?? ""} connection ${id}`;
