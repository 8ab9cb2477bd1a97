const inside = /^(direct|seda|log|mock|language|value-mapping|message-mapping|validator|xslt|timer|controlbus|ref|dataset):/;

/** True for endpoints whose messages stay inside the runtime: a test need not mock them. */
export const staysInside = (uri: string): boolean => inside.test(uri);
