import { Route, Switch } from 'wouter'
import { NoSuchPage } from '../common/ui/no-such-page.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { UrlTabs } from '../common/ui/url-tabs.tsx'
import { Catalog } from './catalog.tsx'
import { EventList } from './event-list.tsx'
import { EventPage } from './event-page.tsx'
import { texts } from './texts.ts'

/** The published events, the page of a single event, and the catalog of event types. */
export default function Events() {
  return (
    <Switch>
      <Route path="/events">
        <PageTitle title={texts.events} />
        <UrlTabs
          tabs={[
            { name: 'published', title: texts.published, content: () => <EventList /> },
            { name: 'catalog', title: texts.catalog, content: () => <Catalog /> },
          ]}
        />
      </Route>
      <Route path="/events/:eventId">{({ eventId }) => <EventPage key={eventId} eventId={eventId} />}</Route>
      <Route component={NoSuchPage} />
    </Switch>
  )
}
