import { defineService, runWorkers, serviceVariables, type Service } from "../../src/index.ts";

/** A program of two services for tests: an edge that names the process that answers, and a backend of which one is enough. */
const answering = (role: "edge" | "backend", name: string): Service =>
  defineService(
    role,
    serviceVariables(name, () => ({})),
    () =>
      Promise.resolve({
        serves: {
          handler: (_, response) => {
            response.setHeader("connection", "close");
            response.end(String(process.pid));
          },
        },
      }),
  );

const services = [answering("edge", "door"), answering("backend", "books")];

await runWorkers({
  program: import.meta.filename,
  plan: () => ({
    workers: 2,
    names: ["door"],
    load: (worker) => Promise.resolve(services.filter(({ role }) => worker === 1 || role !== "backend")),
  }),
});
