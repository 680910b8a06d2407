import { basename, dirname, join, relative } from "node:path";
import type { Plugin } from "rolldown";
import { programNames, sourceProgram } from "./programs.ts";

/** Module for positions in stack traces. Every program and thread loads it first. */
const positions = join(import.meta.dirname, "positions.ts");

/** Matches the start of a thread from a file, and uses of the source's path. */
const pathPattern = /new URL\("(?:\.\/)?([\w-]+-worker)\.ts", import\.meta\.url\)|\bimport\.meta\.(url|dirname)\b/g;

/**
 * Matches code that fails in a bundle: it loads a TypeScript file, or uses members of `import.meta` that differ there.
 */
const unsuitable = /new (?:URL|Worker)\(\s*["'`][^"'`\n]*\.ts["'`]|\bimport\.meta\.(?:resolve|main)\b/;

/**
 * Creates a bundler plugin that lets sources find the files that they read. `import.meta.url` and `import.meta.dirname`
 * still name the source, relative to the bundle. Threads start from files of the bundle.
 */
export function sourcePaths(folder: string): Plugin {
  const threads = new Set<string>();
  const programs = new Set<string>(programNames.map(sourceProgram));
  return {
    name: "source-paths",
    transform: {
      filter: { id: { include: /\.ts$/, exclude: /node_modules/ } },
      handler(code, id) {
        if (id === positions) return null;
        const replaced = code.replaceAll(pathPattern, (_, thread: string | undefined, member: string) => {
          if (thread === undefined) return pathOf(folder, id, member);
          const source = join(dirname(id), `${thread}.ts`);
          if (!threads.has(source))
            this.emitFile({ type: "chunk", id: source, name: thread, fileName: `${thread}.js` });
          threads.add(source);
          return `new URL("${thread}.js", import.meta.url)`;
        });
        const [found] = unsuitable.exec(code.replaceAll(pathPattern, "")) ?? [];
        if (found !== undefined)
          throw new Error(
            `${id}: ${found} cannot be bundled; threads start by new URL("NAME-worker.ts", import.meta.url)`,
          );
        const isEntry = programs.has(id) || basename(id).endsWith("-worker.ts");
        // In the first line, so that line numbers remain.
        const transformed = isEntry ? `import ${JSON.stringify(positions)}; ${replaced}` : replaced;
        return transformed === code ? null : { code: transformed, map: null };
      },
    },
  };
}

function pathOf(folder: string, source: string, member: string): string {
  const from = (file: string): string => `new URL(${JSON.stringify(relative(folder, file))}, import.meta.url)`;
  return member === "url" ? `${from(source)}.href` : `decodeURIComponent(${from(dirname(source))}.pathname)`;
}
