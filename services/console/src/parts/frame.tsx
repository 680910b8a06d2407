import { AppShell, Burger, Button, Center, Group, Loader, NavLink, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconActivity from "@tabler/icons-react/dist/esm/icons/IconActivity.mjs";
import IconBell from "@tabler/icons-react/dist/esm/icons/IconBell.mjs";
import IconBox from "@tabler/icons-react/dist/esm/icons/IconBox.mjs";
import IconChartBar from "@tabler/icons-react/dist/esm/icons/IconChartBar.mjs";
import IconMessage from "@tabler/icons-react/dist/esm/icons/IconMessage.mjs";
import IconPlugConnected from "@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs";
import IconMovie from "@tabler/icons-react/dist/esm/icons/IconMovie.mjs";
import IconServer from "@tabler/icons-react/dist/esm/icons/IconServer.mjs";
import IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import type { ComponentType } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Navigate, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import IconHistory from "@tabler/icons-react/dist/esm/icons/IconHistory.mjs";
import IconSettings from "@tabler/icons-react/dist/esm/icons/IconSettings.mjs";
import IconSitemap from "@tabler/icons-react/dist/esm/icons/IconSitemap.mjs";
import IconShield from "@tabler/icons-react/dist/esm/icons/IconShield.mjs";
import { ApiError, get, post } from "../api/client.ts";
import type { Session } from "../api/types.ts";
import { EditFormProvider } from "./edit-part.tsx";
import { QueryError } from "./states.tsx";
import { organisationOf } from "./use-may.ts";
import { chooseLanguage, language, languages, translate, translateTerm } from "../texts/translate.ts";

const pages: readonly {
  readonly to: string;
  readonly label: string;
  readonly icon: ComponentType<{ size: number }>;
  /** People who see the page; absent for everybody. */
  readonly for?:
    | "operators"
    | "admins"
    | "members of accounts"
    | "members of organisations"
    | "members of accounts and admins of organisations";
}[] = [
  { to: "/overview", label: translate("Overview"), icon: IconChartBar },
  { to: "/calls", label: translate("Calls"), icon: IconActivity },
  { to: "/accounts", label: translate("Accounts and keys"), icon: IconUsers, for: "members of accounts" },
  { to: "/organisations", label: translate("Organisations"), icon: IconSitemap, for: "members of organisations" },
  { to: "/tasks", label: translate("Video tasks"), icon: IconMovie, for: "members of accounts" },
  { to: "/models", label: translate("Models"), icon: IconBox },
  { to: "/channels", label: translate("Channels"), icon: IconPlugConnected, for: "operators" },
  { to: "/configuration", label: translate("Configuration"), icon: IconSettings, for: "operators" },
  { to: "/operators", label: translate("Operators"), icon: IconShield, for: "admins" },
  { to: "/system", label: translate("System"), icon: IconServer, for: "operators" },
  { to: "/alerts", label: translate("Alerts"), icon: IconBell, for: "members of accounts and admins of organisations" },
  {
    to: "/audit",
    label: translate("Audit"),
    icon: IconHistory,
    for: "members of accounts and admins of organisations",
  },
  { to: "/playground", label: translate("Playground"), icon: IconMessage },
];

/** Frame of every page. Redirects to the sign-in page if nobody is signed in. */
export function Frame() {
  const session = useQuery({ queryKey: ["session"], queryFn: () => get("/session") });
  if (session.isPending)
    return (
      <Center h="100vh">
        <Loader role="status" aria-label={translate("Loading")} />
      </Center>
    );
  if (session.error instanceof ApiError && session.error.status === 401) return <Navigate to="/sign-in" />;
  if (session.error !== null) return <QueryError error={session.error} retry={() => void session.refetch()} />;
  return <SignedIn session={session.data} />;
}

function SignedIn({ session }: { readonly session: Session }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={translate("Navigation")} />
            <Title order={1} size="h4">
              modelgate
            </Title>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Text size="sm" visibleFrom="xs">
              {session.email ?? session.name} ({translateTerm(session.role)}
              {scopeText(session)})
            </Text>
            <LanguageChoice />
            <SignOut />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <Navigation session={session} onFollow={close} />
      </AppShell.Navbar>
      <AppShell.Main>
        <EditFormProvider>
          <Outlet />
        </EditFormProvider>
      </AppShell.Main>
    </AppShell>
  );
}

/** Returns the account or organisation of a person, for the text about the person. */
function scopeText(session: Session): string {
  const organisation = organisationOf(session);
  if (organisation !== undefined) return translate(" of the organisation {organisation}", { organisation });
  return session.account === null ? "" : translate(" of {account}", { account: session.account });
}

function pagesFor(session: Session, isOrganisationAdmin: boolean): typeof pages {
  const isOperator = session.account === null;
  const isOfOrganisation = organisationOf(session) !== undefined;
  const sees = {
    operators: isOperator,
    admins: isOperator && session.role === "admin",
    "members of accounts": !isOfOrganisation,
    "members of organisations": isOperator || isOfOrganisation,
    "members of accounts and admins of organisations": !isOfOrganisation || isOrganisationAdmin,
  };
  return pages.filter((page) => page.for === undefined || sees[page.for]);
}

function Navigation({ session, onFollow }: { readonly session: Session; readonly onFollow: () => void }) {
  const { pathname } = useLocation();
  const organisations = useQuery({
    queryKey: ["organisations"],
    queryFn: () => get("/organisations"),
    enabled: organisationOf(session) !== undefined,
  });
  const isOrganisationAdmin = organisations.data?.some(({ mayAdminister }) => mayAdminister) === true;
  return (
    <Stack gap={2}>
      {pagesFor(session, isOrganisationAdmin).map(({ to, label, icon: PageIcon }) => (
        <NavLink
          key={to}
          component={Link}
          to={to}
          label={label}
          leftSection={<PageIcon size={18} />}
          variant="filled"
          active={pathname.startsWith(to)}
          onClick={onFollow}
        />
      ))}
    </Stack>
  );
}

function LanguageChoice() {
  const other = language() === "zh" ? "en" : "zh";
  return (
    <Button variant="subtle" size="compact-xs" lang={other} onClick={() => chooseLanguage(other)}>
      {languages[other]}
    </Button>
  );
}

function SignOut() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signOut = async (): Promise<void> => {
    await post("/session/end");
    queries.clear();
    await navigate({ to: "/sign-in" });
  };
  return (
    <Button variant="default" size="xs" onClick={() => void signOut()}>
      {translate("Sign out")}
    </Button>
  );
}
