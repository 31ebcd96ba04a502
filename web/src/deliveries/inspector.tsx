import { Anchor, Group, Stack, Title } from '@mantine/core'
import type { DeliveryDetail, Webhook } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { useOne } from '../common/session/queries.ts'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { Attempts } from './attempts.tsx'
import { Diagnosis } from './diagnosis.tsx'
import { Payload } from './payload.tsx'
import { ResendButton } from './resend-button.tsx'
import { RetryButton } from './retry-button.tsx'
import { Summary } from './summary.tsx'

/** How often an open delivery is read anew, and one that has ended: a retry may open it again. */
const OPEN_EVERY_MS = 2_000
const ENDED_EVERY_MS = 15_000

/** Everything about one delivery: what was sent, what came back, why it failed, and what to do. */
export function Inspector({ webhookId, deliveryId }: { webhookId: string; deliveryId: string }) {
  const path = `/webhooks/${webhookId}/deliveries/${deliveryId}`
  const reading = useOne<DeliveryDetail>(path, {
    everyMs: ({ status }) => (status === 'pending' || status === 'retrying' ? OPEN_EVERY_MS : ENDED_EVERY_MS),
  })
  const webhook = useOne<Webhook>(`/webhooks/${webhookId}`)
  return (
    <>
      <PageTitle title="Delivery" />
      <Loaded reading={reading}>
        {({ item }) => (
          <Stack gap="lg">
            <Group>
              <RetryButton delivery={item} />
              <ResendButton delivery={item} />
              <TemporalLink deliveryId={deliveryId} />
              <TextLink href={`/webhooks/${webhookId}`}>
                Webhook <bdi className="foreign">{webhook.data?.item.name ?? ''}</bdi>
              </TextLink>
            </Group>
            <Diagnosis delivery={item} />
            <Summary delivery={item} />
            <section aria-labelledby="attempts">
              <Title order={2} size="h3" id="attempts" mb="sm">
                Attempts
              </Title>
              <Attempts delivery={item} />
            </section>
            <section aria-labelledby="sent">
              <Title order={2} size="h3" id="sent" mb="sm">
                What is sent
              </Title>
              <Payload delivery={item} webhook={webhook.data?.item} />
            </section>
          </Stack>
        )}
      </Loaded>
    </>
  )
}

function TemporalLink({ deliveryId }: { deliveryId: string }) {
  const { temporal_ui_url: ui, temporal_namespace: namespace } = useSession().settings
  if (ui === null) return null
  return (
    <Anchor
      href={`${ui}/namespaces/${namespace}/workflows/${deliveryId}`}
      rel="noreferrer"
      target="_blank"
      underline="always"
    >
      Workflow in Temporal (new tab)
    </Anchor>
  )
}
