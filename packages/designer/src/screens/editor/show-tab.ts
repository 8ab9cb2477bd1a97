import { createContext } from "react";
import type { DockTabId } from "./dock-tabs.tsx";

/** Shows a tab of the dock from the content of another one. */
export const ShowTabContext = createContext<(tab: DockTabId) => void>(() => undefined);
