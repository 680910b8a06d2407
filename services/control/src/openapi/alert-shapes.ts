import { Alert, AlertDelivery as StoredDelivery, AlertTarget as StoredTarget } from "@modelgate/contracts";
import { Type } from "typebox";

/** Named schemas of alerts in control's API. */
export const AlertTarget = Type.Object(StoredTarget.properties);
export const NewAlertTarget = Type.Object({ ...StoredTarget.properties, secret: Type.Optional(Type.String()) });
export const AlertTest = Type.Object({ delivered: Type.Boolean(), error: Type.String() });
export const AlertDelivery = Type.Object(StoredDelivery.properties);
export const DeliveredAlert = Type.Object({ ...Alert.properties, deliveries: Type.Array(AlertDelivery) });
