import { expect, test } from "vitest";
import { Drafts } from "../document/drafts.ts";
import { Editor, type EditorParts } from "../document/editor.ts";
import { simulate } from "../simulation/simulate.ts";
import { simulateTests } from "../simulation/simulate-tests.ts";
import { Simulator, type WorkerLike } from "../simulation/simulator.ts";
import type { WorkerRequest, WorkerMessage } from "../simulation/worker-messages.ts";
import { strings } from "../strings.ts";
import { Trial } from "./trial.ts";

const flow = `- route:
    id: r
    from:
      uri: direct:start
      steps:
        - to: value-mapping:units?from=shop&to=sap
`;

/** Runs the simulation in this process instead of a Web Worker. */
class LocalWorker implements WorkerLike {
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;

  constructor() {
    queueMicrotask(() => this.#report({ kind: "ready" }));
  }

  postMessage(message: WorkerRequest): void {
    if (message.kind === "tests") void simulateTests(message.request).then((result) => this.#report({ kind: "done", number: message.number, result }));
    if (message.kind === "simulate") void simulate(message.request).then((result) => this.#report({ kind: "done", number: message.number, result }));
  }

  terminate(): void {
    this.onmessage = null;
  }

  #report(report: WorkerMessage): void {
    this.onmessage?.({ data: report } as MessageEvent<WorkerMessage>);
  }
}

const unused = (): Promise<never> => Promise.reject(new Error("not used"));
const editorParts: EditorParts = {
  port: { save: unused, deploy: unused, rollBack: unused, read: unused },
  drafts: new Drafts(undefined),
  now: () => 0,
  labels: strings.notices,
};

const table = (sap: string): string => `columns: [shop, sap]\nrows: [[box, ${sap}]]\n`;

const openEditor = (): Editor => new Editor(editorParts, { id: "f", file: { text: flow, hash: "h", deploys: {} } as never });

function openTrial(readTable: () => Promise<string>, editor = openEditor()): Trial {
  const trial = new Trial(editor, {
    simulator: new Simulator(() => new LocalWorker()),
    catalog: () => undefined,
    readTests: async () => [],
    readDocuments: async (kind): Promise<Readonly<Record<string, string>>> => (kind === "value-mappings" ? { units: await readTable() } : {}),
    labels: strings.trial,
  });
  trial.setSample({ body: "box" });
  return trial;
}

const bodyAfter = (trial: Trial): unknown => trial.store.getState().steps.at(-1)?.after?.body;

test("a trial uses the current rows of a table, not those of the first run", async () => {
  let current = table("KAR");
  const trial = openTrial(async () => current);
  trial.store.setState({ isOn: true });
  await trial.run();
  expect(bodyAfter(trial)).toBe("KAR");
  current = table("BX");
  await trial.run();
  expect(bodyAfter(trial)).toBe("BX");
});

test("a run whose tables arrive late does not replace the result of a later run", async () => {
  const waiting: ((text: string) => void)[] = [];
  const trial = openTrial(() => new Promise((resolve) => waiting.push(resolve)));
  trial.store.setState({ isOn: true });
  const runs = [trial.run(), trial.run()];
  await expect.poll(() => waiting.length).toBe(2);
  waiting[1]?.(table("BX"));
  await runs[1];
  waiting[0]?.(table("KAR"));
  await runs[0];
  expect(bodyAfter(trial)).toBe("BX");
});

test("tests are no longer busy when the text changed during their run; the outdated result is dropped", async () => {
  const editor = openEditor();
  const trial = openTrial(async () => table("KAR"), editor);
  const run = trial.runTests();
  expect(trial.store.getState().areTestsBusy).toBe(true);
  editor.replaceText(`${flow}# changed\n`, "change");
  await run;
  expect(trial.store.getState()).toMatchObject({ areTestsBusy: false, testRun: undefined });
});
