import type { AdjustEnv, Service } from "@modelgate/platform";

/** Imports a service. A process imports only the services that it runs. */
type ImportService = () => Promise<{ readonly service: Service }>;

/** Loaders of all services. The first service of a process determines its port for health checks. */
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

/** Services that run only in the first of several worker processes. */
export const singletons: ReadonlySet<ServiceName> = new Set(["ledger", "control"]);

/** Loads services, in the order of `names`. `adjust` changes the values of their variables. */
export function loadServices(names: readonly ServiceName[], adjust?: AdjustEnv): Promise<readonly Service[]> {
  return Promise.all(
    names.map(async (name) => {
      const { service } = await serviceImports[name]();
      return adjust === undefined ? service : { ...service, declare: (read) => service.declare(read, adjust) };
    }),
  );
}
