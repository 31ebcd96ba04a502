import { Route, Switch } from 'wouter'
import { NoSuchPage } from '../common/ui/no-such-page.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { Inspector } from './inspector.tsx'
import { texts } from './texts.ts'

/** The deliveries of all webhooks, and the page of a single delivery. */
export default function Deliveries() {
  return (
    <Switch>
      <Route path="/deliveries">
        <PageTitle title={texts.deliveries} />
        <DeliveryList path="/deliveries" showsWebhook />
      </Route>
      <Route path="/deliveries/:webhookId/:deliveryId">
        {({ webhookId, deliveryId }) => (
          <Inspector key={deliveryId} webhookId={webhookId} deliveryId={deliveryId} />
        )}
      </Route>
      <Route component={NoSuchPage} />
    </Switch>
  )
}
