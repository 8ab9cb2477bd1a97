// Runs the flow while it is edited: a sample message, mock responses, and the result of the current text. Runs shortly after the last change without
// blocking typing; results for outdated text are discarded.
import { createStore, type StoreApi } from "zustand/vanilla";
import type { MockBody, Outline, Path, RouteOutline } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import type { Editor } from "../document/editor.ts";
import { pathAtOffset } from "../document/open-flow.ts";
import type { Evaluation, EvaluationRequest } from "../simulation/evaluate.ts";
import type { SimulationRequest, SimulationResult } from "../simulation/simulate.ts";
import { runtimeConnectorsOf } from "../simulation/runtime-connectors.ts";
import { SimulationStopped, type Simulator } from "../simulation/simulator.ts";
import type { SimulatedStep } from "../simulation/step-recorder.ts";
import type { FileResult, TestFile } from "../simulation/test-result.ts";
import type { PartialMessage } from "./message-text.ts";
import { emptySample, routeOf, sampleOf, type SampleDraft } from "./sample-draft.ts";

/** A simulated step and its card. */
export interface TrialStep extends SimulatedStep {
  readonly path: Path | undefined;
}

/** The mock response of a step. */
export interface MockResponse {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly origin: "typed" | "run";
}

/** Keys are `routeId/stepId`. */
export type MockResponses = Readonly<Record<string, MockResponse>>;

export const responseKey = (routeId: string, stepId: string): string => `${routeId}/${stepId}`;

/** The steps that the sample visits. */
export interface VisitedSteps {
  readonly steps: readonly TrialStep[];
  readonly input: PartialMessage | undefined;
  /** True for a flow that cannot run, e.g. while an expression is being typed: the sample itself is then used at every step. */
  readonly isFallback: boolean;
}

export interface TestRun {
  readonly by: "simulation" | "runtime";
  readonly files: readonly FileResult[];
}

export interface TrialState {
  readonly sample: SampleDraft;
  readonly responses: MockResponses;
  /** Whether the flow runs again on each change. */
  readonly isOn: boolean;
  readonly isBusy: boolean;
  readonly result: SimulationResult | undefined;
  readonly steps: readonly TrialStep[];
  /** Why there is no result for the current text. */
  readonly problem: string | undefined;
  /** Index in `steps` of the step whose message is shown. */
  readonly selectedIndex: number | undefined;
  readonly testFiles: readonly TestFile[] | undefined;
  readonly testRun: TestRun | undefined;
  readonly areTestsLive: boolean;
  readonly areTestsBusy: boolean;
}

export interface TrialParts {
  readonly simulator: Simulator;
  /** Undefined until the catalog is loaded. */
  catalog(): FlowCatalog | undefined;
  readTests(flowId: string): Promise<readonly TestFile[]>;
  readDocuments(kind: "value-mappings" | "message-mappings"): Promise<Readonly<Record<string, string>>>;
  readonly labels: { readonly noRoute: string; readonly tooLong: string };
}

interface MappingTexts {
  readonly tables: Readonly<Record<string, string>>;
  readonly mappings: Readonly<Record<string, string>>;
}

const debounceMs = 150;

export class Trial {
  readonly store: StoreApi<TrialState>;
  readonly #editor: Editor;
  readonly #parts: TrialParts;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Number of the latest run; earlier ones that are still reading documents are dropped. */
  #latestRun = 0;

  constructor(editor: Editor, parts: TrialParts) {
    this.#editor = editor;
    this.#parts = parts;
    this.store = createStore<TrialState>(() => ({
      sample: emptySample,
      responses: {},
      isOn: false,
      isBusy: false,
      result: undefined,
      steps: [],
      problem: undefined,
      selectedIndex: undefined,
      testFiles: undefined,
      testRun: undefined,
      areTestsLive: false,
      areTestsBusy: false,
    }));
  }

  /** Follows the editor's text until the returned function is called. Starts with a run, because tables may have changed on another screen. */
  follow(): () => void {
    this.#scheduleRun();
    const stop = this.#editor.store.subscribe((state, before) => {
      if (state.flow.text !== before.flow.text) this.#scheduleRun();
    });
    return () => {
      stop();
      clearTimeout(this.#timer);
    };
  }

  /** Runs the trial now, and again on each change until it is switched off. */
  start(): void {
    this.store.setState({ isOn: true });
    void this.run();
  }

  stop(): void {
    this.store.setState({ isOn: false, isBusy: false, result: undefined, steps: [], problem: undefined, selectedIndex: undefined });
  }

  setSample(change: Partial<SampleDraft>): void {
    this.store.setState(({ sample }) => ({ sample: { ...sample, origin: "", ...change } }));
    if (this.store.getState().isOn) this.#scheduleRun();
  }

  /** Sets the response of a step; undefined removes it. */
  setResponse(key: string, response: MockResponse | undefined): void {
    const { [key]: _, ...others } = this.store.getState().responses;
    this.setResponses(response === undefined ? others : { ...others, [key]: response });
  }

  setResponses(responses: MockResponses): void {
    this.store.setState({ responses });
    if (this.store.getState().isOn) this.#scheduleRun();
  }

  show(selectedIndex: number | undefined): void {
    this.store.setState({ selectedIndex });
    const path = selectedIndex === undefined ? undefined : this.store.getState().steps[selectedIndex]?.path;
    if (path !== undefined) this.#editor.select(path);
  }

  setTestsLive(areTestsLive: boolean): void {
    this.store.setState({ areTestsLive });
    if (areTestsLive) void this.runTests();
  }

  async loadTests(): Promise<readonly TestFile[]> {
    const testFiles = await this.#parts.readTests(this.#editor.id).catch(() => []);
    this.store.setState({ testFiles });
    return testFiles;
  }

  showTests(testRun: TestRun): void {
    this.store.setState({ testRun });
  }

  async run(): Promise<void> {
    const { lastValid, text } = this.#editor.flow;
    const { sample, responses } = this.store.getState();
    const route = routeOf(lastValid?.outline.routes ?? [], sample);
    // While the text cannot be parsed, the last result stays visible.
    if (lastValid === undefined || lastValid.text !== text) return;
    if (route === undefined) return this.store.setState({ isBusy: false, problem: this.#parts.labels.noRoute, result: undefined, steps: [] });
    this.store.setState({ isBusy: true });
    const number = ++this.#latestRun;
    const request = await this.#request(text, route, sample, responses);
    if (number !== this.#latestRun) return;
    await this.#parts.simulator.run("simulate", request).then(
      (result) => this.#applyResult(text, lastValid.outline, result),
      (error: unknown) => this.#fail(text, error),
    );
  }

  /** The steps that the sample visits, without changing the state of the trial; undefined when they are not known. */
  async visitedSteps(): Promise<VisitedSteps | undefined> {
    const { lastValid, text } = this.#editor.flow;
    const { sample, responses } = this.store.getState();
    const route = routeOf(lastValid?.outline.routes ?? [], sample);
    if (lastValid?.text !== text || route === undefined) return undefined;
    const request = await this.#request(text, route, sample, responses);
    return this.#parts.simulator.run("simulate", request).then(
      ({ steps, input, diagnostics }) =>
        diagnostics.length > 0
          ? { steps: [], input: { body: request.sample.body, headers: request.sample.headers }, isFallback: true }
          : { steps: withPaths(steps, lastValid.outline), input, isFallback: false },
      () => undefined,
    );
  }

  /** The result of an expression for the message that reaches its step; undefined when it is not available. */
  async evaluate(expression: Omit<EvaluationRequest, "flow">): Promise<Evaluation | "replaced" | undefined> {
    const { lastValid, text } = this.#editor.flow;
    const { sample, responses } = this.store.getState();
    const route = routeOf(lastValid?.outline.routes ?? [], sample);
    if (lastValid?.text !== text || route === undefined) return undefined;
    const flow = await this.#request(text, route, sample, responses);
    return this.#parts.simulator.run("evaluate", { ...expression, flow }).catch((error: unknown) => (isReplaced(error) ? "replaced" : undefined));
  }

  async runTests(): Promise<void> {
    const { text, lastValid } = this.#editor.flow;
    if (lastValid?.text !== text) return;
    this.store.setState({ areTestsBusy: true });
    const [files, documents] = await Promise.all([this.loadTests(), this.#readDocuments()]);
    await this.#parts.simulator
      .run("tests", { flowId: this.#editor.id, source: text, ...documents, files, runtimeConnectors: runtimeConnectorsOf(this.#parts.catalog()?.view) })
      .then(
        (results) => {
          const isCurrent = this.#editor.flow.text === text;
          this.store.setState({ ...(isCurrent ? { testRun: { by: "simulation", files: results } } : {}), areTestsBusy: false });
        },
        (error: unknown) => {
          if (isReplaced(error)) return;
          const problems = [this.#reason(error)];
          this.store.setState({ testRun: { by: "simulation", files: files.map(({ id }) => ({ id, problems, tests: [] })) }, areTestsBusy: false });
        },
      );
  }

  #scheduleRun(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const { isOn, areTestsLive } = this.store.getState();
      if (isOn) void this.run();
      if (areTestsLive) void this.runTests();
    }, debounceMs);
  }

  async #request(source: string, route: RouteOutline, sample: SampleDraft, responses: MockResponses): Promise<SimulationRequest> {
    const [testFiles, documents] = await Promise.all([this.store.getState().testFiles ?? this.loadTests(), this.#readDocuments()]);
    const catalog = this.#parts.catalog();
    return {
      flowId: this.#editor.id,
      source,
      ...documents,
      runtimeConnectors: runtimeConnectorsOf(catalog?.view),
      sample: sampleOf(sample, route, catalog),
      mocks: mocksOf(responses),
      testFiles,
    };
  }

  #applyResult(text: string, outline: Outline, result: SimulationResult): void {
    if (this.#editor.flow.text !== text || !this.store.getState().isOn) return this.store.setState({ isBusy: false });
    const steps = withPaths(result.steps, outline);
    this.store.setState(({ selectedIndex }) => ({
      result,
      steps,
      isBusy: false,
      problem: result.diagnostics[0] === undefined ? undefined : `line ${result.diagnostics[0].span.line}: ${result.diagnostics[0].message}`,
      selectedIndex: selectedIndex !== undefined && selectedIndex < steps.length ? selectedIndex : undefined,
    }));
  }

  #fail(text: string, error: unknown): void {
    if (isReplaced(error)) return;
    if (this.#editor.flow.text !== text) return this.store.setState({ isBusy: false });
    this.store.setState({ isBusy: false, problem: this.#reason(error), result: undefined, steps: [], selectedIndex: undefined });
  }

  #reason(error: unknown): string {
    return error instanceof SimulationStopped && error.reason === "timeout" ? this.#parts.labels.tooLong : (error as Error).message;
  }

  /** Reads the tables and mappings for every run, because they may be edited on another screen or on disk while the editor stays open. */
  async #readDocuments(): Promise<MappingTexts> {
    const none = (): Readonly<Record<string, string>> => ({});
    const { readDocuments } = this.#parts;
    const [tables, mappings] = await Promise.all([readDocuments("value-mappings").catch(none), readDocuments("message-mappings").catch(none)]);
    return { tables, mappings };
  }
}

const withPaths = (steps: readonly SimulatedStep[], outline: Outline): readonly TrialStep[] =>
  steps.map((step) => ({ ...step, path: pathAtOffset(outline, step.offset) }));

const isReplaced = (error: unknown): boolean => error instanceof SimulationStopped && error.reason === "replaced";

function mocksOf(responses: MockResponses): readonly MockBody[] {
  return Object.entries(responses).map(([key, { status, headers, body }]) => {
    const slash = key.indexOf("/");
    const match = { routeId: key.slice(0, slash), stepId: key.slice(slash + 1) };
    return { id: key, match, respond: { ...(status === undefined ? {} : { status }), headers, ...(body === undefined ? {} : { body }) } };
  });
}
