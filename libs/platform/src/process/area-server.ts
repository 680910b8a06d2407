import type { RequestListener } from "node:http";
import type { Area } from "@modelgate/contracts";
import { areaHandler, localCallHandler, type AdmittedCall, type AreaOptions } from "../area-handler.ts";
import { areaUpgrade, localUpgradeHandler, type AdmittedUpgrade, type AreaUpgradeOptions } from "../area-upgrade.ts";
import type { UpgradeHandler } from "../http-server.ts";

/** An area in the process of the edge, which calls it directly. */
export interface LocalArea {
  /** Answers an admitted call. Throws Failure unknown_url if the area has no such endpoint. */
  readonly handle: (call: AdmittedCall) => void;
  /**
   * Upgrades or refuses a connection, and resolves with the status of the answer. Throws Failure unknown_url if the
   * area has no such upgrade.
   */
  readonly handleUpgrade: (call: AdmittedUpgrade) => Promise<number>;
}

export type LocalAreas = ReadonlyMap<Area, LocalArea>;

/** Server of an area, for the edge of this process and for edges of other processes. */
export interface AreaServer extends LocalArea {
  readonly area: Area;
  /** Answers calls that an edge has signed. */
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
}

export interface AreaServerOptions<A extends Area> extends AreaOptions<A> {
  readonly upgrades?: AreaUpgradeOptions["handlers"];
}

export function serveArea<A extends Area>({ upgrades, ...options }: AreaServerOptions<A>): AreaServer {
  const { area, secrets, log, refused } = options;
  return {
    area,
    handler: areaHandler(options),
    upgrade: upgrades === undefined ? undefined : areaUpgrade({ area, secrets, log, refused, handlers: upgrades }),
    handle: localCallHandler(options),
    handleUpgrade: localUpgradeHandler({ log, refused, handlers: upgrades ?? {} }),
  };
}
