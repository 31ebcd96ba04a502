import { Stack } from '@mantine/core'
import type { Webhook } from '../../common/api/wire.ts'
import { useMay, useSession } from '../../common/session/context.ts'
import { ButtonLink } from '../../common/ui/button-link.tsx'
import { Card } from '../../common/ui/card.tsx'
import { Facts } from '../../common/ui/facts.tsx'
import { ForeignText } from '../../common/ui/foreign-text.tsx'
import { ShortId } from '../../common/ui/short-id.tsx'
import { When } from '../../common/ui/when.tsx'
import { useHiddenValues } from '../use-hidden-values.tsx'
import { planInWords, retryPlan } from '../retry-plan.ts'
import { texts as shared } from '../texts.ts'
import { texts } from './texts.ts'

type Props = { readonly webhook: Webhook }

/** The settings of a webhook, read only: where it sends, what, and how. */
export function WebhookSettingsView({ webhook }: Props) {
  const { id, description, events, filter } = webhook
  const mayWrite = useMay('webhooks.write')
  return (
    <>
      <Card
        id="endpoint"
        title={texts.endpoint}
        note={texts.endpointMeans}
        action={mayWrite && <ButtonLink href={`/webhooks/${id}/edit`}>{shared.edit}</ButtonLink>}
      >
        <Facts
          isList
          facts={[
            [
              shared.fields.url,
              <span key="url" className="mono">
                <ForeignText text={webhook.url} limit={300} />
              </span>,
            ],
            [
              shared.fields.description,
              description ? <ForeignText key="text" text={description} limit={300} /> : '–',
            ],
            [texts.id, <ShortId key="id" id={id} what={texts.webhookId} />],
            [texts.created, <When key="created" at={webhook.created_at} />],
            [texts.changed, <When key="changed" at={webhook.updated_at} />],
          ]}
        />
      </Card>
      <Card id="events" title={shared.fields.events} note={texts.eventsMean}>
        <Facts
          isList
          facts={[
            [
              texts.eventTypes,
              <span key="events" className="tags">
                {events.map((event) => (
                  <span key={event}>{event}</span>
                ))}
              </span>,
            ],
            [
              shared.fields.filter,
              filter ? (
                <span key="filter" className="mono">
                  <ForeignText text={JSON.stringify(filter)} limit={300} />
                </span>
              ) : (
                texts.noFilter
              ),
            ],
          ]}
        />
      </Card>
      <Sending webhook={webhook} />
    </>
  )
}

function Sending({ webhook: { id, headers, max_retries, retry_schedule, send_traceparent } }: Props) {
  const { settings } = useSession()
  const names = Object.keys(headers)
  const { values, control } = useHiddenValues(id)
  return (
    <Card id="sending" title={texts.sending} note={texts.sendingMeans}>
      <Facts
        isList
        facts={[
          [
            shared.fields.max_retries,
            planInWords(retryPlan(retry_schedule ?? settings.retry_schedule, max_retries)),
          ],
          [
            shared.customHeaders,
            names.length === 0 ? (
              texts.nothing
            ) : (
              <Stack key="headers" gap="xs">
                {names.map((name) => (
                  <div key={name} className="mono">
                    <ForeignText text={`${name}: ${values?.[name] ?? '(hidden)'}`} limit={300} />
                  </div>
                ))}
                {control}
              </Stack>
            ),
          ],
          [shared.fields.send_traceparent, send_traceparent ? shared.yes : shared.no],
        ]}
      />
    </Card>
  )
}
