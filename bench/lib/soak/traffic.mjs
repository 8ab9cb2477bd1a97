// The clients of a soak test: each calls the routes in turn and counts requests and responses.
import { Agent, request } from "node:http";
import { routeId } from "./soak-flow.mjs";

export class Tally {
  sent = { plain: 0, fail: 0, queue: 0, sink: 0, slow: 0, "hang-up": 0 };
  answered = { plain: 0, fail: 0, queue: 0, sink: 0, slow: 0, "hang-up": 0 };
  /** Messages queued by successful calls. */
  queued = 0;
  invalid = 0;
  deploys = 0;
  latencies = [];
  errors = [];

  addError(text) {
    if (this.errors.length < 50) this.errors.push(text);
  }

  get calls() {
    return Object.values(this.answered).reduce((sum, count) => sum + count, 0);
  }
}

/** Calls routes, sends invalid requests (`sendInvalid`), and disconnects before the response (`hangUp`). */
export function createCaller(baseUrl) {
  const agent = new Agent({ keepAlive: true });

  const send = (path, method, n, body) =>
    new Promise((resolve, reject) => {
      const call = request(
        `${baseUrl}${path}`,
        { method, agent, timeout: 30_000, headers: { n: String(n), "content-type": "text/plain", "content-length": String(Buffer.byteLength(body)) } },
        (reply) => {
          let text = "";
          reply.setEncoding("utf8");
          reply.on("data", (part) => (text += part));
          reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text }));
          reply.on("error", reject);
        },
      );
      call.on("timeout", () => call.destroy(new Error("no response within 30 s")));
      call.on("error", reject);
      call.end(body);
    });

  return {
    call: (route, n, body) => send(`/api/${routeId(route)}`, "POST", n, body),
    sendInvalid: (n) => (n % 2 === 0 ? send(`/api/${routeId("plain")}-unknown`, "POST", n, "x") : send(`/api/${routeId("plain")}`, "PATCH", n, "x")),
    hangUp: (n) =>
      new Promise((resolve) => {
        const call = request(`${baseUrl}/api/${routeId("hang-up")}`, { method: "POST", headers: { n: String(n), "content-length": "1" } });
        call.on("error", () => resolve());
        call.on("close", () => resolve());
        call.end("x", () => setTimeout(() => call.destroy(), 10));
      }),
    close: () => agent.destroy(),
  };
}

/** After so many iterations, a client has done everything. */
const cycle = 20;

/**
 * Runs one client until the signal aborts, but at least for one cycle. Each action depends only on the iteration index, so that a run is reproducible.
 */
export async function drive(caller, tally, client, signal, pace) {
  for (let index = 0; !signal.aborted || index < cycle; index++) {
    await pace();
    const n = client * 10_000_000 + index;
    const turn = index % cycle;
    if (turn === 7) {
      tally.sent["hang-up"]++;
      await caller.hangUp(n);
    } else if (turn === 13) await callInvalid(caller, tally, n);
    else await callRoute(caller, tally, turn === 3 || turn === 11 ? "fail" : turn % 5 === 0 ? "queue" : turn % 7 === 0 ? "slow" : "plain", n);
  }
}

async function callInvalid(caller, tally, n) {
  const { status } = await caller.sendInvalid(n).catch((error) => ({ status: 0, text: error.message }));
  tally.invalid++;
  if (status !== 404 && status !== 405) tally.addError(`an invalid request got ${status}`);
}

async function callRoute(caller, tally, route, n) {
  const startTime = performance.now();
  tally.sent[route]++;
  try {
    const { status, text } = await caller.call(route, n, route === "queue" ? "a,b,c" : "x");
    tally.answered[route]++;
    tally.latencies.push(performance.now() - startTime);
    if (route === "fail") {
      if (status !== 500) tally.addError(`call ${n} should have failed but got ${status}`);
      return;
    }
    if (status !== 200) return tally.addError(`call ${n} of ${route} got ${status}: ${text.slice(0, 100)}`);
    if (route === "queue") tally.queued += 3;
    const [version, echoed, lastVersion] = text.split(" ");
    if (echoed !== String(n)) tally.addError(`call ${n} of ${route} got the response of another call: ${text}`);
    else if (version !== lastVersion) tally.addError(`call ${n} of ${route} was processed by two versions: ${text}`);
  } catch (error) {
    tally.addError(`call ${n} of ${route} got no response: ${error.message}`);
  }
}
