import { options, reportAll } from "./options.ts";

/** Modules that measure when they are loaded. */
const sections: Readonly<Record<string, () => Promise<unknown>>> = {
  suite: () => import("./suite.ts"),
  books: () => import("./books/section.ts"),
  console: () => import("./console/section.ts"),
};
/** Sections that run only with a flag of the same name. */
const optionalSections: Readonly<Record<string, () => Promise<unknown>>> = {
  rivals: () => import("./rivals/section.ts"),
  allocations: () => import("./allocations.ts"),
};

const { only } = options;
const requested = Object.entries(optionalSections).filter(([name]) =>
  Object.entries(options).some(([option, value]) => option === name && value === true),
);
if (only !== undefined && sections[only] === undefined) {
  process.stderr.write(`bench: --only takes ${Object.keys(sections).join(", ")}\n`);
  process.exitCode = 2;
} else if (requested.length > 0) {
  for (const [, measure] of requested) await measure();
  reportAll();
} else {
  for (const [name, measure] of Object.entries(sections)) if (only === undefined || only === name) await measure();
  reportAll();
}
