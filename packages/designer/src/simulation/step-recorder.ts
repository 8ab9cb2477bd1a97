// Records every step of a simulated run: the message before and after it, its failure, its duration, and whether a mock replaced an external system.
import { toFlowError, type Exchange, type Processor, type Tap } from "@sluice/engine";
import type { StepNode } from "@sluice/model";
import { shownMessage, type ShownMessage } from "./shown-message.ts";

export interface SimulatedStep {
  readonly runId: string;
  readonly routeId: string;
  readonly stepId: string;
  readonly kind: string;
  /** Position of the step in the text. */
  readonly offset: number;
  readonly attempt: number;
  readonly before: ShownMessage;
  after: ShownMessage | undefined;
  error: { readonly type: string; readonly message: string } | undefined;
  durationMs: number;
  /** The mock that was used. */
  mock: string | undefined;
  /** An external call without a mock: the message continued unchanged. */
  unmocked: boolean;
}

const maxSteps = 500;

export class StepRecorder {
  readonly steps: SimulatedStep[] = [];
  /** Number of executed steps that were not recorded. */
  omitted = 0;
  readonly #activeSteps = new WeakMap<Exchange, SimulatedStep[]>();

  readonly tap: Tap = { layer: 20, covers: () => true, step: (next, node, route) => this.#record(next, node, route.id) };

  /** Marks the current step: a mock was used, or none was found. */
  mark(exchange: Exchange, mark: { readonly mock?: string; readonly unmocked?: true }): void {
    for (let current: Exchange | undefined = exchange; current !== undefined; current = current.parent) {
      const step = this.#activeSteps.get(current)?.at(-1);
      if (step === undefined) continue;
      step.mock ??= mark.mock;
      step.unmocked ||= mark.unmocked === true;
      return;
    }
  }

  #record(next: Processor, node: StepNode, routeId: string): Processor {
    return (exchange) => {
      if (this.steps.length >= maxSteps) {
        this.omitted++;
        return next(exchange);
      }
      const step: SimulatedStep = {
        runId: exchange.run.id,
        routeId,
        stepId: node.id,
        kind: node.name,
        offset: node.span.start,
        attempt: exchange.attempt,
        before: shownMessage(exchange),
        after: undefined,
        error: undefined,
        durationMs: 0,
        mock: undefined,
        unmocked: false,
      };
      this.steps.push(step);
      const activeSteps = this.#activeSteps.get(exchange) ?? [];
      this.#activeSteps.set(exchange, activeSteps);
      activeSteps.push(step);
      const startTime = performance.now();
      const finish = (error?: unknown): void => {
        step.durationMs = performance.now() - startTime;
        activeSteps.splice(activeSteps.lastIndexOf(step), 1);
        step.after = shownMessage(exchange);
        if (error === undefined) return;
        const { type, message } = toFlowError(error);
        step.error = { type, message };
      };
      let pending: void | Promise<void>;
      try {
        pending = next(exchange);
      } catch (error) {
        finish(error ?? new Error("the step threw no error object"));
        throw error;
      }
      if (pending === undefined) return finish();
      return pending.then(
        () => finish(),
        (error: unknown) => {
          finish(error ?? new Error("the step threw no error object"));
          throw error;
        },
      );
    };
  }
}
