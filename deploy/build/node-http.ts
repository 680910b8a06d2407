import http from "node:http";
import type { Plugin } from "rolldown";

/** Identifier of the module that replaces `node:http` in bundled ES modules. */
const replacement = "\0node-http";

/**
 * Creates a plugin of the bundler that replaces `import … from "node:http"` by a call of `getBuiltinModule`. The import
 * reads all members, and one of them loads the fetch of Node, which no service uses: 90 ms of CPU time and 13 MB of
 * memory per process and thread.
 */
export function nodeHttp(): Plugin {
  return {
    name: "node-http",
    resolveId: {
      filter: { id: /^(node:)?http$/ },
      handler: (_, __, { kind }) => (kind === "require-call" ? null : replacement),
    },
    load: {
      filter: { id: /^\0node-http$/ },
      handler: () => `
        const http = process.getBuiltinModule("node:http");
        export default http;
        export const { ${valueNames().join(", ")} } = http;
      `,
    },
  };
}

/** Returns the names of all members that are not getters. */
function valueNames(): readonly string[] {
  const members = Object.entries(Object.getOwnPropertyDescriptors(http));
  return members.flatMap(([name, { get }]) => (get === undefined ? [name] : []));
}
