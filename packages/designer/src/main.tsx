import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { applyTheme, storedTheme } from "./theme/theme.ts";
import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/controls.css";

applyTheme(storedTheme());
createRoot(document.getElementById("root") as HTMLElement).render(<App />);
