// TLS configuration shared by all connection types: PEM text.
import { f, type Values } from "@sluice/model";

const tlsFields = {
  ca: f.text({
    title: "CA certificates",
    doc: "CA certificates that the server's certificate is verified against, as PEM text; those of Node.js by default.",
    multiline: true,
  }),
  cert: f.text({ title: "Client certificate", doc: "The client certificate, as PEM text.", multiline: true }),
  key: f.text({ title: "Private key", doc: "The private key of the client certificate, as PEM text.", secret: true, multiline: true }),
  passphrase: f.text({ doc: "Passphrase of the private key.", secret: true }),
  servername: f.string({ title: "Server name", doc: "Host name that the server's certificate must have; the server's host name by default." }),
} as const;

export type TlsValues = Values<typeof tlsFields>;

export const tlsField = f.object(tlsFields, { title: "TLS", doc: "Certificates for TLS.", group: "security" });

/** In the format of node:tls; absent values are omitted. */
export function certificateOptions(tls: Partial<TlsValues> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(tls ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
