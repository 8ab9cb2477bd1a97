import { defineStep, ending, FlowError, Headers, Message, type Awaitable, type Compiler, type Exchange, type Outlet } from "@sluice/engine/spi";
import { copyExchange } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { f, type StepNode } from "@sluice/model";
import { settle } from "../settle.ts";
import { retrying } from "./retrying.ts";
import { sagaCoordinator, sagaHeader, type Outcome, type SagaCoordinator } from "./saga-coordinator.ts";

const address = (doc: string) => f.uri({ doc });

/** Work that is compensated when a later part fails. The coordinator is in this process. */
export const saga = defineStep({
  name: "saga",
  title: "Saga",
  summary: "Makes steps part of a saga: when a later part fails, completed parts are compensated.",
  guarantees:
    "Each registered endpoint is called once per outcome, compensations in reverse order; a call is attempted up to five times, five seconds apart. Compensation and completion run after the saga has ended, as separate runs. Sagas are stored in memory: open sagas are lost in a crash. At most 50,000 are open; above that the oldest is compensated and a warning is logged.",
  group: "resilience",
  icon: "book-open",
  paletteGroup: "errors",
  card: { title: "All or nothing" },
  since: "0.1",
  stateScope: "one",
  adoptsSiblings: true,
  stepsTitle: "All or nothing",
  oncePerRoute: true,
  options: {
    propagation: f.enum(["REQUIRED", "REQUIRES_NEW", "MANDATORY", "SUPPORTS", "NOT_SUPPORTED", "NEVER"], {
      doc: "Whether an existing saga is joined, required or rejected.",
      default: "REQUIRED",
    }),
    sagaService: f.unsupported("sagaService refers to a Java object; remove it; sagas are coordinated in memory"),
    completionMode: f.enum(["AUTO", "MANUAL"], {
      doc: "AUTO ends the saga with its steps; MANUAL when saga:complete or saga:compensate is called.",
      default: "AUTO",
    }),
    timeout: f.duration({ doc: "Compensates a saga that has not ended by then.", default: 0 }),
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
    const coordinator = sagaCoordinator(compiler.host);
    const run = compiler.steps(steps);
    const join = participant(participation, compiler, node, coordinator);
    const timers = compiler.tasks.state("timers", () => new Timers());
    const work = (exchange: Exchange, id: string, isOwner: boolean): Awaitable => {
      join(exchange, id);
      if (timeout > 0) timers.add(coordinator.limit(id, timeout), (forget) => coordinator.whenOver(id, forget));
      if (!isOwner) return run(exchange);
      return settle(
        () => run(exchange),
        () => {
          if (exchange.ending === ending.handled || exchange.ending === ending.rolledBack) coordinator.finish(id, "compensation");
          else if (completionMode === "AUTO") coordinator.finish(id, "completion");
        },
        (error) => {
          coordinator.finish(id, "compensation");
          throw error;
        },
      );
    };
    return (exchange) => {
      const current = currentSaga(exchange, coordinator);
      if (current !== undefined && propagation === "NEVER") throw propagationError("Exchange cannot be part of a saga");
      if (current === undefined && propagation === "MANDATORY") throw propagationError("Exchange is not part of a saga");
      if (propagation === "NOT_SUPPORTED") return within(exchange, undefined, () => run(exchange));
      if (current !== undefined && propagation !== "REQUIRES_NEW") return work(exchange, current, false);
      if (propagation === "SUPPORTS" || propagation === "NEVER") return run(exchange);
      const id = coordinator.begin();
      return within(exchange, { id, handle: handleOf(id, coordinator) }, () => work(exchange, id, true));
    };
  },
});

/** Timeouts of the sagas of this deployment; cancelled when the flow is removed. */
class Timers {
  readonly #cancellations = new Set<() => void>();

  add(cancel: () => void, whenOver: (forget: () => void) => void): void {
    this.#cancellations.add(cancel);
    whenOver(() => this.#cancellations.delete(cancel));
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

function handleOf(id: string, coordinator: SagaCoordinator): Readonly<Record<"complete" | "compensate", () => void>> {
  return { complete: () => void coordinator.finish(id, "completion"), compensate: () => void coordinator.finish(id, "compensation") };
}

/** Runs with another saga on the exchange and restores the previous one afterwards. */
function within(exchange: Exchange, saga: { readonly id: string; readonly handle: unknown } | undefined, run: () => Awaitable): Awaitable {
  const former = exchange.message.headers.get(sagaHeader);
  const formerHandle = exchange.property(sagaProperty);
  const setSaga = (id: unknown, handle: unknown): void => {
    if (id === undefined) exchange.message.headers.delete(sagaHeader);
    else exchange.message.headers.set(sagaHeader, id);
    if (handle === undefined) exchange.removeProperty(sagaProperty);
    else exchange.setProperty(sagaProperty, handle);
  };
  setSaga(saga?.id, saga?.handle);
  return settle(
    run,
    () => setSaga(former, formerHandle),
    (error) => {
      setSaga(former, formerHandle);
      throw error;
    },
  );
}

interface Participation {
  readonly compensation: string | undefined;
  readonly completion: string | undefined;
  readonly option: readonly { readonly key: string; readonly expression: Parameters<Compiler["expression"]>[0] }[];
}

/** Registers an exchange with a saga; when the saga ends, the endpoint for the outcome gets the id of the saga and the options. */
function participant(options: Participation, compiler: Compiler, node: StepNode, coordinator: SagaCoordinator): (exchange: Exchange, id: string) => void {
  const { host, tasks } = compiler;
  const open = (uri: string | undefined): Outlet | undefined =>
    uri === undefined ? undefined : compiler.endpoints.to({ uri, parameters: {}, span: node.span });
  const outlets: Readonly<Record<Outcome, Outlet | undefined>> = { compensation: open(options.compensation), completion: open(options.completion) };
  const values = options.option.map(({ key, expression }) => ({ key, value: compiler.expression(expression) }));
  if (outlets.compensation === undefined && outlets.completion === undefined) return () => undefined;
  return (exchange, id) => {
    const headers = Headers.of({ [sagaHeader]: id });
    for (const { key, value } of values) headers.set(key, value(exchange));
    const entered = copyExchange(exchange, host.ids, { message: new Message(null, headers), pattern: "InOnly" });
    coordinator.join(id, (outcome) => {
      const outlet = outlets[outcome];
      if (outlet !== undefined)
        tasks.detach(
          entered,
          retrying((copy) => outlet.send(copy), host.clock),
        );
    });
  };
}

function propagationError(message: string): FlowError {
  return new FlowError("org.apache.camel.CamelExchangeException", message, { code: "saga-propagation" });
}
