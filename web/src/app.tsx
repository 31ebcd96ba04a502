import { useQuery } from '@tanstack/react-query'
import { Redirect, Route, Switch } from 'wouter'
import { Company } from './company.js'
import { ConnectionBanner } from './common/layout/connection-banner.js'
import { Loaded, Waiting } from './common/ui/loaded.js'
import { SignedInProvider, useAnySession, useClient } from './common/session/context.js'
import { Prompts } from './sign-in/prompts.js'
import { SignIn } from './sign-in/sign-in.js'

/** Who is not signed in gets the sign-in, at whatever address: afterwards the page of that address is there. */
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
