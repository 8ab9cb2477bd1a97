// Commands of the page: the palette, the shortcut list and the keys are generated from this list.
import { strings } from "../strings.ts";
import type { PageCommand } from "./command.ts";
import { focusRegion } from "./focus-region.ts";

const { commands: labels } = strings;
const withEditor = (run: (editor: NonNullable<Parameters<PageCommand["run"]>[0]["editor"]>) => void): Pick<PageCommand, "isEnabled" | "run"> => ({
  isEnabled: ({ editor }) => editor !== undefined,
  run: ({ editor }) => editor !== undefined && run(editor),
});

export const pageCommands: readonly PageCommand[] = [
  { name: "save", title: labels.save, shortcut: "Mod+S", everywhere: true, ...withEditor((editor) => editor.save()) },
  { name: "deploy", title: labels.deploy, shortcut: "Mod+Enter", everywhere: true, ...withEditor((editor) => editor.deploy()) },
  { name: "undo", title: labels.undo, shortcut: "Mod+Z", ...withEditor((editor) => editor.undo()) },
  { name: "redo", title: labels.redo, shortcut: "Mod+Shift+Z", ...withEditor((editor) => editor.redo()) },
  { name: "run-tests", title: labels.runTests, ...withEditor((editor) => editor.runTests()) },
  { name: "try-it", title: labels.tryIt, ...withEditor((editor) => editor.tryIt()) },
  { name: "view-canvas", title: labels.viewCanvas, shortcut: "Alt+1", everywhere: true, ...withEditor((editor) => editor.setView("canvas")) },
  { name: "view-split", title: labels.viewSplit, shortcut: "Alt+2", everywhere: true, ...withEditor((editor) => editor.setView("split")) },
  { name: "view-yaml", title: labels.viewYaml, shortcut: "Alt+3", everywhere: true, ...withEditor((editor) => editor.setView("yaml")) },
  { name: "outline", title: labels.outline, shortcut: "Shift+O", ...withEditor((editor) => editor.toggleOutline()) },
  { name: "data", title: labels.data, shortcut: "Shift+D", ...withEditor((editor) => editor.toggleData()) },
  { name: "inspector", title: labels.inspector, shortcut: "Shift+S", ...withEditor((editor) => editor.toggleInspector()) },
  { name: "dock", title: labels.dock, shortcut: "Shift+P", ...withEditor((editor) => editor.toggleDock()) },
  { name: "new-flow", title: labels.newFlow, shortcut: "Alt+N", run: ({ navigate }) => navigate("/flows/new") },
  { name: "go-flows", title: labels.goFlows, run: ({ navigate }) => navigate("/flows") },
  { name: "go-runs", title: labels.goRuns, run: ({ navigate }) => navigate("/runs") },
  { name: "go-tests", title: labels.goTests, run: ({ navigate }) => navigate("/tests") },
  { name: "go-dead-letters", title: labels.goDeadLetters, run: ({ navigate }) => navigate("/dead-letters") },
  { name: "go-mappings", title: labels.goMappings, run: ({ navigate }) => navigate("/mappings") },
  { name: "go-connections", title: labels.goConnections, run: ({ navigate }) => navigate("/connections") },
  { name: "go-nodes", title: labels.goNodes, run: ({ navigate }) => navigate("/nodes") },
  { name: "new-connection", title: labels.newConnection, run: ({ navigate }) => navigate("/connections/new") },
  { name: "go-access", title: labels.goAccess, run: ({ navigate }) => navigate("/access") },
  {
    name: "flow-access",
    title: labels.flowAccess,
    isEnabled: ({ editor }) => editor !== undefined,
    run: ({ editor, navigate }) => editor !== undefined && navigate(`/flows/${editor.flow.id}/access`),
  },
  { name: "go-logs", title: labels.goLogs, run: ({ navigate }) => navigate("/logs") },
  { name: "go-api", title: labels.goApi, run: ({ navigate }) => navigate("/api-reference") },
  { name: "go-settings", title: labels.goSettings, run: ({ navigate }) => navigate("/settings") },
  { name: "theme-light", title: labels.themeLight, run: ({ setTheme }) => setTheme("light") },
  { name: "theme-dark", title: labels.themeDark, run: ({ setTheme }) => setTheme("dark") },
  { name: "theme-system", title: labels.themeSystem, run: ({ setTheme }) => setTheme("system") },
  { name: "palette", title: labels.palette, shortcut: "Mod+K", everywhere: true, run: ({ openPalette }) => openPalette() },
  { name: "next-region", title: labels.nextRegion, shortcut: "F6", everywhere: true, ...withEditor(() => focusRegion(1)) },
  { name: "previous-region", title: labels.previousRegion, shortcut: "Shift+F6", everywhere: true, ...withEditor(() => focusRegion(-1)) },
  { name: "shortcuts", title: labels.shortcuts, shortcut: "?", run: ({ openShortcuts }) => openShortcuts() },
];
