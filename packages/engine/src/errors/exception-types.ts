// The exception names flows may use, each with its parent. Names are only data: no class is loaded.

const parents: Record<string, string> = {
  "java.lang.Exception": "java.lang.Throwable",
  "java.lang.Error": "java.lang.Throwable",
  "java.lang.RuntimeException": "java.lang.Exception",
  "java.lang.IllegalArgumentException": "java.lang.RuntimeException",
  "java.lang.NumberFormatException": "java.lang.IllegalArgumentException",
  "java.lang.IllegalStateException": "java.lang.RuntimeException",
  "java.lang.UnsupportedOperationException": "java.lang.RuntimeException",
  "java.lang.NullPointerException": "java.lang.RuntimeException",
  "java.lang.ArithmeticException": "java.lang.RuntimeException",
  "java.lang.ClassCastException": "java.lang.RuntimeException",
  "java.lang.SecurityException": "java.lang.RuntimeException",
  "java.lang.IndexOutOfBoundsException": "java.lang.RuntimeException",
  "java.lang.ArrayIndexOutOfBoundsException": "java.lang.IndexOutOfBoundsException",
  "java.lang.StringIndexOutOfBoundsException": "java.lang.IndexOutOfBoundsException",
  "java.lang.InterruptedException": "java.lang.Exception",
  "java.lang.ClassNotFoundException": "java.lang.Exception",
  "java.util.NoSuchElementException": "java.lang.RuntimeException",
  "java.util.ConcurrentModificationException": "java.lang.RuntimeException",
  "java.util.concurrent.RejectedExecutionException": "java.lang.RuntimeException",
  "java.util.concurrent.TimeoutException": "java.lang.Exception",
  "java.util.concurrent.ExecutionException": "java.lang.Exception",
  "java.util.concurrent.CancellationException": "java.lang.IllegalStateException",
  "java.io.IOException": "java.lang.Exception",
  "java.io.UncheckedIOException": "java.lang.RuntimeException",
  "java.io.FileNotFoundException": "java.io.IOException",
  "java.io.EOFException": "java.io.IOException",
  "java.io.UnsupportedEncodingException": "java.io.IOException",
  "java.io.InterruptedIOException": "java.io.IOException",
  "java.net.SocketException": "java.io.IOException",
  "java.net.ConnectException": "java.net.SocketException",
  "java.net.NoRouteToHostException": "java.net.SocketException",
  "java.net.BindException": "java.net.SocketException",
  "java.net.UnknownHostException": "java.io.IOException",
  "java.net.SocketTimeoutException": "java.io.InterruptedIOException",
  "java.net.URISyntaxException": "java.lang.Exception",
  "java.net.MalformedURLException": "java.io.IOException",
  "java.text.ParseException": "java.lang.Exception",
  "java.sql.SQLException": "java.lang.Exception",
  "org.apache.camel.RuntimeCamelException": "java.lang.RuntimeException",
  "org.apache.camel.RuntimeExchangeException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.FailedToCreateRouteException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.PropertyBindingException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.TypeConversionException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.NoSuchEndpointException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.ResolveEndpointFailedException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.ExpressionEvaluationException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.ExpressionIllegalSyntaxException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.NoSuchBeanException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.NoSuchLanguageException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.CamelExecutionException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.processor.idempotent.NoMessageIdException": "org.apache.camel.RuntimeCamelException",
  "org.apache.camel.CamelException": "java.lang.Exception",
  "org.apache.camel.NoTypeConversionAvailableException": "org.apache.camel.CamelException",
  "org.apache.camel.CamelExchangeException": "org.apache.camel.CamelException",
  "org.apache.camel.ExchangeTimedOutException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.RollbackExchangeException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.CamelAuthorizationException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.InvalidPayloadException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.NoSuchHeaderException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.NoSuchPropertyException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.ValidationException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.NoSuchVariableException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.processor.validation.SchemaValidationException": "org.apache.camel.ValidationException",
  "org.apache.camel.support.processor.PredicateValidationException": "org.apache.camel.ValidationException",
  "org.apache.camel.component.direct.DirectConsumerNotAvailableException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.component.seda.SedaConsumerNotAvailableException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.processor.aggregate.ClosedCorrelationKeyException": "org.apache.camel.CamelExchangeException",
  "org.apache.camel.processor.ThrottlerRejectedExecutionException": "java.util.concurrent.RejectedExecutionException",
  "org.apache.camel.http.base.HttpOperationFailedException": "org.apache.camel.CamelException",
  "org.apache.camel.component.file.GenericFileOperationFailedException": "org.apache.camel.RuntimeCamelException",
  "com.jayway.jsonpath.JsonPathException": "java.lang.RuntimeException",
  "com.jayway.jsonpath.InvalidPathException": "com.jayway.jsonpath.JsonPathException",
  "com.jayway.jsonpath.PathNotFoundException": "com.jayway.jsonpath.InvalidPathException",
  "com.jayway.jsonpath.InvalidJsonException": "com.jayway.jsonpath.JsonPathException",
  "com.fasterxml.jackson.core.JacksonException": "java.io.IOException",
  "com.fasterxml.jackson.core.JsonProcessingException": "com.fasterxml.jackson.core.JacksonException",
  "com.fasterxml.jackson.core.JsonParseException": "com.fasterxml.jackson.core.JsonProcessingException",
  "com.fasterxml.jackson.databind.JsonMappingException": "com.fasterxml.jackson.core.JsonProcessingException",
  "org.xml.sax.SAXException": "java.lang.Exception",
  "org.xml.sax.SAXParseException": "org.xml.sax.SAXException",
  "org.apache.kafka.common.KafkaException": "java.lang.RuntimeException",
  "org.apache.kafka.common.errors.ApiException": "org.apache.kafka.common.KafkaException",
  "org.apache.kafka.common.errors.RetriableException": "org.apache.kafka.common.errors.ApiException",
  "org.apache.kafka.common.errors.TimeoutException": "org.apache.kafka.common.errors.RetriableException",
  "org.apache.kafka.common.errors.UnknownTopicOrPartitionException": "org.apache.kafka.common.errors.RetriableException",
  "org.apache.kafka.common.errors.RecordTooLargeException": "org.apache.kafka.common.errors.ApiException",
  "org.apache.kafka.common.errors.AuthorizationException": "org.apache.kafka.common.errors.ApiException",
  "org.apache.kafka.common.errors.TopicAuthorizationException": "org.apache.kafka.common.errors.AuthorizationException",
  "org.apache.kafka.common.errors.AuthenticationException": "org.apache.kafka.common.errors.ApiException",
  "org.apache.kafka.common.errors.SaslAuthenticationException": "org.apache.kafka.common.errors.AuthenticationException",
  "org.apache.kafka.common.errors.SerializationException": "org.apache.kafka.common.KafkaException",
  "org.eclipse.paho.client.mqttv3.MqttException": "java.lang.Exception",
  "org.eclipse.paho.mqttv5.common.MqttException": "java.lang.Exception",
  "io.nats.client.JetStreamApiException": "java.lang.Exception",
  "jakarta.jms.JMSException": "java.lang.Exception",
  "jakarta.jms.JMSSecurityException": "jakarta.jms.JMSException",
  "jakarta.jms.InvalidDestinationException": "jakarta.jms.JMSException",
  "jakarta.jms.ResourceAllocationException": "jakarta.jms.JMSException",
  "org.springframework.jms.JmsException": "java.lang.RuntimeException",
  "org.springframework.jms.UncategorizedJmsException": "org.springframework.jms.JmsException",
  "org.springframework.amqp.AmqpException": "java.lang.RuntimeException",
  "org.springframework.amqp.AmqpConnectException": "org.springframework.amqp.AmqpException",
  "org.springframework.amqp.AmqpTimeoutException": "org.springframework.amqp.AmqpException",
  "org.springframework.amqp.AmqpAuthenticationException": "org.springframework.amqp.AmqpException",
  "io.github.resilience4j.circuitbreaker.CallNotPermittedException": "java.lang.RuntimeException",
  "io.github.resilience4j.bulkhead.BulkheadFullException": "java.lang.RuntimeException",
};

/** Adds exception types of a connector, each with its parent. Existing types are not changed. */
export function addExceptionTypes(types: Readonly<Record<string, string>>): void {
  for (const [name, parent] of Object.entries(types)) if (!isKnownExceptionType(name)) parents[name] = parent;
}

/** True when a flow may name this exception type. */
export function isKnownExceptionType(name: string): boolean {
  return name === "java.lang.Throwable" || Object.hasOwn(parents, name);
}

/** Every name a flow may use, for "did you mean" suggestions. */
export const exceptionTypeNames = (): readonly string[] => ["java.lang.Throwable", ...Object.keys(parents)];

/** How many generations `ancestor` is above `type`: 0 for itself, undefined when it is not an ancestor. */
export function inheritanceDistance(type: string, ancestor: string): number | undefined {
  let distance = 0;
  for (let name: string | undefined = type; name !== undefined; name = parents[name]) {
    if (name === ancestor) return distance;
    distance++;
  }
  // An unknown type still counts as an exception.
  if (!isKnownExceptionType(type) && (ancestor === "java.lang.Exception" || ancestor === "java.lang.Throwable"))
    return distance + (ancestor === "java.lang.Exception" ? 0 : 1);
  return undefined;
}
