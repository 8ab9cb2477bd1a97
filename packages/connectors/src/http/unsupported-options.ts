// Unsupported options of Camel's http component. Unknown options become part of the query, so these would be sent to the server,
// including passwords; they are rejected instead.
import { CompileError } from "@sluice/engine/spi";

const java = "refers to a Java object, which is not supported";
const reasons: ReadonlyMap<string, string> = new Map([
  ...["clientBuilder", "clientConnectionManager", "cookieHandler", "cookieStore", "headerFilterStrategy", "httpActivityListener"].map(
    (name) => [name, java] as const,
  ),
  ...["httpClient", "httpClientConfigurer", "httpContext", "sslContextParameters", "x509HostnameVerifier"].map((name) => [name, java] as const),
  ...["authDomain", "authHost"].map((name) => [name, "belongs to NTLM, which is not supported: use authMethod Basic or Bearer"] as const),
  ...[
    "proxyAuthDomain",
    "proxyAuthHost",
    "proxyAuthMethod",
    "proxyAuthNtHost",
    "proxyAuthPassword",
    "proxyAuthPort",
    "proxyAuthScheme",
    "proxyAuthUsername",
  ].map((name) => [name, "is not supported: use proxyHost and proxyPort with a proxy without authentication"] as const),
  ...["oauth2ClientId", "oauth2ClientSecret", "oauth2Scope", "oauth2TokenEndpoint", "oauth2ResourceIndicator", "oauth2BodyAuthentication"].map(
    (name) => [name, "is not supported: get a token in the flow and send it in the header Authorization"] as const,
  ),
  ["nonProxyHosts", "is not supported: remove proxyHost from endpoints that need no proxy"],
  ["hostnameVerificationPolicy", "is not supported: the host name of a server is always verified"],
  ["multipartUpload", "is not supported: create the body with marshal and mimeMultipart"],
  ["multipartUploadName", "is not supported: create the body with marshal and mimeMultipart"],
  ["preserveHostHeader", "is not supported: use customHostHeader"],
]);

export function rejectUnsupportedOptions(extra: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(extra)) {
    const reason = reasons.get(name);
    if (reason !== undefined) throw new CompileError("endpoint-option-refused", `option '${name}' of http ${reason}`);
  }
}
