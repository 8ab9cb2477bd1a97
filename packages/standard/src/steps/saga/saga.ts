import { defineStep, ending, FlowError, Headers, Message, onExchangeEnd, type Awaitable, type Compiler, type Exchange, type Outlet } from "@sluice/engine/spi";
import { copyExchange, type SagaOutcome, type SagaStep, type SagaStore } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { f, type StepNode } from "@sluice/model";
import { settle } from "../settle.ts";
import { withRetries } from "./with-retries.ts";
import { sagaCoordinator, sagaHeader, type Participant, type SagaCoordinator } from "./saga-coordinator.ts";

const memoryService = "#class:org.apache.camel.saga.InMemorySagaService";

const address = (doc: string) => f.uri({ doc });

/** Runs steps whose work is compensated when a later part fails. The coordinator is in this process. */
export const saga = defineStep({
  name: "saga",
  title: "Saga",
  summary: "Makes steps part of a saga: when a later part fails, completed parts are compensated.",
  guarantees:
    "Each registered endpoint is called once per outcome, compensations in reverse order; a call is attempted up to five times, five seconds apart. Compensation and completion run after the saga has ended, as separate runs. Sagas are stored in memory: open sagas are lost in a crash. In a cluster, they are also written to the store of the cluster before the steps run: if the node fails, another node compensates the saga, or completes it if it had succeeded; endpoints may then be called twice. At most 50,000 sagas can be open; above this limit, the oldest saga is compensated and a warning is logged.",
  group: "resilience",
  icon: "book-open",
  paletteGroup: "errors",
  card: { title: "All or nothing" },
  since: "0.1",
  stateScope: ({ completionMode }) => (completionMode === "AUTO" ? "node" : "one"),
  adoptsSiblings: true,
  stepsTitle: "All or nothing",
  oncePerRoute: true,
  options: {
    propagation: f.enum(["REQUIRED", "REQUIRES_NEW", "MANDATORY", "SUPPORTS", "NOT_SUPPORTED", "NEVER"], {
      doc: "Whether an existing saga is joined, required or rejected.",
      default: "REQUIRED",
    }),
    sagaService: f.unsupported("sagaService refers to a Java object, but sagas are coordinated in memory; remove it"),
    completionMode: f.enum(["AUTO", "MANUAL"], {
      doc: "AUTO ends the saga after its steps; MANUAL ends it when saga:complete or saga:compensate is called.",
      default: "AUTO",
    }),
    timeout: f.duration({ doc: "Compensates a saga that has not ended after this time; 0 means no limit.", default: 0 }),
    compensation: address("Endpoint that compensates this part."),
    completion: address("Endpoint that is called after success."),
    option: f.list(
      f.object(
        {
          key: f.string({ doc: "Name of the header.", required: true }),
          expression: f.expression({ doc: "Value of the header, evaluated on entry.", required: true, inline: true }),
        },
        { doc: "One option.", required: true },
      ),
      { doc: "Headers for the compensation and completion endpoints.", default: [] },
    ),
    steps: f.steps({ doc: "The steps of the saga.", default: [] }),
  },
  examples: [{ title: "Completed saga", yaml: "saga: {completion: mock:completed, steps: [{setBody: {constant: done}}]}", expect: { body: "done" } }],
  compile({ propagation, completionMode, timeout, steps, ...participation }, compiler, node) {
    const store = compiler.registry.bean(memoryService, "saga-service") as object;
    const coordinator = sagaCoordinator(compiler.host, "write" in store ? (store as SagaStore) : undefined);
    const run = compiler.steps(steps);
    const part = participantStepOf(participation, compiler, node);
    if (part !== undefined && "register" in store) compiler.tasks.state("participant", () => new ParticipantRegistration(store as SagaStore, part));
    const timers = compiler.tasks.state("timers", () => new Timers());
    const participate = (exchange: Exchange, id: string, isOwner: boolean): Awaitable => {
      const joined = part === undefined ? undefined : coordinator.join(id, part.participantFor(exchange, id));
      if (timeout > 0) timers.add(coordinator.startTimeout(id, timeout), (forget) => coordinator.onSagaEnd(id, forget));
      const work = (): Awaitable => (joined === undefined ? run(exchange) : joined.then(() => run(exchange)));
      if (!isOwner) return work();
      return settle(
        work,
        () => {
          if (exchange.ending === ending.handled || exchange.ending === ending.rolledBack) return coordinator.finish(id, "compensation");
          return completionMode === "AUTO" ? coordinator.finish(id, "completion") : undefined;
        },
        (error) => {
          void coordinator.finish(id, "compensation");
          throw error;
        },
      );
    };
    return (exchange) => {
      const current = currentSaga(exchange, coordinator);
      if (current !== undefined && propagation === "NEVER") throw propagationError("Exchange cannot be part of a saga");
      if (current === undefined && propagation === "MANDATORY") throw propagationError("Exchange is not part of a saga");
      if (propagation === "NOT_SUPPORTED") return within(exchange, undefined, () => run(exchange));
      if (current !== undefined && propagation !== "REQUIRES_NEW") return participate(exchange, current, false);
      if (propagation === "SUPPORTS" || propagation === "NEVER") return run(exchange);
      const id = coordinator.begin(compiler.route.flowId, exchange.run.session !== undefined);
      return within(exchange, { id, handle: handleOf(id, coordinator) }, () => participate(exchange, id, true));
    };
  },
});

/** Registers a step of this deployment, so that this process can call its endpoints for the sagas of a process that crashed. */
class ParticipantRegistration {
  readonly #store: SagaStore;
  readonly #part: ParticipantStep;
  #unregister: (() => void) | undefined = undefined;

  constructor(store: SagaStore, part: ParticipantStep) {
    this.#store = store;
    this.#part = part;
  }

  start(): void {
    const { step, notify } = this.#part;
    this.#unregister = this.#store.register(step, notify);
  }

  stop(): void {
    this.#unregister?.();
  }
}

/** Timeouts of the sagas of this deployment; cancelled when the flow is removed. */
class Timers {
  readonly #cancellations = new Set<() => void>();

  add(cancel: () => void, onSagaEnd: (forget: () => void) => void): void {
    this.#cancellations.add(cancel);
    onSagaEnd(() => this.#cancellations.delete(cancel));
  }

  stop(): void {
    for (const cancel of this.#cancellations) cancel();
    this.#cancellations.clear();
  }
}

/** Only headers set by the route join a saga: a caller who guesses an id must not be able to end it. */
function currentSaga(exchange: Exchange, coordinator: SagaCoordinator): string | undefined {
  const id = asText(exchange.message.headers.getOwn(sagaHeader));
  return id !== "" && coordinator.isOpen(id) ? id : undefined;
}

/** The handle that `saga:complete` and `saga:compensate` find on the exchange. */
const sagaProperty = "SluiceSaga";

function handleOf(id: string, coordinator: SagaCoordinator): Readonly<Record<"complete" | "compensate", () => Awaitable>> {
  return { complete: () => coordinator.finish(id, "completion"), compensate: () => coordinator.finish(id, "compensation") };
}

/** Runs with another saga on the exchange, or with none, and restores the previous one afterwards. */
function within(exchange: Exchange, saga: { readonly id: string; readonly handle: unknown } | undefined, run: () => Awaitable): Awaitable {
  const previous = exchange.message.headers.get(sagaHeader);
  const previousHandle = exchange.property(sagaProperty);
  const setSaga = (id: unknown, handle: unknown): void => {
    if (id === undefined) exchange.message.headers.delete(sagaHeader);
    else exchange.message.headers.set(sagaHeader, id);
    if (handle === undefined) exchange.removeProperty(sagaProperty);
    else exchange.setProperty(sagaProperty, handle);
  };
  setSaga(saga?.id, saga?.handle);
  return settle(
    run,
    () => setSaga(previous, previousHandle),
    (error) => {
      setSaga(previous, previousHandle);
      throw error;
    },
  );
}

interface Participation {
  readonly compensation: string | undefined;
  readonly completion: string | undefined;
  readonly option: readonly { readonly key: string; readonly expression: Parameters<Compiler["expression"]>[0] }[];
}

interface ParticipantStep {
  readonly step: SagaStep;
  /** The participant for an exchange; when the saga ends, the endpoint for the outcome gets the id of the saga and the options. */
  participantFor(exchange: Exchange, id: string): Participant;
  /** Calls the endpoint for a participant of another process. */
  notify(outcome: SagaOutcome, headers: Headers, previous: Promise<void> | undefined): Promise<void>;
}

/** Undefined for a step without endpoints. */
function participantStepOf(options: Participation, compiler: Compiler, node: StepNode): ParticipantStep | undefined {
  const { host, tasks, route } = compiler;
  const outletOf = (uri: string | undefined): Outlet | undefined =>
    uri === undefined ? undefined : compiler.endpoints.to({ uri, parameters: {}, span: node.span });
  const outlets: Readonly<Record<SagaOutcome, Outlet | undefined>> = { compensation: outletOf(options.compensation), completion: outletOf(options.completion) };
  const values = options.option.map(({ key, expression }) => ({ key, value: compiler.expression(expression) }));
  if (outlets.compensation === undefined && outlets.completion === undefined) return undefined;
  const step = { flowId: route.flowId, routeId: route.id, stepId: node.id };
  const call = async (outcome: SagaOutcome, copy: Exchange, previous: Promise<void> | undefined): Promise<void> => {
    const outlet = outlets[outcome];
    if (outlet === undefined) return previous;
    const send = withRetries((exchange) => outlet.send(exchange), host.clock);
    await new Promise<void>((resolve) => {
      onExchangeEnd(copy, () => resolve());
      tasks.detach(copy, previous === undefined ? send : (exchange) => previous.then(() => send(exchange)));
    });
  };
  return {
    step,
    participantFor(exchange, id) {
      const headers = Headers.of({ [sagaHeader]: id });
      for (const { key, value } of values) headers.set(key, value(exchange));
      const notification = copyExchange(exchange, host.ids, { message: new Message(null, headers), pattern: "InOnly" });
      return { step, headers, notify: (outcome, previous) => call(outcome, notification, previous) };
    },
    notify: (outcome, headers, previous) => call(outcome, tasks.restore(new Message(null, headers)), previous),
  };
}

function propagationError(message: string): FlowError {
  return new FlowError("org.apache.camel.CamelExchangeException", message, { code: "saga-propagation" });
}
