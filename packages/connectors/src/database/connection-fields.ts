// Fields shared by all database connections.
import { CompileError } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { certificateOptions } from "../tls/tls-field.ts";

export const poolFields = {
  max: f.integer({ doc: "Maximum number of pooled database connections per worker.", default: 10, min: 1, max: 1000, group: "advanced" }),
  idleTimeout: f.duration({ doc: "How long an idle pooled connection stays open.", default: 30_000, group: "advanced" }),
  connectTimeout: f.duration({ doc: "Timeout for getting a connection from the pool, including opening it.", default: 10_000, group: "advanced" }),
};

export const tlsFields = {
  tls: f.boolean({ title: "TLS", doc: "Whether to use TLS.", default: false, group: "security" }),
  tlsVerify: f.boolean({ title: "Verify certificate", doc: "Whether the server's certificate must be valid.", default: true, group: "security" }),
  tlsCa: f.text({
    title: "CA certificates",
    doc: "CA certificates in PEM format that the server's certificate is verified against; those of Node.js by default.",
    group: "security",
    multiline: true,
  }),
  tlsCert: f.text({
    title: "Client certificate",
    doc: "The client certificate in PEM format, if the server requires one.",
    group: "security",
    multiline: true,
  }),
  tlsKey: f.text({
    title: "Private key",
    doc: "The private key of the client certificate in PEM format.",
    group: "security",
    secret: true,
    multiline: true,
  }),
  tlsPassphrase: f.text({ title: "Passphrase", doc: "Passphrase of the private key.", group: "security", secret: true }),
};

export const serverFields = {
  host: f.string({ doc: "Host name or address of the server.", default: "localhost" }),
  database: f.string({ doc: "The name of the database." }),
  user: f.string({ doc: "The user name." }),
  password: f.text({ doc: "The password.", secret: true }),
};

interface TlsValues {
  readonly tls: boolean;
  readonly tlsVerify: boolean;
  readonly tlsCa: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly tlsPassphrase: string | undefined;
}

/** Options for node:tls; undefined for an unencrypted connection. */
export function tlsOptions({ tls, tlsVerify, tlsCa, tlsCert, tlsKey, tlsPassphrase }: TlsValues): Readonly<Record<string, unknown>> | undefined {
  if (tls) return { rejectUnauthorized: tlsVerify, ...certificateOptions({ ca: tlsCa, cert: tlsCert, key: tlsKey, passphrase: tlsPassphrase }) };
  // A certificate shows that encryption is expected; the password must not be sent without it.
  const [unused] = Object.entries({ tlsCa, tlsCert, tlsKey }).find(([, text]) => text !== undefined && text !== "") ?? [];
  if (unused === undefined) return undefined;
  throw new CompileError("option-invalid", `${unused} is set, but tls is off, so the connection would not be encrypted: set tls to true, or remove ${unused}`, {
    option: unused,
  });
}
