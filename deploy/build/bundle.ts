import { rolldown, type OutputChunk } from "rolldown";
import { writePackages } from "./packages.ts";
import { nodeHttp } from "./node-http.ts";
import { programNames, root, sourceProgram, type ProgramName } from "./programs.ts";
import { sourcePaths } from "./source-paths.ts";

/** Optional packages of dependencies. They are not installed here. */
const optionalPackages = ["bufferutil", "utf-8-validate", "pg-native", "supports-color"];

/**
 * Writes programs and their modules into a folder. Modules are divided into files so that a process loads only what it
 * runs.
 */
export async function bundle(folder: string, names: readonly ProgramName[] = programNames): Promise<void> {
  await using build = await rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [name, sourceProgram(name)])),
    platform: "node",
    tsconfig: false,
    logLevel: "warn",
    plugins: [sourcePaths(folder), nodeHttp()],
    // Otherwise shared modules may be put into a program's file. The program `warm` runs that file repeatedly.
    experimental: { chunkOptimization: false },
    onLog(level, log, report) {
      if (log.code !== "UNRESOLVED_IMPORT") report(level, log);
      else if (!optionalPackages.some((name) => log.message.includes(`'${name}'`))) throw new Error(log.message);
    },
  });
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    // Without hashes, so that a new bundle replaces entries of Node's compile cache.
    chunkFileNames: "part-[name].js",
    sourcemap: "hidden",
    sourcemapExcludeSources: true,
  });
  const chunks = output.filter((file) => file.type === "chunk");
  checkPrograms(chunks);
  writePackages(
    folder,
    chunks.flatMap(({ moduleIds }) => moduleIds),
  );
}

/** Throws an error if a file imports a program, because the import would run the program again. */
function checkPrograms(chunks: readonly OutputChunk[]): void {
  const files = new Set(programNames.map((name) => `${name}.js`));
  for (const { fileName, imports, dynamicImports } of chunks)
    for (const imported of [...imports, ...dynamicImports])
      if (files.has(imported)) throw new Error(`${fileName} imports the program ${imported}`);
}
