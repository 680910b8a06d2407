import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

function SmallAnchor(props: AnchorProps & Omit<ComponentPropsWithRef<"a">, keyof AnchorProps>) {
  return <Anchor size="sm" {...props} />;
}

/** A link to a page of the console; its address is checked against the router. */
export const PageLink = createLink(SmallAnchor);
