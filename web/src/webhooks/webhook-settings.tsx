import { Stack } from '@mantine/core'
import type { Webhook } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { Facts } from '../common/ui/facts.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { ShortId } from '../common/ui/short-id.tsx'
import { When } from '../common/ui/when.tsx'
import { useHiddenValues } from './use-hidden-values.tsx'
import { planInWords, retryPlan } from './retry-plan.ts'
import { texts } from './texts.ts'

/** The settings of a webhook, to read. */
export function WebhookSettingsView({ webhook }: { webhook: Webhook }) {
  const { settings } = useSession()
  const { id, description, events, headers, max_retries, retry_schedule, filter } = webhook
  const names = Object.keys(headers)
  const { values, control } = useHiddenValues(id)
  return (
    <Facts
      isList
      facts={[
        [texts.id, <ShortId key="id" id={id} what={texts.webhookId} />],
        [texts.fields.url, <ForeignText key="url" text={webhook.url} limit={300} />],
        [
          texts.fields.description,
          description ? <ForeignText key="text" text={description} limit={300} /> : '–',
        ],
        [texts.created, <When key="created" at={webhook.created_at} />],
        [texts.changed, <When key="changed" at={webhook.updated_at} />],
        [texts.fields.events, events.join(', ')],
        [
          texts.fields.max_retries,
          planInWords(retryPlan(retry_schedule ?? settings.retry_schedule, max_retries)),
        ],
        [
          texts.fields.filter,
          filter ? <ForeignText key="filter" text={JSON.stringify(filter)} limit={300} /> : texts.nothing,
        ],
        [
          texts.customHeaders,
          names.length === 0 ? (
            texts.nothing
          ) : (
            <Stack key="headers" gap="xs">
              {names.map((name) => (
                <div key={name}>
                  <ForeignText text={`${name}: ${values?.[name] ?? '(hidden)'}`} limit={300} />
                </div>
              ))}
              {control}
            </Stack>
          ),
        ],
      ]}
    />
  )
}
