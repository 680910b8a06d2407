import { build, createServer } from "vitepress";
import { generate } from "./generate/main.ts";
import { runClients } from "./run-clients.ts";

/**
 * Serves the site and updates it after each change, writes it to docs/dist (`build`), or runs clients at their newest
 * versions (`clients [page…]`).
 */
const [command = "serve", ...names] = process.argv.slice(2);
await generate();
if (command === "build") await build(import.meta.dirname);
else if (command === "build-pages") await build(import.meta.dirname, { mpa: "true" });
else if (command === "serve") {
  const server = await createServer(import.meta.dirname);
  await server.listen();
  server.printUrls();
} else if (command === "clients") {
  await runClients(names);
} else
  throw new Error(`There is no command ${JSON.stringify(command)}; there are serve, build, build-pages and clients.`);
