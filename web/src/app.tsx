import { useQuery } from '@tanstack/react-query'
import { Redirect, Route, Switch } from 'wouter'
import { Company } from './company.tsx'
import { ConnectionBanner } from './common/layout/connection-banner.tsx'
import { Loaded, Waiting } from './common/ui/loaded.tsx'
import { SignedInProvider, useAnySession, useClient } from './common/session/context.ts'
import { Prompts } from './sign-in/prompts.tsx'
import { SignIn } from './sign-in/sign-in.tsx'

/** Shows the sign-in at any address until a user is signed in, then the page of that address. */
export function App() {
  const client = useClient()
  const session = useAnySession()
  const first = useQuery({
    queryKey: ['session'],
    queryFn: () => client.session(),
    staleTime: Number.POSITIVE_INFINITY,
    // A session that another tab ended must not take away a form that is being filled in: the next call finds out.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  if (session === undefined)
    return (
      <main>
        <Loaded reading={first}>{() => <Waiting />}</Loaded>
      </main>
    )
  return (
    <>
      <ConnectionBanner />
      {session.state === 'signed_out' ? (
        <SignIn />
      ) : (
        <SignedInProvider value={session}>
          <Switch>
            <Route path="/c/:companyId/:environment" nest>
              <Company />
            </Route>
            <Route>
              <Redirect to={`/c/${session.company.id}/live/overview`} replace />
            </Route>
          </Switch>
          <Prompts />
        </SignedInProvider>
      )}
    </>
  )
}
