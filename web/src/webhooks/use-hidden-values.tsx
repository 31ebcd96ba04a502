import { Button, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { WebhookHeaders } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { texts } from './texts.ts'

export type HiddenValues = {
  /** The values by name, once the user has asked for them. */
  readonly values: Readonly<Record<string, string>> | undefined
  /** The button that shows the values, or a note that says who may see them. */
  readonly control: ReactNode
}

/** The values of a webhook's headers. The api hides them until an admin asks for them and confirms the password. */
export function useHiddenValues(webhookId: string): HiddenValues {
  const mayReveal = useMay('webhooks.reveal_headers')
  const reveal = useChange<WebhookHeaders>()
  const show = () =>
    reveal.mutate({ method: 'POST', path: `/webhooks/${webhookId}/headers/reveal`, body: {} })
  const button = (
    <div>
      <Button size="xs" variant="default" loading={reveal.isPending} onClick={show}>
        {texts.showValues}
      </Button>
      {reveal.error && <RefusalNotice error={reveal.error} />}
    </div>
  )
  return {
    values: reveal.data?.headers,
    control: mayReveal ? !reveal.data && button : <Text size="sm">{texts.onlyAdmins}</Text>,
  }
}
