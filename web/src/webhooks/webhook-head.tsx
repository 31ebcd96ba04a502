import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Webhook, WebhookActivity } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useOne } from '../common/session/queries.ts'
import { Copy } from '../common/ui/copy.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { MissedCheck } from '../recoveries/missed-check.tsx'
import { RecoverButton } from '../recoveries/recover-dialog.tsx'
import { HealthBadge } from './health-badge.tsx'
import { HealthNotice, toldCauseOf } from './health-notice.tsx'
import { useTestEvent } from './test-event/test-event.tsx'
import { useActivation } from './use-activation.ts'
import { WebhookMenu } from './webhook-actions.tsx'
import { WebhookPulse } from './webhook-pulse.tsx'
import { texts } from './texts.ts'

/** How often the last 24 hours are read again. */
const READ_EVERY_MS = 30_000

/** The top of a webhook's page: its state and figures in one row, its actions, and what is wrong. */
export function WebhookHead({ webhook }: { webhook: Webhook }) {
  const mayWrite = useMay('webhooks.write')
  const [activity] =
    useOne<readonly WebhookActivity[]>('/activity/webhooks', {
      query: { ids: webhook.id },
      everyMs: READ_EVERY_MS,
    }).data?.item ?? []
  const test = useTestEvent({
    webhookId: webhook.id,
    events: webhook.events,
    toldCause: toldCauseOf(webhook)?.cause,
  })
  const [isActivated, setActivated] = useState(false)
  const { isBusy, toggle } = useActivation(webhook, (changed) => setActivated(changed.is_active))
  return (
    <>
      <PageTitle
        title={webhook.name}
        beside={<HealthBadge health={webhook.health} activity={activity} isBadge />}
      >
        {test.button}
        <RecoverButton webhook={webhook} />
        <WebhookMenu webhook={webhook} isBusy={isBusy} onToggle={toggle} />
      </PageTitle>
      <div className="head-line">
        <span className="copyable mono quiet">
          <ForeignText text={webhook.url} limit={80} />
          <Copy text={webhook.url} what={texts.fields.url} />
        </span>
        {activity && <WebhookPulse activity={activity} />}
      </div>
      <Stack gap="sm">
        <HealthNotice
          webhook={webhook}
          action={
            !webhook.is_active &&
            mayWrite && (
              <Button size="xs" variant="default" loading={isBusy} onClick={toggle}>
                {texts.activate}
              </Button>
            )
          }
        />
        {test.outcome}
      </Stack>
      {isActivated && <MissedCheck webhook={webhook} onClose={() => setActivated(false)} />}
    </>
  )
}
