import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react()],
  // The packages of this repository are bundled from their sources, so they need not be built first.
  resolve: { conditions: ["sluice-source", ...defaultClientConditions] },
  build: {
    outDir: "dist/app",
    emptyOutDir: true,
    target: "es2023",
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The simulator is large and loaded on demand; bench/designer-size.mjs limits what the first screen loads.
    chunkSizeWarningLimit: 4096,
  },
  worker: { format: "es" },
  server: { proxy: { "/_api": "http://127.0.0.1:8090", "/_designer": "http://127.0.0.1:8090" } },
});
