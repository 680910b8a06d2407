import { defineService, runWorkers, serviceVariables, type Service } from "../../src/index.ts";

/** Program with an edge and a backend, which answer with their process ids. The backend runs in one worker only. */
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
