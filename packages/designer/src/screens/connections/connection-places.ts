/** The address of a connection's editor. */
export const pathOf = (id: string): string => `/connections/${encodeURIComponent(id)}`;

/** The name under which unsaved work on it is kept. */
export const draftKey = (id: string, target: string | undefined): string => `${target ?? ""} connection ${id}`;
