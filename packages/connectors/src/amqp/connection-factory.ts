// JMS connection factories and their broker addresses.
import { CompileError } from "@sluice/engine/spi";

const noOpenWire = "OpenWire is not supported: use the broker's AMQP address, amqp://host:5672";

export function rejectOpenWire(className: string): never {
  throw new CompileError("connection-unsupported", `bean of class ${className}: ${noOpenWire}`, {
    hint: "use the class org.apache.qpid.jms.JmsConnectionFactory",
  });
}

/** The addresses of a list such as `amqp://one,amqp://two` or `failover:(amqp://one,amqp://two)`. */
export function brokerUrls(text: string): readonly URL[] {
  const list = /^failover:\(([^)]*)\)/.exec(text.trim())?.[1] ?? text.replace(/^failover:/, "");
  return list.split(",").map((address) => {
    const url = URL.canParse(address.trim()) ? new URL(address.trim()) : undefined;
    if (url === undefined || !["amqp:", "amqps:"].includes(url.protocol) || url.hostname === "")
      throw new CompileError("connection-unsupported", `'${address.trim().slice(0, 100)}' is not an AMQP address: ${noOpenWire}`);
    return url;
  });
}

const fieldByProperty: Readonly<Record<string, string>> = {
  remoteURI: "url",
  brokerURL: "url",
  brokerUrl: "url",
  username: "username",
  userName: "username",
  user: "username",
  password: "password",
  clientID: "clientId",
  clientId: "clientId",
  queuePrefix: "queuePrefix",
  topicPrefix: "topicPrefix",
};

/** Parameters of Qpid's addresses, as in `amqp://host?jms.username=shop`. */
const fieldByParameter: Readonly<Record<string, string>> = {
  "jms.username": "username",
  "jms.password": "password",
  "jms.clientID": "clientId",
  "jms.queuePrefix": "queuePrefix",
  "jms.topicPrefix": "topicPrefix",
  "amqp.idleTimeout": "idleTimeout",
};

/** The fields of a connection, from the properties of a factory or of a nested factory. Properties that only tune Java pools are ignored. */
export function factoryFields(properties: Readonly<Record<string, string>>, className: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const [property, value] of Object.entries(properties)) {
    const name = fieldByProperty[property.slice(property.lastIndexOf(".") + 1)];
    if (name !== undefined) fields[name] = value;
  }
  const { url } = fields;
  if (url === undefined) return fields;
  // Artemis accepts AMQP on the port of its own protocol.
  const address = className.includes(".artemis.") ? url.replaceAll("tcp://", "amqp://") : url;
  const [, parameters = ""] = /\?([^?]*)$/.exec(address) ?? [];
  for (const [name, value] of new URLSearchParams(parameters)) {
    const field = fieldByParameter[name];
    if (field !== undefined) fields[field] ??= value;
  }
  const addresses = brokerUrls(address).map(({ protocol, host, username, password }) => {
    if (username !== "") fields["username"] ??= decodeURIComponent(username);
    if (password !== "") fields["password"] ??= decodeURIComponent(password);
    return `${protocol}//${host}`;
  });
  return { ...fields, url: addresses.join(",") };
}
