import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { checkConfiguration } from "@modelgate/contracts";
import type { Block } from "./blocks.ts";
import { gatectlCalls, runCalls } from "./gatectl-block.ts";
import type { Demo, Ended } from "./start.ts";

let files = 0;

/** Programs and packages for a block. */
interface BlockTools {
  runPython(code: string): Promise<Ended>;
  /** Folder whose `node_modules` JavaScript imports. */
  readonly path: string;
}

/** Runs a block against a demo. Throws Error for an unknown language. */
export async function runBlock(demo: Demo, { language, text }: Block, tools: BlockTools): Promise<Ended> {
  const here = textFor(demo, text);
  const calls = language === "sh" ? gatectlCalls(text.replaceAll("127.0.0.1:8080", demo.address)) : undefined;
  if (calls !== undefined) return await runCalls(calls, demo.env);
  switch (language) {
    case "sh":
      return await demo.run("bash", ["-euo", "pipefail", "-c", here]);
    case "js":
      return await runModule(demo, here, tools.path);
    case "python":
      return await tools.runPython(here);
    case "yaml":
      return checkYaml(text);
    default:
      throw new Error("there is no way to run it: say why not by <!-- not run: … --> before it");
  }
}

/** Returns a block for this demo. Calls gatectl without npm, which takes a second. */
function textFor(demo: Demo, text: string): string {
  return text
    .replaceAll("127.0.0.1:8080", demo.address)
    .replaceAll("npm run gatectl --", `${process.execPath} deploy/local/gatectl.ts`);
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
