// Converts driver errors to the exceptions of Spring's JDBC support, because flows written for Camel catch them by these names. Each has a
// java.sql.SQLException as its cause, so that either name can be caught.
import { FlowError, isFlowError } from "@sluice/engine/spi";

const dao = "org.springframework.dao";
const jdbc = "org.springframework.jdbc";

/** Every exception type with its parent; part of the connector declarations. */
export const sqlExceptions: Readonly<Record<string, string>> = {
  "org.springframework.core.NestedRuntimeException": "java.lang.RuntimeException",
  [`${dao}.DataAccessException`]: "org.springframework.core.NestedRuntimeException",
  [`${dao}.NonTransientDataAccessException`]: `${dao}.DataAccessException`,
  [`${dao}.TransientDataAccessException`]: `${dao}.DataAccessException`,
  [`${dao}.DataIntegrityViolationException`]: `${dao}.NonTransientDataAccessException`,
  [`${dao}.DuplicateKeyException`]: `${dao}.DataIntegrityViolationException`,
  [`${dao}.InvalidDataAccessResourceUsageException`]: `${dao}.NonTransientDataAccessException`,
  [`${jdbc}.BadSqlGrammarException`]: `${dao}.InvalidDataAccessResourceUsageException`,
  [`${dao}.DataAccessResourceFailureException`]: `${dao}.NonTransientDataAccessException`,
  [`${jdbc}.CannotGetJdbcConnectionException`]: `${dao}.DataAccessResourceFailureException`,
  [`${dao}.ConcurrencyFailureException`]: `${dao}.TransientDataAccessException`,
  [`${dao}.PessimisticLockingFailureException`]: `${dao}.ConcurrencyFailureException`,
  [`${dao}.DeadlockLoserDataAccessException`]: `${dao}.PessimisticLockingFailureException`,
  [`${dao}.CannotAcquireLockException`]: `${dao}.PessimisticLockingFailureException`,
  [`${dao}.CannotSerializeTransactionException`]: `${dao}.PessimisticLockingFailureException`,
  [`${dao}.QueryTimeoutException`]: `${dao}.TransientDataAccessException`,
  [`${dao}.IncorrectResultSizeDataAccessException`]: `${dao}.DataAccessException`,
  [`${jdbc}.UncategorizedSQLException`]: `${dao}.DataAccessException`,
};

interface FailureKind {
  readonly type: string;
  readonly code: string;
  readonly retryable?: boolean;
}

const down: FailureKind = { type: `${jdbc}.CannotGetJdbcConnectionException`, code: "sql-connection", retryable: true };
const duplicate: FailureKind = { type: `${dao}.DuplicateKeyException`, code: "sql-duplicate-key" };
const integrity: FailureKind = { type: `${dao}.DataIntegrityViolationException`, code: "sql-integrity" };
const grammar: FailureKind = { type: `${jdbc}.BadSqlGrammarException`, code: "sql-grammar" };
const deadlock: FailureKind = { type: `${dao}.DeadlockLoserDataAccessException`, code: "sql-deadlock", retryable: true };
const lock: FailureKind = { type: `${dao}.CannotAcquireLockException`, code: "sql-lock", retryable: true };
const serialization: FailureKind = { type: `${dao}.CannotSerializeTransactionException`, code: "sql-serialization", retryable: true };
const timeout: FailureKind = { type: `${dao}.QueryTimeoutException`, code: "sql-timeout", retryable: true };
const other: FailureKind = { type: `${jdbc}.UncategorizedSQLException`, code: "sql-failed" };

const byState: Readonly<Record<string, FailureKind>> = {
  "23505": duplicate,
  "40P01": deadlock,
  "40001": serialization,
  "55P03": lock,
  "57014": timeout,
  "57P01": down,
  "57P02": down,
  "57P03": down,
  "53300": down,
};

/** By SQLSTATE class, the first two characters. */
const byClass: Readonly<Record<string, FailureKind>> = {
  "08": down,
  "22": integrity,
  "23": integrity,
  "42": grammar,
  "3D": grammar,
  "28": { ...down, retryable: false },
};

/** By error number of MySQL and MariaDB, which is more specific than the SQLSTATE. */
const byNumber: Readonly<Record<number, FailureKind>> = {
  1022: duplicate,
  1062: duplicate,
  1205: lock,
  1213: deadlock,
  1317: timeout,
  1969: timeout,
  3024: timeout,
  1040: down,
  1053: down,
  1927: down,
};

const connectionErrorCodes = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|PROTOCOL_)/;
const connectionErrorTexts = /terminated unexpectedly|Connection terminated|connection is closed|closed state|timeout expired|Client was closed|not queryable/i;

/** Properties that drivers set on their errors. */
interface DriverError extends Error {
  readonly code?: string;
  readonly sqlState?: string;
  readonly errno?: number;
  readonly errcode?: number;
  readonly errstr?: string;
}

export function sqlFailure(thrown: unknown, { connecting = false, statement }: { readonly connecting?: boolean; readonly statement?: string } = {}): FlowError {
  if (isFlowError(thrown)) return thrown;
  const error = (thrown instanceof Error ? thrown : new Error(String(thrown))) as DriverError;
  const { state, number } = codesOf(error);
  const kind = kindOf(error, state, number, connecting);
  // A connection refused at several addresses is an AggregateError without a message.
  const message = error.message === "" ? (error.code ?? error.name) : error.message;
  const details = { sqlState: state, errorCode: number };
  const cause = new FlowError("java.sql.SQLException", message, { code: kind.code, details, cause: error });
  const text = statement === undefined ? message : `${message} (in: ${shorten(statement)})`;
  return new FlowError(kind.type, text, { code: kind.code, retryable: kind.retryable ?? false, details, cause });
}

export function unavailable(problem: string): FlowError {
  return new FlowError(down.type, problem, { code: down.code, retryable: true });
}

/** An error in the content of a message, found before a statement is sent. */
export function sqlInputError(code: string, message: string): FlowError {
  return new FlowError("java.sql.SQLException", message, { code });
}

/** True when the session failed, not the statement. */
export function isConnectionProblem(error: unknown): boolean {
  return sqlFailure(error).code === down.code;
}

function codesOf(error: DriverError): { readonly state: string | undefined; readonly number: number } {
  const { code, sqlState, errno, errcode } = error;
  const isState = code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !connectionErrorCodes.test(code);
  return { state: sqlState ?? (isState ? code : undefined), number: errcode ?? errno ?? 0 };
}

function kindOf(error: DriverError, state: string | undefined, number: number, connecting: boolean): FailureKind {
  if (error.errcode !== undefined) return kindOfSqliteCode(error.errcode);
  const known = byNumber[number] ?? (state === undefined ? undefined : (byState[state] ?? byClass[state.slice(0, 2)]));
  if (known !== undefined) return connecting && known !== down ? { ...down, retryable: known.retryable ?? false } : known;
  return connecting || connectionErrorCodes.test(error.code ?? "") || connectionErrorTexts.test(error.message) ? down : other;
}

/** By SQLite result code; extended codes contain the primary code in their last eight bits. */
function kindOfSqliteCode(code: number): FailureKind {
  if (code === 2067 || code === 1555 || code === 2579) return duplicate;
  switch (code & 0xff) {
    case 19:
      return integrity;
    case 5:
    case 6:
      return lock;
    case 1:
    case 25:
      return grammar;
    case 9:
      return timeout;
    case 14:
      return down;
    default:
      return other;
  }
}

const shorten = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text).replaceAll(/\s+/g, " ");
