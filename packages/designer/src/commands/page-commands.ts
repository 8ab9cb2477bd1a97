// Commands of the page: the palette, the shortcut list and the keys are generated from this list.
import { strings } from "../strings.ts";
import type { PageCommand } from "./command.ts";
import { focusRegion } from "./focus-region.ts";

const { commands: words } = strings;
const withEditor = (run: (editor: NonNullable<Parameters<PageCommand["run"]>[0]["editor"]>) => void): Pick<PageCommand, "isEnabled" | "run"> => ({
  isEnabled: ({ editor }) => editor !== undefined,
  run: ({ editor }) => editor !== undefined && run(editor),
});

export const pageCommands: readonly PageCommand[] = [
  { name: "save", title: words.save, shortcut: "Mod+S", everywhere: true, ...withEditor((editor) => editor.save()) },
  { name: "deploy", title: words.deploy, shortcut: "Mod+Enter", everywhere: true, ...withEditor((editor) => editor.deploy()) },
  { name: "undo", title: words.undo, shortcut: "Mod+Z", ...withEditor((editor) => editor.undo()) },
  { name: "redo", title: words.redo, shortcut: "Mod+Shift+Z", ...withEditor((editor) => editor.redo()) },
  { name: "run-tests", title: words.runTests, ...withEditor((editor) => editor.runTests()) },
  { name: "try-it", title: words.tryIt, ...withEditor((editor) => editor.tryIt()) },
  { name: "view-canvas", title: words.viewCanvas, shortcut: "Alt+1", everywhere: true, ...withEditor((editor) => editor.setView("canvas")) },
  { name: "view-split", title: words.viewSplit, shortcut: "Alt+2", everywhere: true, ...withEditor((editor) => editor.setView("split")) },
  { name: "view-yaml", title: words.viewYaml, shortcut: "Alt+3", everywhere: true, ...withEditor((editor) => editor.setView("yaml")) },
  { name: "outline", title: words.outline, shortcut: "Shift+O", ...withEditor((editor) => editor.toggleOutline()) },
  { name: "data", title: words.data, shortcut: "Shift+D", ...withEditor((editor) => editor.toggleData()) },
  { name: "new-flow", title: words.newFlow, shortcut: "Alt+N", run: ({ navigate }) => navigate("/flows/new") },
  { name: "go-flows", title: words.goFlows, run: ({ navigate }) => navigate("/flows") },
  { name: "go-runs", title: words.goRuns, run: ({ navigate }) => navigate("/runs") },
  { name: "go-tests", title: words.goTests, run: ({ navigate }) => navigate("/tests") },
  { name: "go-dead-letters", title: words.goDeadLetters, run: ({ navigate }) => navigate("/dead-letters") },
  { name: "go-mappings", title: words.goMappings, run: ({ navigate }) => navigate("/mappings") },
  { name: "go-connections", title: words.goConnections, run: ({ navigate }) => navigate("/connections") },
  { name: "go-nodes", title: words.goNodes, run: ({ navigate }) => navigate("/nodes") },
  { name: "new-connection", title: words.newConnection, run: ({ navigate }) => navigate("/connections/new") },
  { name: "go-access", title: words.goAccess, run: ({ navigate }) => navigate("/access") },
  {
    name: "flow-access",
    title: words.flowAccess,
    isEnabled: ({ editor }) => editor !== undefined,
    run: ({ editor, navigate }) => editor !== undefined && navigate(`/flows/${editor.flow.id}/access`),
  },
  { name: "go-logs", title: words.goLogs, run: ({ navigate }) => navigate("/logs") },
  { name: "go-settings", title: words.goSettings, run: ({ navigate }) => navigate("/settings") },
  { name: "theme-light", title: words.themeLight, run: ({ setTheme }) => setTheme("light") },
  { name: "theme-dark", title: words.themeDark, run: ({ setTheme }) => setTheme("dark") },
  { name: "theme-system", title: words.themeSystem, run: ({ setTheme }) => setTheme("system") },
  { name: "palette", title: words.palette, shortcut: "Mod+K", everywhere: true, run: ({ openPalette }) => openPalette() },
  { name: "next-region", title: words.nextRegion, shortcut: "F6", everywhere: true, ...withEditor(() => focusRegion(1)) },
  { name: "previous-region", title: words.previousRegion, shortcut: "Shift+F6", everywhere: true, ...withEditor(() => focusRegion(-1)) },
  { name: "shortcuts", title: words.shortcuts, shortcut: "?", run: ({ openShortcuts }) => openShortcuts() },
];
