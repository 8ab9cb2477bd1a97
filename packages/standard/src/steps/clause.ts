import { f } from "@sluice/model";

/** What every nested block of a step may carry beside its own options. */
export const clauseFields = {
  id: f.string({ doc: "Id of this block.", group: "advanced" }),
  description: f.string({ doc: "What this block is for.", group: "advanced" }),
  note: f.string({ doc: "A remark for readers.", group: "advanced" }),
  disabled: f.boolean({ doc: "Leaves this block out.", default: false, group: "advanced" }),
};
