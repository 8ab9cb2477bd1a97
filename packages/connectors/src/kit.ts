// Building blocks for connectors to other systems: every source consists of one of these and a protocol.
export { Intake, type IntakeOptions, type IntakeParts, type IntakeProtocol, type Verdict } from "./intake/intake.ts";
export { polledSource, type Polling, type PollOptions } from "./polling/polled-source.ts";
export { whileConnected, type Subscription, type WhileConnected } from "./reconnecting/while-connected.ts";
