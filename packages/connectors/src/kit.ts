// Building blocks for connectors to other systems: every source consists of one of these and a protocol.
export { MessageReceiver, type ReceiverOptions, type ReceiverParts, type ReceiverProtocol, type Outcome } from "./message-receiver/message-receiver.ts";
export { polledSource, type Polling, type PollOptions } from "./polling/polled-source.ts";
export { reconnectAttempts, whileConnected, type ReconnectLimit, type Subscription, type WhileConnected } from "./reconnecting/while-connected.ts";
