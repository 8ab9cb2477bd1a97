// A partner controlled by the test: replies as configured and records every call and connection.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface StubCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** True if the caller closed the connection before the reply was complete. */
  aborted: boolean;
}

export interface StubPartner {
  readonly host: string;
  readonly url: string;
  readonly calls: StubCall[];
  readonly connections: () => number;
  close(): Promise<void>;
}

export async function stubPartner(
  respond: (call: StubCall, response: ServerResponse) => void = (_call, response) => void response.end("fine"),
): Promise<StubPartner> {
  const calls: StubCall[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      const call: StubCall = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        aborted: false,
      };
      calls.push(call);
      response.on("close", () => void (call.aborted = !response.writableFinished));
      respond(call, response);
    });
  });
  server.on("connection", () => void connections++);
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    calls,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
