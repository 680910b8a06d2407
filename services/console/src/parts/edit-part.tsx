import { Button } from "@mantine/core";
import { createContext, lazy, Suspense, useContext, useState, type ReactNode } from "react";
import type { Edit } from "../api/types.ts";
import { usePermission } from "./use-may.ts";
import { translate, type TextKey } from "../texts/translate.ts";

const titles: Readonly<Record<Edit["section"], { readonly add: TextKey; readonly edit: TextKey }>> = {
  models: { add: "Add a model", edit: "Edit the model {name}" },
  groups: { add: "Add a group", edit: "Edit the group {name}" },
  channels: { add: "Add a channel", edit: "Edit the channel {name}" },
};

/** Part of the configuration: a model, a group or a channel. */
export interface Part {
  readonly section: Edit["section"];
  /** Name of the part; absent for a new one. */
  readonly name?: string;
}

const OpenPart = createContext<(part: Part) => void>(() => undefined);
const PartDialog = lazy(async () => ({ default: (await import("./part-form.tsx")).PartDialog }));

/**
 * Renders its children and a form that one of them opens. Inside a table row, the form would disappear with the row.
 */
export function EditFormProvider({ children }: { readonly children: ReactNode }) {
  const [part, setPart] = useState<Part>();
  const close = (): void => setPart(undefined);
  return (
    <OpenPart value={setPart}>
      {children}
      {part !== undefined && (
        <Suspense>
          <PartDialog part={part} title={titleOf(part)} onClose={close} />
        </Suspense>
      )}
    </OpenPart>
  );
}

/** Button that opens the form of a model, group or channel, for admins. */
export function EditPart(part: Part) {
  const open = useContext(OpenPart);
  const mayEdit = usePermission("admin");
  if (!mayEdit) return null;
  const isNew = part.name === undefined;
  return (
    <Button size={isNew ? "xs" : "compact-xs"} variant="default" onClick={() => open(part)} aria-label={titleOf(part)}>
      {isNew ? titleOf(part) : translate("Edit")}
    </Button>
  );
}

function titleOf({ section, name }: Part): string {
  return name === undefined ? translate(titles[section].add) : translate(titles[section].edit, { name });
}
