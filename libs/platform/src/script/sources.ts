/** Every script of this process, for loading them in advance. */
export const scriptSources = new Set<string>();
