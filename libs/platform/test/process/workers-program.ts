import { defineService, runWorkers, serviceVariables, type Service } from "../../src/index.ts";

/** A program of two services for tests: a door that says which process answers, and a keeper of which one is enough. */
const answering = (role: "door" | "keeper", name: string): Service =>
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

const services = [answering("door", "door"), answering("keeper", "books")];

await runWorkers({
  program: import.meta.filename,
  plan: () => ({
    workers: 2,
    names: ["door"],
    load: (worker) => Promise.resolve(services.filter(({ role }) => worker === 1 || role !== "keeper")),
  }),
});
