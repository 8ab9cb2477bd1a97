/** Log lines of errors that no code handled, and warnings of Node about leaked listeners. */
export const unexpectedOutput = /Uncaught exception|Unhandled promise rejection|MaxListeners/;
