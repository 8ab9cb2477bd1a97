// Stores messages sent to `sluice:dead-letters`: the message as it failed and, if available, as it entered the route.
import { storeMessage, type DeadLetters, type Failure, type StoredMessage } from "@sluice/connectors";
import type { Exchange, FlowError, Message } from "@sluice/engine";
import type { DeadLetterSource } from "./dead-letter-store.ts";

/** Marks a replayed dead letter, so that failing again updates it instead of creating a second one. */
export const deadLetterProperty = "SluiceDeadLetterId";

export interface DeadLetterWriter extends DeadLetters {
  /** For each dead letter that is being replayed: how often it failed again in its own route. */
  readonly repeatFailures: Map<string, number>;
}

export function createDeadLetterWriter(source: DeadLetterSource, maxMessageBytes: number): DeadLetterWriter {
  const repeatFailures = new Map<string, number>();
  return {
    repeatFailures,
    async store(exchange, exhausted) {
      const deadLetters = await source.open();
      const { run } = exchange;
      const failure = failureOf(exchange.failure ?? exchange.caught, exchange);
      const replayedId = exchange.property(deadLetterProperty);
      if (typeof replayedId === "string" && repeatFailures.has(replayedId) && (await deadLetters.find(replayedId))?.routeId === run.route.id) {
        await deadLetters.recordFailedReplay(replayedId, failure, run.id);
        repeatFailures.set(replayedId, (repeatFailures.get(replayedId) ?? 0) + 1);
        return;
      }
      const toStored = (message: Message): StoredMessage => storeMessage(message, contextOf(exchange), maxMessageBytes);
      const metadata = {
        route: run.route,
        runId: run.id,
        attempts: exhausted?.attempts ?? run.redeliveries + 1,
        failure,
        source: exhausted === undefined ? "sluice:dead-letters" : run.trigger.uri,
        input: exhausted === undefined ? inputOf(exchange, toStored) : undefined,
      };
      await deadLetters.add(toStored(exhausted?.message ?? exchange.message), metadata);
    },
  };
}

/** The message as it entered the route, if it differs. Inside a `direct:` call it belongs to the calling route and cannot be used. */
function inputOf({ original, message, run }: Exchange, toStored: (message: Message) => StoredMessage): StoredMessage | undefined {
  if (original === undefined || original === message || run.parent !== undefined) return undefined;
  const [before, after] = [toStored(original), toStored(message)];
  const isSame = before.kind === after.kind && before.envelope === after.envelope && Buffer.compare(before.body, after.body) === 0;
  return isSame ? undefined : before;
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
