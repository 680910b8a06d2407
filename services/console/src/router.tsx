import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { isSpan, type Span } from "./format/times.ts";
import { dimensionOf, type Dimension } from "./parts/dimension.ts";
import { playgroundKinds, type PlaygroundKind } from "./parts/playground-kinds.ts";
import { Frame } from "./parts/frame.tsx";

/** Filters of the call log in the address. */
export interface CallFilters {
  readonly span: Span;
  readonly account?: string | undefined;
  readonly team?: string | undefined;
  readonly token?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  readonly tag?: string | undefined;
  readonly endUser?: string | undefined;
  readonly outcome?: string | undefined;
  readonly status?: string | undefined;
  readonly request?: string | undefined;
  readonly live?: boolean | undefined;
}

/** Filters of the video tasks in the address. */
export interface TaskFilters {
  readonly state?: string | undefined;
  readonly account?: string | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
/** Returns a text parameter. The router parses some texts as numbers. */
const textOrNumber = (value: unknown): string | undefined => (typeof value === "number" ? String(value) : text(value));
const spanIn = (search: Record<string, unknown>): Span => (isSpan(search["span"]) ? search["span"] : "7d");

const root = createRootRoute();
const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: lazyRouteComponent(() => import("./pages/sign-in.tsx"), "SignInPage"),
});
const frame = createRoute({ getParentRoute: () => root, id: "frame", component: Frame });
const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/overview", search: { span: "7d" } });
  },
});
const overview = createRoute({
  getParentRoute: () => frame,
  path: "/overview",
  validateSearch: (search: Record<string, unknown>): { span: Span; by?: Dimension | undefined } => ({
    span: spanIn(search),
    by: dimensionOf(search["by"]),
  }),
  component: lazyRouteComponent(() => import("./pages/overview.tsx"), "OverviewPage"),
});
const calls = createRoute({
  getParentRoute: () => frame,
  path: "/calls",
  validateSearch: (search: Record<string, unknown>): CallFilters => ({
    span: spanIn(search),
    account: textOrNumber(search["account"]),
    team: textOrNumber(search["team"]),
    token: textOrNumber(search["token"]),
    model: textOrNumber(search["model"]),
    channel: textOrNumber(search["channel"]),
    tag: textOrNumber(search["tag"]),
    endUser: textOrNumber(search["endUser"]),
    outcome: textOrNumber(search["outcome"]),
    status: textOrNumber(search["status"]),
    request: textOrNumber(search["request"]),
    live: search["live"] === true ? true : undefined,
  }),
  component: lazyRouteComponent(() => import("./pages/calls.tsx"), "CallsPage"),
});
const call = createRoute({
  getParentRoute: () => frame,
  path: "/calls/$requestId",
  component: lazyRouteComponent(() => import("./pages/call.tsx"), "CallPage"),
});
const accounts = createRoute({
  getParentRoute: () => frame,
  path: "/accounts",
  component: lazyRouteComponent(() => import("./pages/accounts.tsx"), "AccountsPage"),
});
const account = createRoute({
  getParentRoute: () => frame,
  path: "/accounts/$id",
  component: lazyRouteComponent(() => import("./pages/account.tsx"), "AccountPage"),
});
const organisations = createRoute({
  getParentRoute: () => frame,
  path: "/organisations",
  component: lazyRouteComponent(() => import("./pages/organisations.tsx"), "OrganisationsPage"),
});
const organisation = createRoute({
  getParentRoute: () => frame,
  path: "/organisations/$id",
  component: lazyRouteComponent(() => import("./pages/organisation.tsx"), "OrganisationPage"),
});
const channels = createRoute({
  getParentRoute: () => frame,
  path: "/channels",
  component: lazyRouteComponent(() => import("./pages/channels.tsx"), "ChannelsPage"),
});
const models = createRoute({
  getParentRoute: () => frame,
  path: "/models",
  component: lazyRouteComponent(() => import("./pages/models.tsx"), "ModelsPage"),
});
const configuration = createRoute({
  getParentRoute: () => frame,
  path: "/configuration",
  component: lazyRouteComponent(() => import("./pages/configuration.tsx"), "ConfigurationPage"),
});
const operators = createRoute({
  getParentRoute: () => frame,
  path: "/operators",
  component: lazyRouteComponent(() => import("./pages/operators.tsx"), "OperatorsPage"),
});
const tasks = createRoute({
  getParentRoute: () => frame,
  path: "/tasks",
  validateSearch: (search: Record<string, unknown>): TaskFilters => ({
    state: text(search["state"]),
    account: text(search["account"]),
  }),
  component: lazyRouteComponent(() => import("./pages/tasks.tsx"), "TasksPage"),
});
const system = createRoute({
  getParentRoute: () => frame,
  path: "/system",
  component: lazyRouteComponent(() => import("./pages/system.tsx"), "SystemPage"),
});
const audit = createRoute({
  getParentRoute: () => frame,
  path: "/audit",
  validateSearch: (search: Record<string, unknown>): { account?: string | undefined } => ({
    account: textOrNumber(search["account"]),
  }),
  component: lazyRouteComponent(() => import("./pages/audit.tsx"), "AuditPage"),
});
const alerts = createRoute({
  getParentRoute: () => frame,
  path: "/alerts",
  component: lazyRouteComponent(() => import("./pages/alerts.tsx"), "AlertsPage"),
});
const playground = createRoute({
  getParentRoute: () => frame,
  path: "/playground",
  validateSearch: (search: Record<string, unknown>): { kind: PlaygroundKind } => ({
    kind: playgroundKinds.find((known) => known === search["kind"]) ?? "chat",
  }),
  component: lazyRouteComponent(() => import("./pages/playground.tsx"), "PlaygroundPage"),
});

/** Pages and their addresses. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    frame.addChildren([
      overview,
      calls,
      call,
      accounts,
      account,
      organisations,
      organisation,
      channels,
      models,
      configuration,
      operators,
      tasks,
      system,
      audit,
      alerts,
      playground,
    ]),
  ]),
  basepath: "/console",
  // Loads a page's code when its link is hovered or focused.
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
