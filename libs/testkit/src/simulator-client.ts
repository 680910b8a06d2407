export interface SeenFile {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Request that a simulated vendor received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sha256: string;
  readonly bytes: number;
  readonly body: string;
  /** Text fields of a form. */
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly files?: readonly SeenFile[];
  readonly aborted?: boolean;
  /** Messages that a WebSocket received; binary ones in Base64. */
  readonly messages?: readonly string[];
  readonly sentBytes?: number;
  readonly closeCode?: number;
}

/**
 * Client that controls the simulator. The simulator's instances are vendors, each with a separate script and list of
 * requests.
 */
export interface SimulatorClient {
  readonly url: string;
  /** Sets the behaviours of an instance's next requests, one per request. */
  script(instance: string, steps: readonly object[]): Promise<void>;
  requests(instance: string): Promise<readonly ReceivedRequest[]>;
  forget(instance: string): Promise<void>;
  /** Lets answers continue that wait for this name (`waitFor` of their behaviour). */
  release(name: string): Promise<void>;
}

export function simulatorAt(url: string): SimulatorClient {
  return {
    url,
    async script(instance, steps) {
      const response = await fetch(`${url}/_script/${instance}`, { method: "PUT", body: JSON.stringify(steps) });
      if (!response.ok) throw new Error(await response.text());
    },
    async requests(instance) {
      const receivedRequests: ReceivedRequest[] = JSON.parse(
        await (await fetch(`${url}/_requests/${instance}`)).text(),
      );
      return receivedRequests;
    },
    async forget(instance) {
      await fetch(`${url}/_requests/${instance}`, { method: "DELETE" });
    },
    async release(name) {
      await fetch(`${url}/_release/${name}`, { method: "PUT" });
    },
  };
}
