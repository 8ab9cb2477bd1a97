// The value of SERVICE_CLUSTER: `nats://h1:4222,h2:4222/<name>`, `tls://…`, or `postgres://user:password@host/database?cluster=<name>`.
import { SettingsError } from "../config.ts";

export type ClusterTarget =
  | {
      readonly store: "nats";
      readonly servers: readonly string[];
      readonly user: string | undefined;
      readonly password: string | undefined;
      readonly isTls: boolean;
      readonly name: string;
    }
  | { readonly store: "postgres"; readonly url: string; readonly name: string };

const natsUrl = /^([a-z]+):\/\/(?:([^@/]*)@)?([^/@]+)(?:\/([^/?]*))?$/;
const validName = /^[a-z][a-z0-9_]{0,30}$/;

/** Reads the setting. Its text is never part of an error, because it may contain a password. */
export function readClusterTarget(text: string): ClusterTarget {
  const match = natsUrl.exec(text.trim());
  const protocol = match?.[1];
  if (match !== null && (protocol === "nats" || protocol === "tls")) {
    const [, , credentials = "", addresses = "", name = ""] = match;
    const [user = "", password = ""] = credentials.split(/:(.*)/s);
    return {
      store: "nats",
      servers: addresses.split(",").map((server) => server.trim()),
      user: user === "" ? undefined : decoded(user),
      password: password === "" ? undefined : decoded(password),
      isTls: protocol === "tls",
      name: checkedName(name),
    };
  }
  if (!/^postgres(?:ql)?:\/\//.test(text.trim()) || !URL.canParse(text.trim()))
    throw new SettingsError([
      "SERVICE_CLUSTER: expected nats://host:4222/<name>, tls://host:4222/<name> or postgres://user:password@host/database?cluster=<name>",
    ]);
  const url = new URL(text.trim());
  const name = checkedName(url.searchParams.get("cluster") ?? "");
  url.searchParams.delete("cluster");
  // The client takes a percent sign without two hexadecimal digits literally.
  for (const part of [url.username, url.password]) decoded(part.replaceAll(/%(?![\da-f]{2})/gi, "%25"));
  return { store: "postgres", url: url.href, name };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SettingsError(["SERVICE_CLUSTER: the user or the password contains a '%' that does not encode a character: write it as %25"]);
  }
}

function checkedName(name: string): string {
  if (name === "") return "sluice";
  if (validName.test(name)) return name;
  throw new SettingsError([`SERVICE_CLUSTER: '${name}' is not a cluster name: use at most 31 lower-case letters, digits and '_', starting with a letter`]);
}
