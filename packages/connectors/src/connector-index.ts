// Connectors, connection types and beans that are loaded when a flow first uses them, so that unused ones add no start time. To add
// one, create a folder and add a line here. An entry contains only metadata; index.test.ts compares it with the declaration.
import type { BeanDeclaration, ClientPackage, ConnectionDeclaration, ConnectorDeclaration } from "@sluice/engine/spi";
import type { ConnectorRole, Described } from "@sluice/model";
import type { ConnectorSettings } from "./connector-settings.ts";
import type { ConnectionSettings } from "./database/database-folders.ts";

export interface ConnectorEntry extends Described {
  readonly scheme: string;
  readonly aliases?: readonly string[];
  readonly roles: readonly ConnectorRole[];
  /** The connection types its endpoints use. */
  readonly kinds: readonly string[];
  /** Packages it needs in addition to those of its connections. */
  readonly needs: readonly ClientPackage[];
  load(settings: ConnectorSettings): Promise<ConnectorDeclaration>;
}

export interface ConnectionEntry extends Described {
  readonly type: string;
  readonly kinds: readonly string[];
  /** The Camel classes that describe it. */
  readonly beans: readonly string[];
  readonly needs: readonly ClientPackage[];
  load(settings?: ConnectionSettings): Promise<ConnectionDeclaration>;
}

/** A bean that needs a connection or a package, such as a repository in a database. */
export interface BeanEntry {
  readonly names: readonly string[];
  load(): Promise<BeanDeclaration>;
}

const database = { group: "database", icon: "database", since: "0.1" } as const;

const messaging = { group: "messaging", icon: "queue", since: "0.2", roles: ["source", "sink"], needs: [] } as const;

export const connectorIndex: readonly ConnectorEntry[] = [
  {
    ...messaging,
    scheme: "amqp",
    aliases: ["jms", "activemq", "activemq6"],
    title: "JMS and AMQP 1.0",
    summary: "Receives messages from queues and topics of AMQP 1.0 brokers, and sends messages to them.",
    kinds: ["amqp"],
    load: async ({ deadLetters }) => (await import("./amqp/amqp.ts")).amqpConnector(deadLetters),
  },
  {
    ...messaging,
    scheme: "spring-rabbitmq",
    aliases: ["rabbitmq"],
    title: "RabbitMQ",
    summary: "Receives messages from RabbitMQ queues and sends messages to exchanges.",
    kinds: ["rabbitmq"],
    load: async ({ deadLetters }) => (await import("./spring-rabbitmq/spring-rabbitmq.ts")).springRabbitmqConnector(deadLetters),
  },
  {
    ...messaging,
    scheme: "kafka",
    title: "Kafka",
    summary: "Receives records from Kafka topics, and sends records to them.",
    kinds: ["kafka"],
    load: async ({ deadLetters }) => (await import("./kafka/kafka.ts")).kafkaConnector(deadLetters),
  },
  {
    ...messaging,
    scheme: "knative",
    title: "Knative",
    summary: "Receives events from Knative channels, brokers and services, and sends events to them.",
    kinds: [],
    load: async (settings) => (await import("./knative/knative.ts")).knativeConnector(settings),
  },
  {
    ...messaging,
    scheme: "nats",
    title: "NATS",
    summary: "Receives messages from NATS and JetStream, and sends messages to them.",
    kinds: ["nats"],
    load: async ({ deadLetters }) => (await import("./nats/nats.ts")).natsConnector(deadLetters),
  },
  {
    ...messaging,
    scheme: "paho",
    title: "MQTT 3.1.1",
    summary: "Receives and sends MQTT 3.1.1 messages.",
    kinds: ["mqtt"],
    load: async ({ deadLetters }) => (await import("./paho/paho.ts")).pahoConnector(deadLetters),
  },
  {
    ...messaging,
    scheme: "paho-mqtt5",
    title: "MQTT 5",
    summary: "Receives and sends MQTT 5 messages.",
    kinds: ["mqtt"],
    load: async ({ deadLetters }) => (await import("./paho/paho.ts")).pahoMqtt5Connector(deadLetters),
  },
  {
    scheme: "jdbc",
    aliases: ["spring-jdbc"],
    title: "JDBC",
    summary: "Executes the message body as a SQL statement.",
    ...database,
    roles: ["sink"],
    kinds: ["sql"],
    needs: [],
    load: async () => (await import("./jdbc/jdbc.ts")).jdbc,
  },
  {
    scheme: "pgevent",
    title: "PostgreSQL notifications",
    summary: "Receives and sends PostgreSQL notifications.",
    ...database,
    roles: ["source", "sink"],
    kinds: ["postgres"],
    needs: [],
    load: async ({ deadLetters }) => (await import("./pgevent/pgevent.ts")).pgeventConnector(deadLetters),
  },
  {
    scheme: "spring-redis",
    title: "Redis",
    summary: "Executes Redis commands, or subscribes to channels.",
    ...database,
    roles: ["source", "sink"],
    kinds: ["redis"],
    needs: [],
    load: async ({ deadLetters }) => (await import("./spring-redis/spring-redis.ts")).springRedisConnector(deadLetters),
  },
  {
    scheme: "sql",
    title: "SQL",
    summary: "Executes a SQL statement, or polls the rows of a query.",
    ...database,
    roles: ["source", "sink"],
    kinds: ["sql"],
    needs: [],
    load: async () => (await import("./sql/sql.ts")).sql,
  },
  {
    scheme: "sql-stored",
    title: "Stored procedure",
    summary: "Calls a stored procedure or function; not available in SQLite.",
    ...database,
    roles: ["sink"],
    kinds: ["sql"],
    needs: [],
    load: async () => (await import("./sql-stored/sql-stored.ts")).sqlStored,
  },
];

const broker = { group: "messaging", icon: "queue", since: "0.2", beans: [] } as const;

export const connectionIndex: readonly ConnectionEntry[] = [
  {
    ...broker,
    type: "amqp",
    title: "AMQP 1.0",
    summary: "An AMQP 1.0 broker, such as Artemis, ActiveMQ, Qpid or RabbitMQ.",
    kinds: ["amqp"],
    beans: [
      "org.apache.qpid.jms.JmsConnectionFactory",
      "org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory",
      "org.messaginghub.pooled.jms.JmsPoolConnectionFactory",
      "org.apache.camel.component.amqp.AMQPComponent",
      "org.apache.activemq.ActiveMQConnectionFactory",
      "org.apache.activemq.ActiveMQSslConnectionFactory",
    ],
    needs: [{ package: "rhea", version: "3.0.5", reason: "the AMQP 1.0 client" }],
    load: async () => (await import("./amqp/amqp-connection.ts")).amqpConnection,
  },
  {
    ...broker,
    type: "rabbitmq",
    title: "RabbitMQ",
    summary: "A RabbitMQ server, over AMQP 0-9-1.",
    kinds: ["rabbitmq"],
    beans: ["org.springframework.amqp.rabbit.connection.CachingConnectionFactory", "com.rabbitmq.client.ConnectionFactory"],
    needs: [{ package: "amqplib", version: "2.3.1", reason: "the RabbitMQ client" }],
    load: async () => (await import("./spring-rabbitmq/rabbitmq-connection.ts")).rabbitmqConnection,
  },
  {
    ...broker,
    type: "kafka",
    title: "Kafka",
    summary: "A Kafka cluster or a compatible system.",
    kinds: ["kafka"],
    needs: [{ package: "kafkajs", version: "2.2.4", reason: "the Kafka client" }],
    load: async () => (await import("./kafka/kafka-connection.ts")).kafkaConnection,
  },
  {
    ...broker,
    type: "mqtt",
    title: "MQTT",
    summary: "An MQTT 3.1.1 or MQTT 5 broker.",
    kinds: ["mqtt"],
    needs: [{ package: "mqtt", version: "5.16.0", reason: "the MQTT client" }],
    load: async () => (await import("./paho/mqtt-connection.ts")).mqttConnection,
  },
  {
    ...broker,
    type: "nats",
    title: "NATS",
    summary: "A NATS server or cluster.",
    kinds: ["nats"],
    needs: [
      { package: "@nats-io/transport-node", version: "3.3.1", reason: "the NATS client" },
      { package: "@nats-io/jetstream", version: "3.3.1", reason: "the JetStream client" },
    ],
    load: async () => (await import("./nats/nats-connection.ts")).natsConnection,
  },
  {
    type: "postgres",
    title: "PostgreSQL",
    summary: "A PostgreSQL database.",
    ...database,
    kinds: ["sql", "postgres"],
    beans: ["org.postgresql.ds.PGSimpleDataSource", "org.postgresql.ds.PGPoolingDataSource"],
    needs: [
      { package: "pg", version: "8.23.1", reason: "the PostgreSQL client" },
      { package: "pg-cursor", version: "2.22.0", reason: "streaming of large PostgreSQL results" },
    ],
    load: async () => (await import("./database/postgres.ts")).postgres,
  },
  {
    type: "mysql",
    title: "MySQL, MariaDB",
    summary: "A MySQL or MariaDB database.",
    ...database,
    kinds: ["sql"],
    beans: [
      "org.mariadb.jdbc.MariaDbDataSource",
      "org.mariadb.jdbc.MariaDbPoolDataSource",
      "com.mysql.cj.jdbc.MysqlDataSource",
      "com.mysql.cj.jdbc.MysqlConnectionPoolDataSource",
    ],
    needs: [{ package: "mysql2", version: "3.24.5", reason: "the client for MySQL and MariaDB" }],
    load: async () => (await import("./database/mysql.ts")).mysql,
  },
  {
    type: "sqlite",
    title: "SQLite",
    summary: "A database in a file, without a server process.",
    ...database,
    kinds: ["sql"],
    beans: [],
    needs: [],
    load: async (settings) => (await import("./database/sqlite.ts")).sqliteConnection(settings),
  },
  {
    type: "jdbc",
    title: "JDBC URL",
    summary: "A database identified by a JDBC URL.",
    ...database,
    kinds: ["sql"],
    beans: [
      "org.apache.commons.dbcp2.BasicDataSource",
      "org.apache.commons.dbcp.BasicDataSource",
      "com.zaxxer.hikari.HikariDataSource",
      "org.springframework.jdbc.datasource.DriverManagerDataSource",
      "org.springframework.jdbc.datasource.SimpleDriverDataSource",
      "org.apache.tomcat.jdbc.pool.DataSource",
    ],
    needs: [],
    load: async (settings) => (await import("./database/jdbc-data-source.ts")).jdbcDataSource(settings),
  },
  {
    type: "redis",
    title: "Redis",
    summary: "A Redis server.",
    ...database,
    kinds: ["redis"],
    beans: [
      "org.springframework.data.redis.connection.jedis.JedisConnectionFactory",
      "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
      "org.springframework.data.redis.connection.RedisStandaloneConfiguration",
    ],
    needs: [{ package: "ioredis", version: "6.0.0", reason: "the Redis client" }],
    load: async () => (await import("./spring-redis/redis-connection.ts")).redis,
  },
];

export const beanIndex: readonly BeanEntry[] = [
  {
    names: ["org.apache.camel.processor.aggregate.jdbc.JdbcAggregationRepository", "JdbcAggregationRepository"],
    load: async () => (await import("./database/jdbc-aggregation-repository.ts")).jdbcAggregationRepository,
  },
  {
    names: ["org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository", "JdbcMessageIdRepository"],
    load: async () => (await import("./database/jdbc-message-id-repository.ts")).jdbcMessageIdRepository,
  },
  {
    names: [
      "org.apache.camel.component.redis.processor.idempotent.SpringRedisIdempotentRepository",
      "org.apache.camel.component.redis.processor.idempotent.RedisIdempotentRepository",
      "SpringRedisIdempotentRepository",
    ],
    load: async () => (await import("./spring-redis/redis-idempotent-repository.ts")).redisIdempotentRepository,
  },
];
