import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { isSpan, type Span } from "./format/times.ts";
import { AccountPage } from "./pages/account.tsx";
import { AccountsPage } from "./pages/accounts.tsx";
import { AuditPage } from "./pages/audit.tsx";
import { CallPage } from "./pages/call.tsx";
import { CallsPage } from "./pages/calls.tsx";
import { ChannelsPage } from "./pages/channels.tsx";
import { ModelsPage } from "./pages/models.tsx";
import { SystemPage } from "./pages/system.tsx";
import { TasksPage } from "./pages/tasks.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { playgroundKinds, type PlaygroundKind } from "./parts/playground-kinds.ts";
import { Frame } from "./parts/frame.tsx";

/** Filters of the log of calls, as they stand in its address. */
export interface CallFilters {
  readonly span: Span;
  readonly account?: string | undefined;
  readonly token?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  readonly tag?: string | undefined;
  readonly outcome?: string | undefined;
  readonly request?: string | undefined;
  readonly live?: boolean | undefined;
}

/** Filters of the log of video tasks, as they stand in its address. */
export interface TaskFilters {
  readonly state?: string | undefined;
  readonly account?: string | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const spanIn = (search: Record<string, unknown>): Span => (isSpan(search["span"]) ? search["span"] : "7d");

const root = createRootRoute();
const signIn = createRoute({ getParentRoute: () => root, path: "/sign-in", component: SignInPage });
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
  validateSearch: (search: Record<string, unknown>): { span: Span; tag?: string | undefined } => ({
    span: spanIn(search),
    tag: text(search["tag"]),
  }),
  component: lazyRouteComponent(() => import("./pages/overview.tsx"), "OverviewPage"),
});
const calls = createRoute({
  getParentRoute: () => frame,
  path: "/calls",
  validateSearch: (search: Record<string, unknown>): CallFilters => ({
    span: spanIn(search),
    account: text(search["account"]),
    token: text(search["token"]),
    model: text(search["model"]),
    channel: text(search["channel"]),
    tag: text(search["tag"]),
    outcome: text(search["outcome"]),
    request: text(search["request"]),
    live: search["live"] === true ? true : undefined,
  }),
  component: CallsPage,
});
const call = createRoute({ getParentRoute: () => frame, path: "/calls/$requestId", component: CallPage });
const accounts = createRoute({ getParentRoute: () => frame, path: "/accounts", component: AccountsPage });
const account = createRoute({ getParentRoute: () => frame, path: "/accounts/$id", component: AccountPage });
const channels = createRoute({ getParentRoute: () => frame, path: "/channels", component: ChannelsPage });
const models = createRoute({ getParentRoute: () => frame, path: "/models", component: ModelsPage });
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
  component: TasksPage,
});
const system = createRoute({ getParentRoute: () => frame, path: "/system", component: SystemPage });
const audit = createRoute({ getParentRoute: () => frame, path: "/audit", component: AuditPage });
const playground = createRoute({
  getParentRoute: () => frame,
  path: "/playground",
  validateSearch: (search: Record<string, unknown>): { kind: PlaygroundKind } => ({
    kind: playgroundKinds.find((known) => known === search["kind"]) ?? "chat",
  }),
  component: lazyRouteComponent(() => import("./pages/playground.tsx"), "PlaygroundPage"),
});

/** Every page of the console and its address. */
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
      channels,
      models,
      configuration,
      operators,
      tasks,
      system,
      audit,
      playground,
    ]),
  ]),
  basepath: "/console",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
