// What reaches `sluice:dead-letters`, put on disk: the message as it failed, and as it entered the route where that is known.
import { storeMessage, type DeadLetters, type Failure, type StoredMessage } from "@sluice/connectors";
import type { Exchange, FlowError, Message } from "@sluice/engine";
import type { DurableStore } from "../store/durable-store.ts";

/** A replayed letter carries its id along, so that failing again does not make a second one. */
export const letterProperty = "SluiceDeadLetterId";

export interface LetterKeeper extends DeadLetters {
  /** How often a letter was kept again by its own route, for whoever replays it. */
  readonly keptAgain: Map<string, number>;
}

export function letterKeeper(store: DurableStore, maxMessageBytes: number): LetterKeeper {
  const keptAgain = new Map<string, number>();
  return {
    keptAgain,
    async keep(exchange) {
      const { deadLetters } = await store.open();
      const { run } = exchange;
      const failure = failureOf(exchange.caught, exchange);
      const replayed = exchange.property(letterProperty);
      if (typeof replayed === "string" && keptAgain.has(replayed) && deadLetters.find(replayed)?.routeId === run.route.id) {
        await deadLetters.failedAgain(replayed, failure, run.id);
        keptAgain.set(replayed, (keptAgain.get(replayed) ?? 0) + 1);
        return;
      }
      const stored = (message: Message): StoredMessage => storeMessage(message, companyOf(exchange), maxMessageBytes);
      const facts = {
        route: run.route,
        runId: run.id,
        attempts: run.redeliveries + 1,
        failure,
        source: "sluice:dead-letters",
        input: inputOf(exchange, stored),
      };
      await deadLetters.add(stored(exchange.message), facts);
    },
  };
}

/** The message as it entered, when it is another; below a `direct:` call it is the calling route's and of no use here. */
function inputOf({ original, message, run }: Exchange, stored: (message: Message) => StoredMessage): StoredMessage | undefined {
  if (original === undefined || original === message || run.parent !== undefined) return undefined;
  const [before, after] = [stored(original), stored(message)];
  const same = before.kind === after.kind && before.envelope === after.envelope && Buffer.compare(before.body, after.body) === 0;
  return same ? undefined : before;
}

function companyOf({ run, properties }: Exchange): {
  properties: Exchange["properties"];
  correlationId: string | undefined;
  trigger: Exchange["run"]["trigger"];
  session: Exchange["run"]["session"];
} {
  return { properties, correlationId: run.correlationId, trigger: run.trigger, session: run.session };
}

/** A failure as a letter tells it. */
export function failureOf(error: FlowError | undefined, exchange: Exchange): Failure {
  if (error === undefined)
    return { type: "none", message: "the route sent the message here without a failure", stepId: exchange.at?.id, routeId: exchange.run.route.id };
  return { type: error.type, message: error.message, stepId: error.stepId, routeId: error.routeId };
}
