import { basename, dirname, join, relative } from "node:path";
import type { Plugin } from "rolldown";
import { programNames, sourceProgram } from "./programs.ts";

/** Module that gives stack traces their positions in the sources. Every program and thread loads it first. */
const positions = join(import.meta.dirname, "positions.ts");

/** Start of a thread from a file next to the source. */
const threadPattern = /new URL\("(?:\.\/)?([\w-]+-worker)\.ts", import\.meta\.url\)/g;
const placePattern = /\bimport\.meta\.(url|dirname)\b/g;

/**
 * Lets a source of ours find the files that it reads: `import.meta.url` and `import.meta.dirname` remain those of the
 * source, relative to the bundle's folder, so both can be moved together. Threads start from the bundle.
 * `import.meta.filename` is not replaced: it is the file of the running program.
 */
export function keepPlaces(folder: string): Plugin {
  const threads = new Set<string>();
  const sources = new Set<string>(programNames.map(sourceProgram));
  return {
    name: "keep-places",
    transform: {
      filter: { id: { include: /\.ts$/, exclude: /node_modules/ } },
      handler(code, id) {
        if (id === positions) return null;
        const toSource = JSON.stringify(relative(folder, id));
        const replaced = code
          .replaceAll(threadPattern, (_, name: string) => {
            const source = join(dirname(id), `${name}.ts`);
            if (!threads.has(source)) this.emitFile({ type: "chunk", id: source, name, fileName: `${name}.js` });
            threads.add(source);
            return `new URL("${name}.js", import.meta.\u0000)`;
          })
          .replaceAll(placePattern, (_, member: string) =>
            member === "url"
              ? `new URL(${toSource}, import.meta.\u0000).href`
              : `decodeURIComponent(new URL(${JSON.stringify(relative(folder, dirname(id)))}, import.meta.\u0000).pathname)`,
          )
          .replaceAll("import.meta.\u0000", "import.meta.url");
        const isEntry = sources.has(id) || basename(id).endsWith("-worker.ts");
        // In the first line, so that the numbers of lines remain.
        const transformed = isEntry ? `import ${JSON.stringify(positions)}; ${replaced}` : replaced;
        return transformed === code ? null : { code: transformed, map: null };
      },
    },
  };
}
