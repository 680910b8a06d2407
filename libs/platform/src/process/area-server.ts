import type { RequestListener } from "node:http";
import type { Area } from "@modelgate/contracts";
import { areaHandler, localCalls, type AdmittedCall, type AreaOptions } from "../area-handler.ts";
import { areaUpgrade, localUpgrades, type AdmittedUpgrade, type AreaUpgradeOptions } from "../area-upgrade.ts";
import type { UpgradeHandler } from "../http-server.ts";

/** An area as the edge of the same process reaches it. */
export interface LocalArea {
  /** Answers a call that this edge has let in. Throws Failure where the area has no such endpoint. */
  readonly take: (call: AdmittedCall) => void;
  /** Upgrades a connection that this edge has let in, or refuses it: the answer's status. Throws Failure where nothing is upgraded. */
  readonly takeUpgrade: (call: AdmittedUpgrade) => Promise<number>;
}

/** The areas that a process serves itself. */
export type LocalAreas = ReadonlyMap<Area, LocalArea>;

/** An area's endpoints, for edges of other processes and for the one of this process. */
export interface AreaServer extends LocalArea {
  readonly area: Area;
  /** Answers calls that an edge has signed. */
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
}

/** The endpoints and upgrades of an area. */
export interface AreaServerOptions<A extends Area> extends AreaOptions<A> {
  readonly upgrades?: AreaUpgradeOptions["handlers"];
}

/** Serves an area by its handlers. */
export function serveArea<A extends Area>({ upgrades, ...options }: AreaServerOptions<A>): AreaServer {
  const { area, secrets, log, refused } = options;
  return {
    area,
    handler: areaHandler(options),
    upgrade: upgrades === undefined ? undefined : areaUpgrade({ area, secrets, log, refused, handlers: upgrades }),
    take: localCalls(options),
    takeUpgrade: localUpgrades({ log, refused, handlers: upgrades ?? {} }),
  };
}
