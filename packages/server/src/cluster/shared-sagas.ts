// Open sagas in the store of the cluster. The node that runs a saga also ends it. If that node dies, the node that holds the slot of the flow ends the
// saga: it calls the endpoints of all participants for the stored outcome, or for a compensation if no outcome is stored.
import { restoreMessage, storeMessage } from "@sluice/connectors";
import { FlowError, Message, type BeanDeclaration, type Cluster, type Log, type RecordVersion } from "@sluice/engine";
import { createKeyedMutex, type OpenSaga, type SagaOutcome, type SagaStep, type SagaStore } from "@sluice/engine/tools";
import type { RecordCipher } from "./record-cipher.ts";
import { pauseBeforeRetry, repeatUntilStored } from "./repeat.ts";

export interface SharedSagaParts {
  readonly cluster: Cluster;
  readonly cipher: RecordCipher;
  readonly log: Log;
  isDead(boot: string): boolean;
  /** True while this node holds the slot of a flow. */
  holds(flowId: string): boolean;
}

interface StoredSaga {
  readonly boot: string;
  readonly flowId: string;
  readonly outcome: SagaOutcome | null;
  readonly parts: readonly { readonly step: SagaStep; readonly envelope: string }[];
}

type Notify = Parameters<SagaStore["register"]>[1];

const collection = "sagas";
const maxHeaderBytes = 256 * 1024;

export class SharedSagas implements SagaStore {
  readonly #parts: SharedSagaParts;
  readonly #sagas = new Map<string, StoredSaga>();
  readonly #steps = new Map<string, Notify>();
  readonly #mutex = createKeyedMutex();
  /** Sagas of other processes that this one is ending. */
  readonly #ending = new Set<string>();
  #stop: (() => void) | undefined = undefined;

  constructor(parts: SharedSagaParts) {
    this.#parts = parts;
  }

  /** Replaces the in-memory saga service. */
  shareIn(beans: Map<string, BeanDeclaration>): void {
    const memory = beans.get("InMemorySagaService");
    if (memory === undefined) return;
    for (const name of memory.names) beans.set(name, { ...memory, create: () => this });
  }

  /** Writes are serialized, so that an earlier state does not replace a later one. */
  async write({ id, flowId, outcome, participants }: OpenSaga): Promise<void> {
    const { cluster } = this.#parts;
    const stored = participants.map(({ step, headers }) => ({ step, envelope: storeMessage(new Message(null, headers), {}, maxHeaderBytes).envelope }));
    await this.#mutex.run(id, () => this.#store(id, { boot: cluster.boot, flowId, outcome: outcome ?? null, parts: stored }));
  }

  remove(id: string): void {
    void this.#mutex.run(id, () => repeatUntilStored(() => this.#parts.cluster.records.write(collection, id, undefined)));
  }

  register(step: SagaStep, notify: Notify): () => void {
    const key = keyOf(step);
    this.#steps.set(key, notify);
    this.#open();
    return () => {
      // The next version of the flow may have replaced the function.
      if (this.#steps.get(key) === notify) this.#steps.delete(key);
    };
  }

  /** Call when slots may have changed, and periodically, because nodes may die. */
  refresh(): void {
    const { isDead, holds } = this.#parts;
    for (const [id, saga] of this.#sagas) if (!this.#ending.has(id) && holds(saga.flowId) && isDead(saga.boot)) void this.#end(id, saga);
  }

  close(): void {
    this.#stop?.();
  }

  /** The sagas are watched when the first flow with a saga starts. */
  #open(): void {
    if (this.#stop !== undefined) return;
    const watch = this.#parts.cluster.records.watch(
      collection,
      (change) => this.#apply(change),
      () => this.refresh(),
    );
    this.#stop = () => watch.stop();
  }

  /** Must not throw: the watch would deliver the same record again and again, and no saga would be ended. */
  #apply({ id, bytes }: RecordVersion): void {
    const { cipher, log } = this.#parts;
    this.#sagas.delete(id);
    if (bytes === undefined) return;
    try {
      this.#sagas.set(id, JSON.parse(Buffer.from(cipher.decrypt(id, bytes)).toString()) as StoredSaga);
    } catch (error) {
      log.write("ERROR", "saga", `Cannot read the saga '${id}': ${(error as Error).message}`);
    }
  }

  async #end(id: string, saga: StoredSaga): Promise<void> {
    const { cluster, log } = this.#parts;
    this.#ending.add(id);
    const outcome = saga.outcome ?? "compensation";
    try {
      // From now on, this node is responsible for the saga, even if the slot moves.
      await this.#store(id, { ...saga, outcome, boot: cluster.boot });
      log.write("WARN", "saga", `The node that ran saga ${id} is gone; starting the ${outcome} of its participants (${saga.parts.length})`);
      let previous: Promise<void> | undefined;
      for (const { step, envelope } of saga.parts.toReversed()) previous = this.#notify(id, step, outcome, envelope, previous);
      await previous;
      this.remove(id);
    } catch (error) {
      log.write("WARN", "saga", `Cannot end saga ${id}, whose node is gone: ${(error as Error).message}; retrying`);
      await pauseBeforeRetry();
    } finally {
      this.#ending.delete(id);
    }
  }

  async #notify(id: string, step: SagaStep, outcome: SagaOutcome, envelope: string, previous: Promise<void> | undefined): Promise<void> {
    const notify = this.#steps.get(keyOf(step));
    if (notify !== undefined) return notify(outcome, restoreMessage({ kind: "none", body: new Uint8Array(), envelope }).message.headers, previous);
    this.#parts.log.write("ERROR", step.routeId, `Skipped a ${outcome} of saga ${id}: step '${step.stepId}' of route '${step.routeId}' is not deployed`);
    await previous;
  }

  async #store(id: string, saga: StoredSaga): Promise<void> {
    const { cluster, cipher } = this.#parts;
    try {
      await cluster.records.write(collection, id, cipher.encrypt(id, Buffer.from(JSON.stringify(saga))));
    } catch (cause) {
      throw new FlowError("java.io.IOException", `the saga cannot be stored in the cluster: ${(cause as Error).message}`, {
        code: "store-failed",
        retryable: true,
        cause,
      });
    }
  }
}

const keyOf = ({ flowId, routeId, stepId }: SagaStep): string => JSON.stringify([flowId, routeId, stepId]);
