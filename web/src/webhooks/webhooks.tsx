import { Route, Switch } from 'wouter'
import { CreateWebhook } from './create-webhook.js'
import { EditWebhook } from './edit-webhook.js'
import { ReceivingPage } from './receiving-guide.js'
import { WebhookDetail } from './webhook-detail.js'
import { WebhookList } from './webhook-list.js'

export default function Webhooks() {
  return (
    <Switch>
      <Route path="/webhooks" component={WebhookList} />
      <Route path="/webhooks/new" component={CreateWebhook} />
      <Route path="/webhooks/receiving" component={ReceivingPage} />
      <Route path="/webhooks/:webhookId">
        {({ webhookId }) => <WebhookDetail key={webhookId} webhookId={webhookId} />}
      </Route>
      <Route path="/webhooks/:webhookId/edit">
        {({ webhookId }) => <EditWebhook key={webhookId} webhookId={webhookId} />}
      </Route>
    </Switch>
  )
}
