// Connection pools, shared by endpoints with equal options. The HTTP client is loaded on first use: loading it takes an eighth of
// the start time, and many runtimes never make a call.
import type { Dispatcher } from "undici";
import { guardedLookup } from "./egress.ts";

export interface AgentOptions {
  readonly connectTimeout: number;
  /** Host names must not resolve to private addresses. */
  readonly guarded: boolean;
  readonly proxy: string | undefined;
}

/** Maximum number of pools; bounded because options may come from messages. */
const agentLimit = 100;

export class CallAgents {
  readonly #connections: number;
  readonly #agents = new Map<string, Promise<Dispatcher>>();

  constructor(connections: number) {
    this.#connections = connections;
  }

  get(options: AgentOptions): Promise<Dispatcher> {
    const key = `${options.connectTimeout} ${options.guarded} ${options.proxy ?? ""}`;
    const existing = this.#agents.get(key);
    if (existing !== undefined) return existing;
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
