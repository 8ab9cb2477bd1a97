// The differences between Camel's components for MQTT 3.1.1 and MQTT 5.
import type { MqttVersion } from "./mqtt-links.ts";
import type { PahoOptions } from "./paho-options.ts";

export interface PahoDialect {
  readonly exception: string;
  readonly overrideTopic: string;
  readonly qos: string;
  readonly retained: string;
  readonly properties: string | undefined;
  versionOf(options: PahoOptions): MqttVersion;
  isClean(options: PahoOptions): boolean;
  /** The option that determines whether the broker stores messages while the source is disconnected. */
  readonly cleanOption: string;
}

export const paho3: PahoDialect = {
  exception: "org.eclipse.paho.client.mqttv3.MqttException",
  overrideTopic: "CamelPahoOverrideTopic",
  qos: "CamelPahoQos",
  retained: "CamelPahoRetained",
  properties: undefined,
  versionOf: ({ mqttVersion }) => (mqttVersion === 3 ? 3 : 4),
  isClean: ({ cleanSession }) => cleanSession !== false,
  cleanOption: "cleanSession",
};

export const paho5: PahoDialect = {
  exception: "org.eclipse.paho.mqttv5.common.MqttException",
  overrideTopic: "CamelPahoMqtt5OverrideTopic",
  qos: "CamelPahoMqtt5Qos",
  retained: "CamelPahoMqtt5Retained",
  properties: "CamelPahoMqtt5MsgProperties",
  versionOf: () => 5,
  isClean: ({ cleanStart }) => cleanStart !== false,
  cleanOption: "cleanStart",
};
