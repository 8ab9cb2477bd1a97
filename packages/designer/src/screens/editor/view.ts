/** The views of the editor. */
export type View = "canvas" | "split" | "yaml";
