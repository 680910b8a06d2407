import type { AdjustEnv, Service } from "@modelgate/platform";

/** Loads a service: a process imports only those that it runs. */
type ImportService = () => Promise<{ readonly service: Service }>;

/** All services. The first of those that a process runs names its port of probes, so the edge comes first. */
export const imports = {
  edge: () => import("@modelgate/edge"),
  text: () => import("@modelgate/text"),
  media: () => import("@modelgate/media"),
  audio: () => import("@modelgate/audio"),
  video: () => import("@modelgate/video"),
  realtime: () => import("@modelgate/realtime"),
  ledger: () => import("@modelgate/ledger"),
  control: () => import("@modelgate/control"),
} as const satisfies Readonly<Record<string, ImportService>>;

export type ServiceName = keyof typeof imports;

/** The names of all services, in their order. */
export const serviceNames: readonly ServiceName[] = [
  "edge",
  "text",
  "media",
  "audio",
  "video",
  "realtime",
  "ledger",
  "control",
];

/** Services of which one process is enough: the books in a file have one writer, the configuration one publisher. */
export const singletons: ReadonlySet<ServiceName> = new Set(["ledger", "control"]);

/** Loads services, in their order; `adjust` changes the values that they are opened with. */
export function loadServices(names: readonly ServiceName[], adjust?: AdjustEnv): Promise<readonly Service[]> {
  return Promise.all(
    names.map(async (name) => {
      const { service } = await imports[name]();
      return adjust === undefined ? service : { ...service, declare: (read) => service.declare(read, adjust) };
    }),
  );
}
