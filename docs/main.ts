import { build, createServer } from "vitepress";
import { countClients } from "./count-clients.ts";
import { generate } from "./generate/main.ts";
import { runPrograms } from "./run-programs.ts";

/**
 * The documentation's site: `npm run docs` serves it while it is written, `npm run docs -- build` writes it to docs/dist;
 * `npm run docs -- clients` runs the clients' pages and prints what became of each, `npm run docs -- programs` does so with
 * coding programs from npm.
 */
const [command = "serve"] = process.argv.slice(2);
await generate();
if (command === "build") await build(import.meta.dirname);
else if (command === "serve") {
  const server = await createServer(import.meta.dirname);
  await server.listen();
  server.printUrls();
} else if (command === "clients") {
  await countClients();
} else if (command === "programs") {
  await runPrograms();
} else throw new Error(`There is no command ${JSON.stringify(command)}; there are serve, build, clients and programs.`);
