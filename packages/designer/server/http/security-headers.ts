/** Security headers of every response. Styles may use the nonce of the page, because the source editor creates a style sheet. */
export function securityHeaders(nonce?: string): Readonly<Record<string, string>> {
  const style = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`;
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      `style-src ${style}`,
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "worker-src 'self'",
      "manifest-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}
