import { options, reportAll } from "./options.ts";

/** The benchmark's sections, each a module that measures when it is loaded. */
const sections: Readonly<Record<string, () => Promise<unknown>>> = {
  suite: () => import("./suite.ts"),
  books: () => import("./books/section.ts"),
};

const { only } = options;
if (only !== undefined && sections[only] === undefined) {
  process.stderr.write(`bench: --only takes ${Object.keys(sections).join(", ")}\n`);
  process.exitCode = 2;
} else {
  for (const [name, measure] of Object.entries(sections)) if (only === undefined || only === name) await measure();
  reportAll();
}
