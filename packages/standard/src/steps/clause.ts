import { f } from "@sluice/model";

/** Options that every nested block of a step has. */
export const clauseFields = {
  id: f.string({ doc: "Id of this block.", group: "advanced" }),
  description: f.string({ doc: "Description of the block.", group: "advanced" }),
  note: f.string({ doc: "Note for readers of the flow.", group: "advanced" }),
  disabled: f.boolean({ doc: "Disables this block.", default: false, group: "advanced" }),
};
