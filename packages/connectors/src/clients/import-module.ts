/** Imports a module by its URL. The bundled command replaces this file: code from V8's cache cannot import by itself. */
export const importModule = (url: string): Promise<unknown> => import(url);
