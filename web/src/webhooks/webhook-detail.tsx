import type { Webhook } from '../common/api/wire.ts'
import { DeliveryList } from '../deliveries/delivery-list.tsx'
import { useOne } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { History } from '../audit/history.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { UrlTabs } from '../common/ui/url-tabs.tsx'
import { MissedCheck } from '../recoveries/missed-check.tsx'
import { RecoverButton } from '../recoveries/recover-dialog.tsx'
import { RecoveryList } from '../recoveries/recovery-list.tsx'
import { ReceivingGuide } from './receiving-guide.tsx'
import { WebhookHead } from './webhook-head.tsx'
import { AttemptMetrics } from './webhook-metrics.tsx'
import { SigningSecret } from './settings/signing-secret.tsx'
import { WebhookSettingsView } from './settings/webhook-settings.tsx'
import { texts } from './texts.ts'

/** How often an open webhook is read again. */
const READ_EVERY_MS = 10_000

export function WebhookDetail({ webhookId }: { webhookId: string }) {
  const reading = useOne<Webhook>(`/webhooks/${webhookId}`, { everyMs: READ_EVERY_MS })
  return (
    <Loaded reading={reading}>
      {({ item }) => (
        <>
          <WebhookHead webhook={item} />
          <ActivatedOffer webhook={item} />
          <UrlTabs
            tabs={[
              {
                name: 'deliveries',
                title: texts.deliveries,
                content: () => (
                  <DeliveryList
                    path={`/webhooks/${webhookId}/deliveries`}
                    recover={<RecoverButton webhook={item} isOfList />}
                  />
                ),
              },
              {
                name: 'recoveries',
                title: texts.recoveries,
                content: () => <RecoveryList webhook={item} />,
              },
              {
                name: 'metrics',
                title: texts.metrics,
                content: () => (
                  <AttemptMetrics path={`/webhooks/${webhookId}/stats`} list={`/webhooks/${webhookId}`} />
                ),
              },
              {
                name: 'settings',
                title: texts.settings,
                content: () => (
                  <div className="narrow">
                    <WebhookSettingsView key={item.updated_at} webhook={item} />
                    <SigningSecret webhook={item} />
                  </div>
                ),
              },
              {
                name: 'history',
                title: texts.history,
                content: () => <History path={`/webhooks/${webhookId}/history`} />,
              },
              { name: 'docs', title: texts.docs, content: () => <ReceivingGuide /> },
            ]}
          />
        </>
      )}
    </Loaded>
  )
}

/** After the form has activated a webhook, it leads here with `activated` in the address. */
function ActivatedOffer({ webhook }: { webhook: Webhook }) {
  const { get, set } = useUrlFilters()
  if (get('activated') === '') return null
  return <MissedCheck webhook={webhook} onClose={() => set({ activated: '' })} />
}
