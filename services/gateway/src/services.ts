import type { AdjustEnv, Service } from "@modelgate/platform";

/** Loads a service: a process imports only the services that it runs. */
type ImportService = () => Promise<{ readonly service: Service }>;

/** All services. The first one that a process runs names its probe port, so the edge comes first. */
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

/** Names of all services, in this order. */
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

/**
 * Services that run in one process only: the file of the books has one writer, and the configuration has one publisher.
 */
export const singletons: ReadonlySet<ServiceName> = new Set(["ledger", "control"]);

/** Loads services in the given order; `adjust` changes the values that they are opened with. */
export function loadServices(names: readonly ServiceName[], adjust?: AdjustEnv): Promise<readonly Service[]> {
  return Promise.all(
    names.map(async (name) => {
      const { service } = await imports[name]();
      return adjust === undefined ? service : { ...service, declare: (read) => service.declare(read, adjust) };
    }),
  );
}
