// Parts of @sluice/mapping that the table screens use.
export { matchModes, missingRules, type MatchMode, type OnMissing, type Problem, type ValueTable } from "@sluice/mapping";
