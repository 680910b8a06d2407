import { runGatectl } from "./run.ts";

// A reader that stops early (`| head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exitCode = 1;
});
// `process` is a Terminal.
process.exitCode = await runGatectl(process.argv.slice(2), process);
