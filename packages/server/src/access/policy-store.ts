// Stores policies as files `<flowId>.json` in one directory, readable only by their owner.
import { hash } from "node:crypto";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import { readEntireFile, removeDurably, removeLeftovers, writeDurably } from "../flows/durable-file.ts";
import { isFlowId } from "../flows/flow-id.ts";
import type { Unflushed } from "../flows/flow-store.ts";
import type { Policy, Scheme } from "./policy-document.ts";
import { readPolicy } from "./read-policy.ts";
import { maskPolicy } from "./mask-policy.ts";

export interface StoredPolicy {
  readonly policy: Policy;
  /** Hash of the policy's content. */
  readonly hash: string;
  readonly lastModified: string;
}

/** A file that does not contain a usable policy. */
export interface BrokenPolicy {
  readonly problem: string;
}

interface PolicyFile {
  readonly version: 1;
  readonly flowId: string;
  readonly lastModified: string;
  readonly policy: Policy;
}

const suffix = ".json";

export const policyHash = (policy: Policy): string => hash("sha256", JSON.stringify(policy), "hex");

/** Persistent policies by flow id. */
export interface PolicyStore {
  /** Why a policy disappeared without being removed here; by default, because its file was deleted. */
  readonly removalReason?: string;
  load(): Promise<ReadonlyMap<string, StoredPolicy | BrokenPolicy>>;
  write(flowId: string, policy: Policy, now: number): Promise<{ readonly stored: StoredPolicy; readonly unflushed: Unflushed }>;
  remove(flowId: string): Promise<Unflushed>;
}

export class DiskPolicyStore implements PolicyStore {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Opens the directory. Throws when it cannot be created, because then the runtime cannot know which webhooks are protected. */
  static async open(directory: string): Promise<DiskPolicyStore> {
    await createFolder(directory, 0o700);
    await removeLeftovers(directory).catch(() => undefined);
    return new DiskPolicyStore(directory);
  }

  async load(): Promise<ReadonlyMap<string, StoredPolicy | BrokenPolicy>> {
    const policies = new Map<string, StoredPolicy | BrokenPolicy>();
    for (const name of (await readdir(this.#directory)).sort()) {
      const flowId = name.slice(0, -suffix.length);
      if (!name.endsWith(suffix) || !isFlowId(flowId)) continue;
      const path = join(this.#directory, name);
      await chmod(path, 0o600).catch(() => undefined);
      const text = await readEntireFile(path).then(String, (error: NodeJS.ErrnoException) => error);
      policies.set(flowId, typeof text === "string" ? parsePolicy(text, flowId) : { problem: `the file cannot be read (${text.code ?? "unknown"})` });
    }
    return policies;
  }

  async write(flowId: string, policy: Policy, now: number): Promise<{ readonly stored: StoredPolicy; readonly unflushed: Unflushed }> {
    const lastModified = new Date(now).toISOString();
    const unflushed = await writeDurably(this.#directory, flowId + suffix, Buffer.from(policyText(flowId, policy, lastModified)), 0o600);
    return { stored: { policy, hash: policyHash(policy), lastModified }, unflushed };
  }

  async remove(flowId: string): Promise<Unflushed> {
    return (await removeDurably(this.#directory, flowId + suffix)).unflushed;
  }
}

export function policyText(flowId: string, policy: Policy, lastModified: string): string {
  const content: PolicyFile = { version: 1, flowId, lastModified, policy };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Reads a file as strictly as a PUT: a policy that is read only in part could grant access by mistake. */
export function parsePolicy(text: string, flowId: string): StoredPolicy | BrokenPolicy {
  try {
    const file = JSON.parse(text) as PolicyFile;
    if (file.version !== 1) return { problem: "the file has an unsupported version (expected 1)" };
    if (file.flowId !== flowId) return { problem: "the file name does not match the member flowId" };
    const { problems } = readPolicy(maskPolicy(file.policy), file.policy);
    if (problems[0] !== undefined) return { problem: problems[0] };
    if (!(file.policy.authenticate ?? []).every(hasValidSecrets)) return { problem: "a stored secret is damaged: install the policy again" };
    return { policy: file.policy, hash: policyHash(file.policy), lastModified: new Date(file.lastModified).toISOString() };
  } catch {
    return { problem: "the file does not contain a policy" };
  }
}

function hasValidSecrets(scheme: Scheme): boolean {
  if (scheme.type === "apiKey") return scheme.keys.every(({ key }) => "env" in key || /^[0-9a-f]{64}$/.test(key.sha256));
  if (scheme.type === "basic")
    return scheme.users.every(
      ({ password }) => "env" in password || (isPowerOfTwo(password.scrypt.cost) && isBase64(password.scrypt.salt, 16) && isBase64(password.scrypt.hash, 32)),
    );
  return true;
}

const isBase64 = (text: string, bytes: number): boolean => Buffer.from(text, "base64").length === bytes;
const isPowerOfTwo = (cost: number): boolean => Number.isInteger(Math.log2(cost)) && cost >= 2 ** 10 && cost <= 2 ** 20;
