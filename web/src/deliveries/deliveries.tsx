import { Route, Switch } from 'wouter'
import { ButtonLink } from '../common/ui/button-link.js'
import { PageTitle } from '../common/ui/page-title.js'
import { DeliveryList } from './delivery-list.js'
import { Inspector } from './inspector.js'

/** The deliveries of all webhooks, and any one of them. */
export default function Deliveries() {
  return (
    <Switch>
      <Route path="/deliveries">
        <PageTitle title="Deliveries" />
        <DeliveryList path="/deliveries" showsWebhook />
      </Route>
      <Route path="/deliveries/:webhookId/:deliveryId">
        {({ webhookId, deliveryId }) => (
          <Inspector key={deliveryId} webhookId={webhookId} deliveryId={deliveryId} />
        )}
      </Route>
      <Route>
        <PageTitle title="No such page" />
        <ButtonLink href="/deliveries">To the deliveries</ButtonLink>
      </Route>
    </Switch>
  )
}
