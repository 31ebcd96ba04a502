import { Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { Shell } from './common/layout/shell.tsx'
import { usePlace, useSession } from './common/session/context.ts'
import { ButtonLink } from './common/ui/button-link.tsx'
import { Waiting } from './common/ui/loaded.tsx'
import { NoSuchPage } from './common/ui/no-such-page.tsx'
import { PageTitle } from './common/ui/page-title.tsx'
import { ScreenBoundary } from './common/ui/screen-boundary.tsx'
import { texts } from './texts.ts'

// Each screen is loaded when it is first opened.
const Overview = lazy(() => import('./overview/overview.tsx'))
const Keys = lazy(() => import('./keys/keys.tsx'))
const Webhooks = lazy(() => import('./webhooks/webhooks.tsx'))
const Deliveries = lazy(() => import('./deliveries/deliveries.tsx'))
const Notices = lazy(() => import('./notices/notices.tsx'))
const Channels = lazy(() => import('./channels/channels.tsx'))
const Events = lazy(() => import('./events/events.tsx'))
const Users = lazy(() => import('./users/users.tsx'))
const Audit = lazy(() => import('./audit/audit.tsx'))
const Account = lazy(() => import('./account/account.tsx'))

/** The screens of the company and environment that the URL names. */
export function Company() {
  const { company, environments } = useSession()
  const { companyId, environment } = usePlace()
  const [path] = useLocation()
  const isOurs = companyId === company.id
  if (isOurs && !environments.includes(environment))
    return <Redirect to={`~/console/c/${company.id}/live/overview`} />
  return (
    <Shell>
      {isOurs ? (
        // A switch between live and sandbox renders every screen anew, so that no data of one environment shows in the other.
        <ScreenBoundary key={`${environment} ${path.split('/')[1] ?? ''}`}>
          <Suspense fallback={<Waiting />}>
            <Switch>
              <Route path="/overview">
                <Overview />
              </Route>
              <Route path="/keys/*?">
                <Keys />
              </Route>
              <Route path="/webhooks/*?">
                <Webhooks />
              </Route>
              <Route path="/deliveries/*?">
                <Deliveries />
              </Route>
              <Route path="/notices">
                <Notices />
              </Route>
              <Route path="/channels">
                <Channels />
              </Route>
              <Route path="/events/*?">
                <Events />
              </Route>
              <Route path="/users/*?">
                <Users />
              </Route>
              <Route path="/audit">
                <Audit />
              </Route>
              <Route path="/account">
                <Account />
              </Route>
              <Route path="/">
                <Redirect to="/overview" replace />
              </Route>
              <Route component={NoSuchPage} />
            </Switch>
          </Suspense>
        </ScreenBoundary>
      ) : (
        <ForeignCompany name={company.name} id={company.id} />
      )}
    </Shell>
  )
}

function ForeignCompany({ name, id }: { name: string; id: string }) {
  return (
    <>
      <PageTitle title={texts.anotherCompany} />
      <Text mb="md">{texts.foreignCompany({ company: <bdi className="foreign">{name}</bdi> })}</Text>
      <ButtonLink href={`~/console/c/${id}/live/overview`}>{texts.goToYourOwnCompany}</ButtonLink>
    </>
  )
}
