// Evaluates one expression for one message with the engine: it runs a flow of a single step. The message is the one that reaches the expression's
// step when the sample runs through the flow.
import type { BodyType } from "@sluice/engine/values";
import { simulate, type SimulationRequest, type SimulationResult } from "./simulate.ts";
import type { ShownMessage } from "./shown-message.ts";
import type { SimulatedStep } from "./step-recorder.ts";

/** The parts of a message that an expression can read. */
export type ExpressionMessage = Pick<ShownMessage, "body"> & Partial<Pick<ShownMessage, "headers" | "properties" | "variables">>;

export interface EvaluationRequest {
  readonly language: string;
  /** The language's value as written: a string, or a mapping with options. */
  readonly expression: unknown;
  /** The flow and its sample. */
  readonly flow: SimulationRequest;
  /** Position of the expression's step in the text; without it, the input message is used. */
  readonly step: { readonly start: number; readonly end: number } | undefined;
  /** Takes precedence over the message from the sample. */
  readonly message: ExpressionMessage | undefined;
}

export type Evaluation =
  /** The sample does not reach this step. */
  | { readonly kind: "unreached" }
  | { readonly kind: "value"; readonly value: unknown; readonly type: BodyType; readonly message: ExpressionMessage }
  | { readonly kind: "error"; readonly error: string; readonly message: ExpressionMessage };

export async function evaluate({ language, expression, flow, step, message: recordedMessage }: EvaluationRequest): Promise<Evaluation> {
  const simulation = await simulate(flow);
  const message = recordedMessage ?? messageAt(simulation, flow, step);
  if (message === undefined) return { kind: "unreached" };
  const { body, headers = {}, properties = {}, variables = {} } = message;
  const isCondition = simulation.conditions.some((text) => isText(expression, text));
  const steps = [isCondition ? conditionStep({ [language]: expression }) : { setBody: { [language]: expression } }];
  const source = JSON.stringify([{ route: { id: routeId, from: { uri: "direct:expression", steps } } }]);
  const { tables, mappings, params } = flow;
  const documents = {
    ...(tables === undefined ? {} : { tables }),
    ...(mappings === undefined ? {} : { mappings }),
    ...(params === undefined ? {} : { params }),
  };
  const sample = { routeId, body, headers, properties, variables };
  const { diagnostics, outcome } = await simulate({ flowId: routeId, source, ...documents, sample, mocks: [] });
  const error = diagnostics[0]?.message ?? outcome?.error?.message;
  if (error !== undefined || outcome === undefined) return { kind: "error", error: error ?? "", message };
  if (isCondition) return { kind: "value", value: outcome.body === "true", type: "boolean", message };
  return { kind: "value", value: outcome.body, type: outcome.bodyType as BodyType, message };
}

const routeId = "expression";

/** A step that evaluates a condition. */
const conditionStep = (condition: Readonly<Record<string, unknown>>) => ({
  choice: { when: [{ ...condition, steps: [{ setBody: { constant: "true" } }] }], otherwise: { steps: [{ setBody: { constant: "false" } }] } },
});

/** Whether this is the text of the expression, alone or among its options. */
const isText = (expression: unknown, text: string): boolean =>
  expression === text || (typeof expression === "object" && expression !== null && Object.values(expression).includes(text));

/** A flow that cannot run, e.g. while an expression is being typed, uses the sample everywhere. */
function messageAt({ diagnostics, input, steps }: SimulationResult, flow: SimulationRequest, step: EvaluationRequest["step"]): ExpressionMessage | undefined {
  if (diagnostics.length > 0) return { body: flow.sample.body, headers: flow.sample.headers };
  return step === undefined ? input : outermost(steps, step)?.before;
}

/** The last execution of the step itself, not of an inner step. */
function outermost(steps: readonly SimulatedStep[], { start, end }: { readonly start: number; readonly end: number }): SimulatedStep | undefined {
  const inside = steps.filter(({ offset }) => start <= offset && offset < end);
  const first = Math.min(...inside.map(({ offset }) => offset));
  return inside.findLast(({ offset }) => offset === first);
}
