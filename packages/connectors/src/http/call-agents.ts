// Connection pools, shared by every endpoint that calls in the same way. The client behind them is loaded with the first: it would
// take an eighth of the time of a start, and many runtimes never call anybody.
import type { Dispatcher } from "undici";
import { guardedLookup } from "./egress.ts";

export interface AgentOptions {
  readonly connectTimeout: number;
  /** Names may not lead to private addresses. */
  readonly guarded: boolean;
  readonly proxy: string | undefined;
}

/** Kinds of pools kept; options may come from messages, so there is a bound. */
const agentLimit = 100;

export class CallAgents {
  readonly #connections: number;
  readonly #agents = new Map<string, Promise<Dispatcher>>();

  constructor(connections: number) {
    this.#connections = connections;
  }

  get(options: AgentOptions): Promise<Dispatcher> {
    const key = `${options.connectTimeout} ${options.guarded} ${options.proxy ?? ""}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const oldest = this.#agents.size >= agentLimit ? this.#agents.entries().next().value : undefined;
    if (oldest !== undefined) {
      this.#agents.delete(oldest[0]);
      void oldest[1].then((agent) => agent.close());
    }
    const agent = this.#create(options);
    this.#agents.set(key, agent);
    return agent;
  }

  async #create({ connectTimeout, guarded, proxy }: AgentOptions): Promise<Dispatcher> {
    const { Agent, ProxyAgent } = await import("undici");
    const common = { connections: this.#connections, pipelining: 1 };
    const connect = { timeout: connectTimeout, ...(guarded ? { lookup: guardedLookup } : {}) };
    return proxy === undefined ? new Agent({ ...common, connect }) : new ProxyAgent({ ...common, uri: proxy, proxyTls: { timeout: connectTimeout } });
  }
}
