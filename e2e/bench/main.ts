import { options, reportAll } from "./options.ts";

/** The benchmark's sections, each a module that measures when it is loaded. */
const sections: Readonly<Record<string, () => Promise<unknown>>> = {
  suite: () => import("./suite.ts"),
  books: () => import("./books/section.ts"),
  console: () => import("./console/section.ts"),
};
/** Sections that are asked for by their own flag, and then measured alone. */
const apart: Readonly<Record<string, () => Promise<unknown>>> = {
  rivals: () => import("./rivals/section.ts"),
  profile: () => import("./rivals/profile-section.ts"),
};

const { only } = options;
const asked = Object.entries(apart).filter(([name]) => (name === "rivals" ? options.rivals : options.profile));
if (only !== undefined && sections[only] === undefined) {
  process.stderr.write(`bench: --only takes ${Object.keys(sections).join(", ")}\n`);
  process.exitCode = 2;
} else if (asked.length > 0) {
  for (const [, measure] of asked) await measure();
  reportAll();
} else {
  for (const [name, measure] of Object.entries(sections)) if (only === undefined || only === name) await measure();
  reportAll();
}
