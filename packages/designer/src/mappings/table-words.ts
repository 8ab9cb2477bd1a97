// Texts of tables that screens select from.
export { matchModes, missingRules, type MatchMode, type OnMissing, type Problem, type ValueTable } from "@sluice/mapping";
