// The field into which the data panel inserts the path of a value: the expression that had the focus last.
import { create } from "zustand";
import type { DataPath, MessageData } from "./message-data.ts";

export interface InsertTarget {
  readonly label: string;
  readonly language: string;
  /** Inserts the path of a value at the caret; false when the language cannot read it. */
  insert(path: DataPath, data: MessageData): boolean;
}

export const useInsertTarget = create<{ readonly target: InsertTarget | undefined }>(() => ({ target: undefined }));

export const setInsertTarget = (target: InsertTarget): void => useInsertTarget.setState({ target });

/** Clears the target, unless another field replaced it. */
export function clearInsertTarget(target: InsertTarget | undefined): void {
  if (target !== undefined && useInsertTarget.getState().target === target) useInsertTarget.setState({ target: undefined });
}

/** The drag data type of a value; its data is the path as JSON. */
export const pathDragType = "application/x-sluice-data-path";
