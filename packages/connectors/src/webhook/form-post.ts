// A posted HTML form: its fields become a map in the body and headers, as in Camel's platform-http.
const maxFields = 1_000;

export const isForm = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType);

/** The fields by name; a repeated field becomes a list. */
export function readForm(body: Uint8Array): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  let count = 0;
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(body))) {
    if (++count > maxFields) break;
    const existing = fields.get(name);
    fields.set(name, existing === undefined ? value : Array.isArray(existing) ? [...existing, value] : [existing, value]);
  }
  return Object.fromEntries(fields);
}
