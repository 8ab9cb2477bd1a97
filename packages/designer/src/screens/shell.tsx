import { Keyboard, LogOut, Search } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import type { EditorHandle, PageContext } from "../commands/command.ts";
import { pageCommands } from "../commands/page-commands.ts";
import { matchesShortcut } from "../commands/shortcut.ts";
import { strings } from "../strings.ts";
import { applyTheme } from "../theme/theme.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { navigation } from "./navigation.ts";
import { ShellContext } from "./shell-context.tsx";
import { RuntimeStatus } from "./runtime-status.tsx";
import "./shell.css";

// Loaded on demand: they need the commands of the editor, which the first screen does not use.
const CommandPalette = lazy(() => import("./command-palette.tsx").then((module) => ({ default: module.CommandPalette })));
const ShortcutSheet = lazy(() => import("./shortcut-sheet.tsx").then((module) => ({ default: module.ShortcutSheet })));

const runtimePollMs = 5000;

/** The layout of every screen: navigation, palette, shortcuts, and polling of the runtime. */
export function Shell({ children, onSignOut }: { readonly children: ReactNode; readonly onSignOut: (() => void) | undefined }) {
  const [location, navigate] = useLocation();
  const [dialog, setDialog] = useState<"palette" | "shortcuts" | undefined>(undefined);
  const [editor, setEditor] = useState<EditorHandle | undefined>(undefined);
  usePolling();
  const isInCluster = useWorkspace((state) => state.runtime.health?.cluster !== undefined);
  const entries = navigation.filter(({ needsCluster }) => needsCluster !== true || isInCluster);
  const openPalette = useCallback(() => setDialog("palette"), []);
  const openShortcuts = useCallback(() => setDialog("shortcuts"), []);
  const actions = useMemo(() => ({ setEditor, openPalette, openShortcuts }), [openPalette, openShortcuts]);
  const page: PageContext = { navigate, editor, openPalette, openShortcuts, setTheme: applyTheme };
  useShortcuts(page);
  return (
    <ShellContext.Provider value={actions}>
      <div className="shell">
        <a className="button shell__skip" href="#main">
          {strings.navigation.skip}
        </a>
        <nav className="rail" aria-label={strings.navigation.label}>
          <span className="rail__logo">
            <img src="/icon.svg" width="28" height="28" alt={strings.product} />
          </span>
          <ul className="rail__list">
            {entries.map(({ path, title, icon: Icon }) => (
              <li key={path}>
                <Link href={path} className="rail__link" aria-current={location.startsWith(path) ? "page" : undefined}>
                  <Icon size={20} aria-hidden="true" />
                  {title}
                </Link>
              </li>
            ))}
          </ul>
          <span className="grow" />
          <button type="button" className="rail__link" onClick={openPalette}>
            <Search size={20} aria-hidden="true" />
            {strings.navigation.palette}
          </button>
          <button type="button" className="rail__link" onClick={openShortcuts}>
            <Keyboard size={20} aria-hidden="true" />
            {strings.navigation.shortcuts}
          </button>
          {onSignOut === undefined ? null : (
            <button type="button" className="rail__link" onClick={onSignOut}>
              <LogOut size={20} aria-hidden="true" />
              {strings.navigation.signOut}
            </button>
          )}
        </nav>
        <main className="shell__main" id="main" tabIndex={-1}>
          {children}
        </main>
        <RuntimeStatus />
      </div>
      <Suspense>
        {dialog === "palette" ? <CommandPalette page={page} onClose={() => setDialog(undefined)} /> : null}
        {dialog === "shortcuts" ? <ShortcutSheet onClose={() => setDialog(undefined)} /> : null}
      </Suspense>
    </ShellContext.Provider>
  );
}

function usePolling(): void {
  const { loadTargets, loadRuntime, loadCategories } = useWorkspace.getState();
  useEffect(() => {
    void loadTargets().then(loadRuntime);
    void loadCategories();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void loadRuntime();
    }, runtimePollMs);
    return () => clearInterval(timer);
  }, [loadTargets, loadRuntime, loadCategories]);
}

function useShortcuts(page: PageContext): void {
  const latest = useRef(page);
  latest.current = page;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
      const isTyping = event.target instanceof HTMLElement && (event.target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName));
      for (const command of pageCommands) {
        if (command.shortcut === undefined || (isTyping && command.everywhere !== true) || !matchesShortcut(command.shortcut, event)) continue;
        if (command.isEnabled?.(latest.current) === false) continue;
        event.preventDefault();
        command.run(latest.current);
        return;
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
