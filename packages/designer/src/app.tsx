import { lazy, Suspense, useEffect, useState } from "react";
import { Redirect, Route, Switch } from "wouter";
import { onSignedOut } from "./api-client/api-errors.ts";
import { workspaceClient } from "./api-client/workspace-client.ts";
import { FlowsScreen } from "./screens/flows-screen.tsx";
import { Shell } from "./screens/shell.tsx";
import { SignInScreen } from "./screens/sign-in-screen.tsx";
import { strings } from "./strings.ts";

const EditorScreen = lazy(() => import("./screens/editor/editor-screen.tsx").then((module) => ({ default: module.EditorScreen })));
const RunsScreen = lazy(() => import("./screens/runs-screen.tsx").then((module) => ({ default: module.RunsScreen })));
const DeadLettersScreen = lazy(() => import("./screens/dead-letters-screen.tsx").then((module) => ({ default: module.DeadLettersScreen })));
const LogsScreen = lazy(() => import("./screens/logs-screen.tsx").then((module) => ({ default: module.LogsScreen })));
const NodesScreen = lazy(() => import("./screens/nodes-screen.tsx").then((module) => ({ default: module.NodesScreen })));
const MappingsScreen = lazy(() => import("./screens/mappings/mappings-screen.tsx").then((module) => ({ default: module.MappingsScreen })));
const TableScreen = lazy(() => import("./screens/mappings/table-screen.tsx").then((module) => ({ default: module.TableScreen })));
const DocumentScreen = lazy(() => import("./screens/mappings/document-screen.tsx").then((module) => ({ default: module.DocumentScreen })));
const ConnectionsScreen = lazy(() => import("./screens/connections/connections-screen.tsx").then((module) => ({ default: module.ConnectionsScreen })));
const ConnectionScreen = lazy(() => import("./screens/connections/connection-screen.tsx").then((module) => ({ default: module.ConnectionScreen })));
const AccessScreen = lazy(() => import("./screens/access/access-screen.tsx").then((module) => ({ default: module.AccessScreen })));
const PolicyScreen = lazy(() => import("./screens/access/policy-screen.tsx").then((module) => ({ default: module.PolicyScreen })));
const TestsScreen = lazy(() => import("./screens/tests-screen.tsx").then((module) => ({ default: module.TestsScreen })));
const TestFileScreen = lazy(() => import("./screens/test-file-screen.tsx").then((module) => ({ default: module.TestFileScreen })));
const ApiScreen = lazy(() => import("./screens/api/api-screen.tsx").then((module) => ({ default: module.ApiScreen })));
const SettingsScreen = lazy(() => import("./screens/settings-screen.tsx").then((module) => ({ default: module.SettingsScreen })));

export function App() {
  const [signedIn, setSignedIn] = useState<boolean | undefined>(undefined);
  const [hasPassword, setHasPassword] = useState(false);
  useEffect(() => {
    void workspaceClient.session().then(
      (session) => {
        setSignedIn(session.signedIn);
        setHasPassword(session.passwordRequired);
      },
      () => setSignedIn(true),
    );
    return onSignedOut(() => setSignedIn(false));
  }, []);
  if (signedIn === undefined) return <p className="visually-hidden">{strings.common.loading}</p>;
  if (!signedIn) return <SignInScreen onSignedIn={() => setSignedIn(true)} />;
  return (
    <Shell onSignOut={hasPassword ? () => void workspaceClient.signOut().then(() => setSignedIn(false)) : undefined}>
      <Suspense fallback={<p className="screen muted">{strings.common.loading}</p>}>
        <Switch>
          <Route path="/flows/new">
            <FlowsScreen creating />
          </Route>
          <Route path="/flows">
            <FlowsScreen />
          </Route>
          <Route path="/flows/:id">{({ id }) => <EditorScreen key={id} id={id} />}</Route>
          <Route path="/flows/:id/runs/:runId">{({ id, runId }) => <EditorScreen key={id} id={id} runId={runId} />}</Route>
          <Route path="/flows/:id/access">{({ id }) => <PolicyScreen key={id} flowId={id} />}</Route>
          <Route path="/connections/new">
            <ConnectionsScreen creating />
          </Route>
          <Route path="/connections">
            <ConnectionsScreen />
          </Route>
          <Route path="/connections/:id">{({ id }) => <ConnectionScreen key={id} id={id} />}</Route>
          <Route path="/nodes" component={NodesScreen} />
          <Route path="/access" component={AccessScreen} />
          <Route path="/mappings" component={MappingsScreen} />
          <Route path="/mappings/values/:id">{({ id }) => <TableScreen key={id} id={id} />}</Route>
          <Route path="/mappings/messages/:id">{({ id }) => <DocumentScreen key={id} id={id} />}</Route>
          <Route path="/dead-letters" component={DeadLettersScreen} />
          <Route path="/runs" component={RunsScreen} />
          <Route path="/tests" component={TestsScreen} />
          <Route path="/tests/:flow/:file">{({ flow, file }) => <TestFileScreen key={`${flow}/${file}`} flowId={flow} fileId={file} />}</Route>
          <Route path="/logs" component={LogsScreen} />
          <Route path="/api-reference" component={ApiScreen} />
          <Route path="/settings" component={SettingsScreen} />
          <Route>
            <Redirect to="/flows" replace />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}
