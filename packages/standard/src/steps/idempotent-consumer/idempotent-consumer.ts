import { defineStep, ending, FlowError, onExchangeEnd, type Awaitable, type Exchange, type IdempotentRepository } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { memoryIdempotentRepository } from "../../beans/memory-idempotent-repository.ts";
import { sessionKey } from "../session-key.ts";
import { after, settle } from "../settle.ts";

/** Maximum number of keys of test sessions. */
const maxSessionKeys = 10_000;

/** Runs its steps once per key. The key is released when the exchange fails, so that a retry is processed. */
export const idempotentConsumer = defineStep({
  name: "idempotentConsumer",
  title: "Idempotent consumer",
  summary: "Skips messages that were already processed.",
  guarantees:
    "With eager=true, the steps run for only one of several concurrent messages with the same key. The repository determines how long keys are stored. The memory repository stores only the newest keys and loses them on a restart; in a cluster, the nodes share them for one day. A database or Redis repository keeps them across restarts and shares them between runtimes. If the runtime crashes during a run with eager=true, a persistent repository still contains the key, so a redelivery of the message is skipped as a duplicate. With eager=false, it is processed again.",
  group: "resilience",
  icon: "fingerprint",
  paletteGroup: "decide",
  card: { title: "Only once", subtitle: "by {expression}" },
  since: "0.1",
  keywords: ["dedupe", "duplicate", "once"],
  stateScope: "shared",
  adoptsSiblings: true,
  options: {
    expression: f.expression({ doc: "The key that identifies a message.", required: true, inline: true }),
    idempotentRepository: f.string({ doc: "Where keys are stored: the name of a bean, or #class:<type>.", required: true }),
    eager: f.boolean({ doc: "Stores the key on entry, so that a concurrent message with the same key counts as a duplicate.", default: true }),
    completionEager: f.boolean({ doc: "Confirms the key at the end of the block instead of at the end of the exchange.", default: false }),
    skipDuplicate: f.boolean({
      doc: "Skips the steps for duplicates. If false, the steps also run for duplicates, which have the property CamelDuplicateMessage.",
      default: true,
    }),
    removeOnFailure: f.boolean({ doc: "Removes the key when the exchange fails.", default: true }),
    steps: f.steps({ doc: "Steps for new messages.", default: [] }),
  },
  examples: [
    {
      title: "Once per order",
      yaml: `idempotentConsumer: {header: orderId, idempotentRepository: "#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository", steps: [{setBody: {constant: done}}]}`,
      given: { headers: { orderId: "7" } },
      expect: { body: "done" },
    },
  ],
  compile({ expression, idempotentRepository, eager, completionEager, skipDuplicate, removeOnFailure, steps }, compiler) {
    const keyOf = compiler.expression(expression);
    const run = compiler.steps(steps);
    const liveRepository = compiler.registry.bean(idempotentRepository, "idempotent-repository") as IdempotentRepository;
    const sessionRepository = repositoryForSessions(liveRepository);
    const repositoryFor = ({ run: { session } }: Exchange): IdempotentRepository => (session === undefined ? liveRepository : sessionRepository);
    const finishKey = (repository: IdempotentRepository, key: string, failed: boolean): Awaitable => {
      if (failed && removeOnFailure) return repository.remove(key);
      if (eager) return repository.confirm(key);
      return failed ? undefined : after(repository.add(key), () => undefined);
    };
    return (exchange) => {
      const id = asText(keyOf(exchange));
      if (id === "")
        throw new FlowError("org.apache.camel.processor.idempotent.NoMessageIdException", `No message ID could be found using expression: ${expression.text}`, {
          code: "message-id-missing",
        });
      const key = sessionKey(exchange, id);
      const repository = repositoryFor(exchange);
      if (eager) return after(repository.add(key), (added) => proceed(exchange, key, added));
      return after(repository.contains(key), (isDuplicate) => proceed(exchange, key, !isDuplicate));
    };

    function proceed(exchange: Exchange, key: string, isNew: boolean): Awaitable {
      const repository = repositoryFor(exchange);
      if (!isNew) {
        exchange.setProperty("CamelDuplicateMessage", true);
        return skipDuplicate ? exchange.discard() : run(exchange);
      }
      if (!completionEager) {
        onExchangeEnd(exchange, (ended) => finishKey(repository, key, hasFailed(ended)));
        return run(exchange);
      }
      return settle(
        () => run(exchange),
        () => finishKey(repository, key, hasFailed(exchange)),
        (error) =>
          after(finishKey(repository, key, true), () => {
            throw error;
          }),
      );
    }
  },
});

const sessionRepositories = new WeakMap<IdempotentRepository, IdempotentRepository>();

/** Test sessions must not add keys to a live repository. Steps that share a live repository also share the one for sessions. */
function repositoryForSessions(live: IdempotentRepository): IdempotentRepository {
  const existing = sessionRepositories.get(live);
  if (existing !== undefined) return existing;
  const created = live.forSessions?.() ?? memoryIdempotentRepository(maxSessionKeys);
  sessionRepositories.set(live, created);
  return created;
}

/** A handled failure still counts as failed: the work was not done. */
function hasFailed(exchange: Exchange): boolean {
  return exchange.failure !== undefined || exchange.ending === ending.handled || exchange.ending === ending.rolledBack;
}
