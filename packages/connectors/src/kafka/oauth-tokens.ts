// Access tokens from client credentials, renewed before they expire.
import { request } from "undici";

export interface OauthValues {
  readonly oauthTokenEndpointUri?: string | undefined;
  readonly oauthClientId?: string | undefined;
  readonly oauthClientSecret?: string | undefined;
  readonly oauthScope?: string | undefined;
}

const maxResponseLength = 64 * 1024;

export function oauthTokens(values: OauthValues, now: () => number): () => Promise<{ value: string }> {
  let token: { readonly value: string; readonly until: number } | undefined;
  return async () => {
    if (token !== undefined && now() < token.until) return { value: token.value };
    const { oauthTokenEndpointUri: uri, oauthClientId: id = "", oauthClientSecret: secret = "", oauthScope: scope } = values;
    if (uri === undefined) throw new Error("oauthTokenEndpointUri is missing: set it in the connection");
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret, ...(scope === undefined ? {} : { scope }) });
    const { statusCode, body } = await request(uri, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: form.toString(),
      headersTimeout: 10_000,
      bodyTimeout: 10_000,
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`the token endpoint responded with status ${statusCode}`);
    if (text.length > maxResponseLength) throw new Error(`the response of the token endpoint is longer than ${maxResponseLength} characters`);
    const { access_token: value, expires_in: seconds = 300 } = JSON.parse(text) as { access_token?: string; expires_in?: number };
    if (typeof value !== "string") throw new Error("the response of the token endpoint has no access_token");
    token = { value, until: now() + Math.max(seconds - 30, 1) * 1000 };
    return { value };
  };
}
