/** What of a flow the editor shows. */
export type View = "canvas" | "split" | "yaml";
