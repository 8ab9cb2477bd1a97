// The clients of a soak: each calls one route after another and keeps count of what it sent and what came back.
import { Agent, request } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { routeId, type SoakRoute } from "./soak-flow.ts";

export class Tally {
  readonly sent: Record<SoakRoute, number> = { plain: 0, fail: 0, queue: 0, sink: 0, slow: 0, "hang-up": 0 };
  readonly answered: Record<SoakRoute, number> = { plain: 0, fail: 0, queue: 0, sink: 0, slow: 0, "hang-up": 0 };
  /** Messages put into the queue by calls that were answered. */
  queued = 0;
  broken = 0;
  deploys = 0;
  readonly latencies: number[] = [];
  readonly faults: string[] = [];

  fault(text: string): void {
    if (this.faults.length < 50) this.faults.push(text);
  }

  get calls(): number {
    return Object.values(this.answered).reduce((sum, count) => sum + count, 0);
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Caller {
  call(route: SoakRoute, n: number, body: string): Promise<Answer>;
  /** Sends something that no route should see. */
  sendBroken(n: number): Promise<Answer>;
  /** Calls and goes away before the answer. */
  hangUp(n: number): Promise<void>;
  close(): void;
}

export function createCaller(baseUrl: string): Caller {
  const isSecure = baseUrl.startsWith("https:");
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const open = isSecure ? secureRequest : request;

  const send = (path: string, method: string, n: number, body: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const call = open(
        `${baseUrl}${path}`,
        { method, agent, timeout: 30_000, headers: { n: String(n), "content-type": "text/plain", "content-length": String(Buffer.byteLength(body)) } },
        (reply) => {
          let text = "";
          reply.setEncoding("utf8");
          reply.on("data", (part: string) => (text += part));
          reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text }));
          reply.on("error", reject);
        },
      );
      call.on("timeout", () => call.destroy(new Error("no answer within 30 s")));
      call.on("error", reject);
      call.end(body);
    });

  return {
    call: (route, n, body) => send(`/api/${routeId(route)}`, "POST", n, body),
    sendBroken: (n) => (n % 2 === 0 ? send(`/api/${routeId("plain")}-nobody`, "POST", n, "x") : send(`/api/${routeId("plain")}`, "PATCH", n, "x")),
    hangUp: (n) =>
      new Promise((resolve) => {
        const call = open(`${baseUrl}/api/${routeId("hang-up")}`, { method: "POST", headers: { n: String(n), "content-length": "1" } });
        call.on("error", () => resolve());
        call.on("close", () => resolve());
        call.end("x", () => setTimeout(() => call.destroy(), 10));
      }),
    close: () => agent.destroy(),
  };
}

/** One client until the signal: what it does next follows from its count, so that a run can be told again. */
export async function drive(caller: Caller, tally: Tally, client: number, signal: AbortSignal, pace: () => Promise<void>): Promise<void> {
  for (let index = 0; !signal.aborted; index++) {
    await pace();
    if (signal.aborted) return;
    const n = client * 10_000_000 + index;
    const turn = index % 20;
    if (turn === 7) {
      tally.sent["hang-up"]++;
      await caller.hangUp(n);
    } else if (turn === 13) await broken(caller, tally, n);
    else await ask(caller, tally, turn === 3 || turn === 11 ? "fail" : turn % 5 === 0 ? "queue" : turn % 7 === 0 ? "slow" : "plain", n);
  }
}

async function broken(caller: Caller, tally: Tally, n: number): Promise<void> {
  const { status } = await caller.sendBroken(n).catch((error: Error) => ({ status: 0, text: error.message }));
  tally.broken++;
  if (status !== 404 && status !== 405) tally.fault(`a broken request was answered with ${status}`);
}

async function ask(caller: Caller, tally: Tally, route: SoakRoute, n: number): Promise<void> {
  const began = performance.now();
  tally.sent[route]++;
  try {
    const { status, text } = await caller.call(route, n, route === "queue" ? "a,b,c" : "x");
    tally.answered[route]++;
    tally.latencies.push(performance.now() - began);
    if (route === "fail") {
      if (status !== 500) tally.fault(`call ${n} should have failed and was answered with ${status}`);
      return;
    }
    if (status !== 200) return tally.fault(`call ${n} of ${route} was answered with ${status}: ${text.slice(0, 100)}`);
    if (route === "queue") tally.queued += 3;
    const [version, echoed, again] = text.split(" ");
    if (echoed !== String(n)) tally.fault(`call ${n} of ${route} got the answer of another: ${text}`);
    else if (version !== again) tally.fault(`call ${n} of ${route} went through two versions: ${text}`);
  } catch (error) {
    tally.fault(`call ${n} of ${route} had no answer: ${(error as Error).message}`);
  }
}
