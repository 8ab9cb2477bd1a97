export { startDesigner } from "./start-designer.ts";
export type { DesignerOptions, RunningDesigner } from "./start-designer.ts";
export type { Target } from "./targets/targets.ts";
