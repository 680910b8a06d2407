import { runGatectl } from "./run.ts";

// A reader that stops early (`| head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exitCode = 1;
});
// Only the variable reader reads the environment.
process.exitCode = await runGatectl(process.argv.slice(2), process);
