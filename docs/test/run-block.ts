import { existsSync, globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { checkConfiguration } from "@modelgate/contracts";
import type { Block } from "./blocks.ts";
import { root, type Demo, type Ended } from "./start.ts";

const docs = join(import.meta.dirname, "..");
const configuredPython = process.env["MODELGATE_PYTHON"] ?? globSync(join(root, ".tools/python-*/bin/python"))[0];

/** Path of the Python with the packages of docs/requirements.txt; undefined if there is none. */
export const python = configuredPython !== undefined && existsSync(configuredPython) ? configuredPython : undefined;

let files = 0;

/** Programs and packages that a block is run with. */
interface BlockTools {
  readonly python: string;
  /** Folder whose `node_modules` has the packages that JavaScript imports. */
  readonly path: string;
}

const repositoryTools: BlockTools = { python: python ?? "python3", path: docs };

/** Runs a block of a page against a demo. Throws Error for a language that cannot be run. */
export async function runBlock(
  demo: Demo,
  { language, text }: Block,
  tools: BlockTools = repositoryTools,
): Promise<Ended> {
  const here = textFor(demo, text);
  switch (language) {
    case "sh":
      return await demo.run("bash", ["-euo", "pipefail", "-c", here]);
    case "js":
      return await runModule(demo, here, tools.path);
    case "python":
      return await demo.run(tools.python, ["-c", here]);
    case "yaml":
      return checkYaml(text);
    default:
      throw new Error("there is no way to run it: say why not by <!-- not run: … --> before it");
  }
}

/**
 * Returns a block for this demo: with its port, and with gatectl called without npm, which takes a second for each
 * call.
 */
function textFor(demo: Demo, text: string): string {
  return text
    .replaceAll("127.0.0.1:8080", demo.address)
    .replaceAll("npm run gatectl --", `${process.execPath} services/control/src/gatectl/main.ts`);
}

/** Runs a block of JavaScript from a file in `folder`, whose packages it imports. */
async function runModule(demo: Demo, text: string, folder: string): Promise<Ended> {
  const file = join(folder, `sample-${process.pid}-${files++}.mjs`);
  writeFileSync(file, text);
  try {
    return await demo.run(process.execPath, [file]);
  } finally {
    rmSync(file);
  }
}

function checkYaml(text: string): Ended {
  const written: object = parse(text);
  const { problems } = checkConfiguration({
    groups: { default: { models: ["*"] } },
    models: {},
    channels: [],
    ...written,
  });
  return { status: problems === undefined ? 0 : 1, output: JSON.stringify(problems) };
}
