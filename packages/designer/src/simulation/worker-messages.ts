// Requests to the worker and their results.
import type { Evaluation, EvaluationRequest } from "./evaluate.ts";
import type { SimulationRequest, SimulationResult } from "./simulate.ts";
import type { TestsRequest } from "./simulate-tests.ts";
import type { FileResult } from "./test-result.ts";

export interface Work {
  readonly simulate: { readonly request: SimulationRequest; readonly result: SimulationResult };
  readonly tests: { readonly request: TestsRequest; readonly result: readonly FileResult[] };
  readonly evaluate: { readonly request: EvaluationRequest; readonly result: Evaluation };
}

export type WorkerRequest = { readonly [K in keyof Work]: { readonly kind: K; readonly number: number; readonly request: Work[K]["request"] } }[keyof Work];

export type WorkerMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly number: number; readonly result: unknown }
  | { readonly kind: "crashed"; readonly number: number; readonly message: string };
