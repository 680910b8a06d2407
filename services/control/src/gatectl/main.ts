import { runGatectl } from "./run.ts";

// A reader that stops early (`| head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exitCode = 1;
});
// `process` has the members of a Terminal: stdin, stdout, stderr and env.
process.exitCode = await runGatectl(process.argv.slice(2), process);
