// Options of Camel's http that are not offered here. What an endpoint does not know becomes part of the query, so these would travel
// to the server, passwords among them; they are refused instead.
import { CompileError } from "@sluice/engine/spi";

const java = "names a Java object and there is no Java here";
const refused: ReadonlyMap<string, string> = new Map([
  ...["clientBuilder", "clientConnectionManager", "cookieHandler", "cookieStore", "headerFilterStrategy", "httpActivityListener"].map(
    (name) => [name, java] as const,
  ),
  ...["httpClient", "httpClientConfigurer", "httpContext", "sslContextParameters", "x509HostnameVerifier"].map((name) => [name, java] as const),
  ...["authDomain", "authHost"].map((name) => [name, "belongs to NTLM, which is not offered: use authMethod Basic or Bearer"] as const),
  ...[
    "proxyAuthDomain",
    "proxyAuthHost",
    "proxyAuthMethod",
    "proxyAuthNtHost",
    "proxyAuthPassword",
    "proxyAuthPort",
    "proxyAuthScheme",
    "proxyAuthUsername",
  ].map((name) => [name, "is not offered: use proxyHost and proxyPort with a proxy that asks for no password"] as const),
  ...["oauth2ClientId", "oauth2ClientSecret", "oauth2Scope", "oauth2TokenEndpoint", "oauth2ResourceIndicator", "oauth2BodyAuthentication"].map(
    (name) => [name, "is not offered: fetch a token in the flow and send it in the header Authorization"] as const,
  ),
  ["nonProxyHosts", "is not offered: leave proxyHost away where no proxy is wanted"],
  ["hostnameVerificationPolicy", "is not offered: the name of a server is always checked"],
  ["multipartUpload", "is not offered: make the body with marshal and mimeMultipart"],
  ["multipartUploadName", "is not offered: make the body with marshal and mimeMultipart"],
  ["preserveHostHeader", "is not offered: use customHostHeader"],
]);

export function refuseOptions(extra: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(extra)) {
    const why = refused.get(name);
    if (why !== undefined) throw new CompileError("endpoint-option-refused", `option '${name}' of http ${why}`);
  }
}
