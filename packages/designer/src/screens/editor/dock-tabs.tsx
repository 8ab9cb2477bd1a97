// The tabs of the dock below the canvas.
import type { ComponentType } from "react";
import { strings } from "../../strings.ts";
import { ProblemsTab } from "./problems-tab.tsx";
import { RunsTab } from "./runs-tab.tsx";
import { TestsTab } from "./tests-tab.tsx";
import { TryTab } from "./try-tab.tsx";
import { VersionsTab } from "./versions-tab.tsx";

export type DockTabId = "problems" | "tests" | "try" | "runs" | "versions";

export interface DockTab {
  readonly id: DockTabId;
  readonly title: string;
  readonly content: ComponentType;
  /** True for a tab that needs more height than a short list. */
  readonly isTall?: boolean;
}

export const dockTabs: readonly DockTab[] = [
  { id: "problems", title: strings.problems.title, content: ProblemsTab },
  { id: "tests", title: strings.tests.title, content: TestsTab, isTall: true },
  { id: "try", title: strings.tryIt.title, content: TryTab, isTall: true },
  { id: "runs", title: strings.runs.title, content: RunsTab, isTall: true },
  { id: "versions", title: strings.versions.title, content: VersionsTab },
];
