// Responds `ok` to every request, and prints its port. Started by bare-server.ts.
import { createServer } from "node:http";

const server = createServer((request, response) => request.resume().on("end", () => response.end("ok")));
server.headersTimeout = 0;
server.requestTimeout = 0;
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () => console.log(server.address().port));
