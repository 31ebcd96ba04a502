import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { Company } from './company.tsx'
import { ConnectionBanner } from './common/layout/connection-banner.tsx'
import { Loaded, Waiting } from './common/ui/loaded.tsx'
import { SignedInProvider, useAnySession, useClient } from './common/session/context.ts'
import { Prompts } from './sign-in/prompts.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import type { SignedIn } from './common/api/wire.ts'

// Loaded when needed, because few people see these pages.
const Join = lazy(() => import('./join/join.tsx'))
const SecondFactorFirst = lazy(() => import('./sign-in/second-factor-first.tsx'))

/** Shows the sign-in at any address until a user is signed in, then the page of that address. */
export function App() {
  const client = useClient()
  const session = useAnySession()
  const first = useQuery({
    queryKey: ['session'],
    queryFn: () => client.session(),
    staleTime: Number.POSITIVE_INFINITY,
    // While a form is being filled in, the screen ignores that another tab ended the session. The next call finds that out.
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
      <Suspense fallback={<Waiting />}>
        <Switch>
          {/* A signed-in user may also open a link that is meant for somebody else. */}
          <Route path="/join">
            <Join />
          </Route>
          <Route>{session.state === 'signed_out' ? <SignIn /> : <SignedInScreens session={session} />}</Route>
        </Switch>
      </Suspense>
    </>
  )
}

function SignedInScreens({ session }: { session: SignedIn }) {
  return (
    <SignedInProvider value={session}>
      {session.second_factor_missing ? (
        <SecondFactorFirst />
      ) : (
        <Switch>
          <Route path="/c/:companyId/:environment" nest>
            <Company />
          </Route>
          <Route>
            <Redirect to={`/c/${session.company.id}/live/overview`} replace />
          </Route>
        </Switch>
      )}
      <Prompts />
    </SignedInProvider>
  )
}
