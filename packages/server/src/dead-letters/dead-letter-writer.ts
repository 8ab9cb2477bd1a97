// Stores messages sent to `sluice:dead-letters`: the message as it failed and, if available, as it entered the route.
import { storeMessage, type DeadLetters, type Failure, type StoredMessage } from "@sluice/connectors";
import type { Exchange, FlowError, Message } from "@sluice/engine";
import type { DeadLetterSource } from "./dead-letter-store.ts";

/** Marks a replayed dead letter, so that failing again updates it instead of creating a second one. */
export const letterProperty = "SluiceDeadLetterId";

export interface DeadLetterWriter extends DeadLetters {
  /** How often each dead letter in replay failed again in its own route. */
  readonly repeatFailures: Map<string, number>;
}

export function createDeadLetterWriter(source: DeadLetterSource, maxMessageBytes: number): DeadLetterWriter {
  const repeatFailures = new Map<string, number>();
  return {
    repeatFailures,
    async keep(exchange, exhausted) {
      const deadLetters = await source.open();
      const { run } = exchange;
      const failure = failureOf(exchange.failure ?? exchange.caught, exchange);
      const replayed = exchange.property(letterProperty);
      if (typeof replayed === "string" && repeatFailures.has(replayed) && (await deadLetters.find(replayed))?.routeId === run.route.id) {
        await deadLetters.failedAgain(replayed, failure, run.id);
        repeatFailures.set(replayed, (repeatFailures.get(replayed) ?? 0) + 1);
        return;
      }
      const stored = (message: Message): StoredMessage => storeMessage(message, contextOf(exchange), maxMessageBytes);
      const facts = {
        route: run.route,
        runId: run.id,
        attempts: exhausted?.attempts ?? run.redeliveries + 1,
        failure,
        source: exhausted === undefined ? "sluice:dead-letters" : run.trigger.uri,
        input: exhausted === undefined ? inputOf(exchange, stored) : undefined,
      };
      await deadLetters.add(stored(exhausted?.message ?? exchange.message), facts);
    },
  };
}

/** The message as it entered the route, if it differs. Inside a `direct:` call it belongs to the calling route and cannot be used. */
function inputOf({ original, message, run }: Exchange, stored: (message: Message) => StoredMessage): StoredMessage | undefined {
  if (original === undefined || original === message || run.parent !== undefined) return undefined;
  const [before, after] = [stored(original), stored(message)];
  const same = before.kind === after.kind && before.envelope === after.envelope && Buffer.compare(before.body, after.body) === 0;
  return same ? undefined : before;
}

function contextOf({ run, properties }: Exchange): {
  properties: Exchange["properties"];
  correlationId: string;
  trigger: Exchange["run"]["trigger"];
  session: Exchange["run"]["session"];
} {
  return { properties, correlationId: run.chainId, trigger: run.trigger, session: run.session };
}

/** The failure as stored in a dead letter. */
export function failureOf(error: FlowError | undefined, exchange: Exchange): Failure {
  if (error === undefined)
    return { type: "none", message: "the route sent the message without a failure", stepId: exchange.at?.id, routeId: exchange.run.route.id };
  return { type: error.type, message: error.message, stepId: error.stepId, routeId: error.routeId };
}
