import type { AdjustEnv, Service } from "@modelgate/platform";

/** Loads a service. A process imports only the services that it runs. */
type ImportService = () => Promise<{ readonly service: Service }>;

/** Loaders of all services. The first service that a process runs determines its probe port, so the edge is first. */
export const serviceImports = {
  edge: () => import("@modelgate/edge"),
  text: () => import("@modelgate/text"),
  media: () => import("@modelgate/media"),
  audio: () => import("@modelgate/audio"),
  video: () => import("@modelgate/video"),
  realtime: () => import("@modelgate/realtime"),
  ledger: () => import("@modelgate/ledger"),
  control: () => import("@modelgate/control"),
} as const satisfies Readonly<Record<string, ImportService>>;

export type ServiceName = keyof typeof serviceImports;

/** Names of all services, in the order of `serviceImports`. */
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

/** Services that only the first of several worker processes runs, because one of each is enough for a machine. */
export const singletons: ReadonlySet<ServiceName> = new Set(["ledger", "control"]);

/** Loads services in the given order. `adjust` changes the values that they are opened with. */
export function loadServices(names: readonly ServiceName[], adjust?: AdjustEnv): Promise<readonly Service[]> {
  return Promise.all(
    names.map(async (name) => {
      const { service } = await serviceImports[name]();
      return adjust === undefined ? service : { ...service, declare: (read) => service.declare(read, adjust) };
    }),
  );
}
