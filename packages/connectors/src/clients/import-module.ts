/** Imports a module by its URL. The bundle replaces this file, because code loaded from the V8 code cache cannot use `import()`. */
export const importModule = (url: string): Promise<unknown> => import(url);
