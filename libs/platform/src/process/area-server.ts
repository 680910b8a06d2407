import type { RequestListener } from "node:http";
import type { Area } from "@modelgate/contracts";
import { areaHandler, localCalls, type AdmittedCall, type AreaOptions } from "../area-handler.ts";
import { areaUpgrade, localUpgrades, type AdmittedUpgrade, type AreaUpgradeOptions } from "../area-upgrade.ts";
import type { UpgradeHandler } from "../http-server.ts";

/** An area that the edge of the same process calls directly. */
export interface LocalArea {
  /** Answers a call that this edge has admitted. Throws Failure if the area has no such endpoint. */
  readonly take: (call: AdmittedCall) => void;
  /**
   * Upgrades a connection that this edge has admitted, or refuses it. Returns the status of the answer. Throws Failure
   * if the area has no such upgrade.
   */
  readonly takeUpgrade: (call: AdmittedUpgrade) => Promise<number>;
}

/** Areas that a process serves. */
export type LocalAreas = ReadonlyMap<Area, LocalArea>;

/** Endpoints of an area, for edges of other processes and for the edge of this process. */
export interface AreaServer extends LocalArea {
  readonly area: Area;
  /** Answers calls that an edge has signed. */
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
}

/** Endpoints and upgrades of an area. */
export interface AreaServerOptions<A extends Area> extends AreaOptions<A> {
  readonly upgrades?: AreaUpgradeOptions["handlers"];
}

/** Creates the server of an area from its handlers. */
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
