import { createContext, useContext } from "react";
import { useStore } from "zustand";
import { workspaceClient } from "../api-client/workspace-client.ts";
import { currentCatalog } from "../catalog/use-catalog.ts";
import type { Editor } from "../document/editor.ts";
import { openWorker } from "../simulation/open-worker.ts";
import { Simulator } from "../simulation/simulator.ts";
import { strings } from "../strings.ts";
import { Trial, type TrialState } from "./trial.ts";

export const TrialContext = createContext<Trial | undefined>(undefined);

/** The trial of the open flow. */
export function useTrial(): Trial {
  const trial = useContext(TrialContext);
  if (trial === undefined) throw new Error("useTrial must be called inside a TrialContext");
  return trial;
}

/** A part of the trial's state; re-renders only when that part changes. */
export function useTrialState<T>(pick: (state: TrialState) => T): T {
  return useStore(useTrial().store, pick);
}

const simulator = new Simulator(openWorker);
const trials = new WeakMap<Editor, Trial>();

/** The trial of an editor, with the same lifetime. */
export function trialOf(editor: Editor): Trial {
  const existing = trials.get(editor);
  if (existing !== undefined) return existing;
  const trial = new Trial(editor, {
    simulator,
    catalog: currentCatalog,
    readTests: workspaceClient.tests,
    readDocuments: async (kind) => Object.fromEntries((await workspaceClient.documents(kind)).map(({ id, text }) => [id, text])),
    labels: strings.trial,
  });
  trials.set(editor, trial);
  return trial;
}
