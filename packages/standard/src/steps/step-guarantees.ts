// Guarantees that several steps share.

const stateless = "It stores nothing between messages, so concurrent runs do not affect each other.";

/** Steps that evaluate an expression and set one value. */
export const setsOneValue = `The step changes only its own message. ${stateless} Expressions are evaluated on the main thread, except js, which runs in separate threads. If the expression fails, nothing is changed and the error handler of the route is called.`;

/** Steps that set several values in order. */
export const setsSeveralValues = `The step changes only its own message. ${stateless} Expressions are evaluated on the main thread, except js, which runs in separate threads. If an expression fails, values that were set before it are kept and the error handler of the route is called.`;

/** Steps that remove or set something without evaluating an expression. */
export const cannotFail = `The step changes only its own message, on the main thread, and does not fail. ${stateless}`;

/** Steps that fail an exchange. */
export const failsExchange = `The step does not change the message. ${stateless} Messages that were already sent cannot be recalled. Inside the step transacted, the failure rolls back its database statements, like any other failure.`;

/** Steps that convert the body from one form to another. */
export const convertsBody = `The step changes only its own message. ${stateless} If the conversion fails, the body is unchanged and the error handler of the route is called. The input and the result are in memory together; a stream is read to its end first.`;

/** Steps that serialize or parse the body. */
export const convertsFormat = `The step changes only its own message. ${stateless} If the conversion fails, the body is unchanged and the error handler of the route is called. The input and the result are in memory together, except with formats that read on demand, such as csv with lazyLoad. The conversion of a large body yields to other runs while it is in progress or right after it.`;

/** Steps that call a function of the operator. */
export const callsFunction = `The function is called once per message, on the main thread of the worker that runs the message, so it must not block. A promise is awaited without blocking other runs. The error handler of the route retries failed calls; calls for different messages can overlap. The function's own state exists once per worker and is lost on a restart.`;

/** Variables with a wider scope than the exchange. */
export const sharedVariables =
  "Exception: a variable with the prefix global: or route: is stored in the memory of the process. All later runs can read it, the last write wins, and a restart clears it.";
