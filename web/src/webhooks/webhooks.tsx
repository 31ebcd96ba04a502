import { Route, Switch } from 'wouter'
import { NoSuchPage } from '../common/ui/no-such-page.tsx'
import { Permitted } from '../common/ui/permitted.tsx'
import { CreateWebhook } from './create-webhook.tsx'
import { EditWebhook } from './edit-webhook.tsx'
import { ReceivingPage } from './receiving-guide.tsx'
import { WebhookDetail } from './webhook-detail.tsx'
import { WebhookList } from './webhook-list.tsx'
import { texts } from './texts.ts'

export default function Webhooks() {
  return (
    <Switch>
      <Route path="/webhooks" component={WebhookList} />
      <Route path="/webhooks/new">
        <Permitted action="webhooks.write" title={texts.createWebhook}>
          <CreateWebhook />
        </Permitted>
      </Route>
      <Route path="/webhooks/receiving" component={ReceivingPage} />
      <Route path="/webhooks/:webhookId">
        {({ webhookId }) => <WebhookDetail key={webhookId} webhookId={webhookId} />}
      </Route>
      <Route path="/webhooks/:webhookId/edit">
        {({ webhookId }) => (
          <Permitted action="webhooks.write" title={texts.editWebhook}>
            <EditWebhook key={webhookId} webhookId={webhookId} />
          </Permitted>
        )}
      </Route>
      <Route component={NoSuchPage} />
    </Switch>
  )
}
