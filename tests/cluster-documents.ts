// Connections and Kamelets in a cluster: requirements for every kind of store.
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { expect } from "vitest";
import type { ClusterNode } from "./cluster-nodes.ts";
import { call, eventually } from "./started-server.ts";

/** Environment variables of every node. */
export const documentVariables = { CLUSTER_PASSWORD: "sesame-of-the-cluster" };
/** Environment variables of all nodes except the last. */
export const variablesOfOthers = { CLUSTER_SOME: "set-on-some-nodes" };

/** Replies to each line with its name and the line. */
async function partner(name: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined).on("data", (data) => void socket.write(`${name} knows ${data.toString().trim()}`));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const kamelet = (text: string, definition = "{}"): string => `apiVersion: camel.apache.org/v1
kind: Kamelet
metadata:
  name: mark-action
spec:
  definition: ${definition}
  template:
    from:
      uri: kamelet:source
      steps:
        - setBody: {simple: "\${body}${text}"}
`;
const flow = (id: string, connection: string): string =>
  `- route: {id: ${id}, from: {uri: webhook, steps: [{to: {uri: "talk:a?connection=#${connection}"}}, {to: {uri: "kamelet:mark-action"}}]}}\n`;

/** The nodes need the echo plug-in and the variables above. The last node is killed, and started again. */
export async function checkSharedDocuments(
  nodes: readonly ClusterNode[],
  { kill, restart }: { kill(): Promise<void>; restart(): Promise<ClusterNode> },
): Promise<void> {
  const [one, two] = nodes as readonly [ClusterNode, ClusterNode];
  const count = nodes.length;
  let last = nodes.at(-1) as ClusterNode;
  const all = (): readonly ClusterNode[] => [...nodes.slice(0, -1), last];
  const repliesOf = async (id: string): Promise<ReadonlySet<string>> =>
    new Set(await Promise.all(all().map(async ({ baseUrl }) => (await call(baseUrl, "POST", `/api/${id}`, "x")).text)));
  const resultOf = (json: any): unknown => [json.error, json.cluster?.nodes, json.cluster?.running, json.cluster?.behind];
  const appliedOnAllNodes = [undefined, count, count, []];
  const password = { env: "CLUSTER_PASSWORD" };
  const [first, second] = [await partner("one"), await partner("two")];
  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  try {
    // Every node uses the connection when the call returns.
    const connection = { type: "echo", values: { port: portOf(first), password } };
    const defined = await one.api("PUT", "/connections/main", connection);
    expect([defined.status, ...(resultOf(defined.json) as unknown[])]).toEqual([201, ...appliedOnAllNodes]);
    const installed = await two.api("PUT", "/kamelets/mark-action", { yaml: kamelet("!") });
    expect([installed.status, ...(resultOf(installed.json) as unknown[])]).toEqual([201, ...appliedOnAllNodes]);
    const tests = `flow: flow.yaml\ntests:\n  - name: marks\n    when: {webhook: talk, body: x}\n    mocks: [{id: partner, match: {uri: "talk:*"}, respond: {body: mocked}}]\n    then:\n      - reply: {body: "mocked!"}\n`;
    const put = await last.api("PUT", "/flows/talk?tests=required", { yaml: flow("talk", "main"), tests });
    expect([put.status, put.json.testsPassed, ...(resultOf(put.json) as unknown[])]).toEqual([201, 1, ...appliedOnAllNodes]);
    expect(await repliesOf("talk")).toEqual(new Set(["one knows sesame-of-the-cluster!"]));
    for (const path of ["/connections/main", "/kamelets/mark-action"]) {
      const copies = await Promise.all(all().map((node) => node.api("GET", path)));
      expect(new Set(copies.map(({ headers }) => headers.get("etag"))).size).toBe(1);
      for (const { json } of copies) expect(json.flows).toEqual(["talk"]);
      for (const node of all()) {
        const rejected = await node.api("DELETE", path);
        expect([rejected.status, rejected.json.error]).toEqual([409, expect.stringContaining("is used by flow 'talk'")]);
      }
    }

    // Of two changes based on the same version, one is accepted.
    const etag = installed.headers.get("etag") as string;
    const race = await Promise.all(
      ["?", "."].map((mark, index) => (all()[index] as ClusterNode).api("PUT", "/kamelets/mark-action", { yaml: kamelet(mark) }, { "if-match": etag })),
    );
    expect(race.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
    const mark = race[0]?.status === 200 ? "?" : ".";
    expect(await repliesOf("talk")).toEqual(new Set([`one knows sesame-of-the-cluster${mark}`]));
    const broken = await two.api("PUT", "/kamelets/mark-action", { yaml: kamelet("{{word}}", "{required: [word], properties: {word: {type: string}}}") });
    expect([broken.status, broken.json.error]).toEqual([409, expect.stringContaining("flow 'talk' cannot use this version")]);
    const replaced = await last.api("PUT", "/connections/main", { type: "echo", values: { port: portOf(second), password } });
    expect(resultOf(replaced.json)).toEqual(appliedOnAllNodes);
    expect(await repliesOf("talk")).toEqual(new Set([`two knows sesame-of-the-cluster${mark}`]));
    for (const values of [
      { port: 1, password: "literal-secret-1" },
      { port: 1, tls: { name: "http://user:literal-secret-1@host" } },
    ]) {
      const literal = await one.api("PUT", "/connections/literal?force=true", { type: "echo", values });
      expect([literal.status, literal.json.error]).toEqual([
        422,
        expect.stringContaining('a literal secret is not allowed in a cluster: use {"env": "NAME"} and set the variable on every node'),
      ]);
    }

    // A node that starts later gets the documents before the flows that use them.
    await kill();
    const documents = [one.api("PUT", "/connections/added", connection), one.api("PUT", "/kamelets/mark-action", { yaml: kamelet("#") })];
    expect((await Promise.all(documents)).map(({ status }) => status)).toEqual([201, 200]);
    expect((await one.api("PUT", "/flows/added", { yaml: flow("added", "added") })).status).toBe(201);
    last = await restart();
    expect(await repliesOf("added")).toEqual(new Set(["one knows sesame-of-the-cluster#"]));
    expect(last.output()).not.toContain("is not running");

    // The reply names the node that cannot use the connection. Flows on the other nodes still prevent its removal.
    const partial = await one.api("PUT", "/connections/some", { type: "echo", values: { port: portOf(first), password: { env: "CLUSTER_SOME" } } });
    expect(partial.json.cluster).toMatchObject({ running: count - 1, behind: [{ reason: expect.stringContaining("the variable 'CLUSTER_SOME'") }] });
    expect((await one.api("PUT", "/flows/some", { yaml: flow("some", "some") })).json).toMatchObject({ created: true, cluster: { running: count - 1 } });
    const rejectedRemoval = await last.api("DELETE", "/connections/some");
    const users = nodes.slice(1).map((_, index) => `flow 'some' on node 'n${index + 1}'`);
    expect([rejectedRemoval.status, rejectedRemoval.json.error]).toEqual([409, `connection 'some' is used by ${users.join(", ")}`]);
    expect((await last.api("DELETE", "/flows/some")).status).toBe(200);

    for (const path of ["/connections/some", "/flows/added", "/flows/talk", "/connections/added", "/connections/main", "/kamelets/mark-action"]) {
      const removed = await one.api("DELETE", path);
      expect([path, removed.status, ...(resultOf(removed.json) as unknown[])]).toEqual([path, 200, ...appliedOnAllNodes]);
    }
    for (const node of all()) {
      expect((await node.api("GET", "/connections")).json.connections).toEqual([]);
      expect((await node.api("GET", "/kamelets")).json.kamelets).toEqual([]);
    }
    await eventually(() => last.output().includes("Removed connection 'main': another node removed it"));
  } finally {
    first.close();
    second.close();
  }
}
