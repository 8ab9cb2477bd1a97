// The words of tables that screens choose from.
export { matchModes, missingRules, type MatchMode, type OnMissing, type Problem, type ValueTable } from "@sluice/mapping";
