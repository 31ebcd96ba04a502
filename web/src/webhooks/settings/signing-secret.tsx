import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Webhook } from '../../common/api/wire.ts'
import { useMay } from '../../common/session/context.ts'
import { Card } from '../../common/ui/card.tsx'
import { RegenerateDialog } from '../webhook-dialogs.tsx'
import { texts as shared } from '../texts.ts'
import { texts } from './texts.ts'

/**
 * The signing secret, which cannot be shown again. It stands outside the data that is read again, because a new secret is
 * shown once.
 */
export function SigningSecret({ webhook }: { webhook: Webhook }) {
  const mayRegenerate = useMay('webhooks.regenerate_secret')
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      id="secret"
      title={texts.signingSecret}
      note={texts.signingSecretMeans}
      action={
        mayRegenerate && (
          <Button variant="default" onClick={() => setOpen(true)}>
            {shared.newSecret}
          </Button>
        )
      }
    >
      {isOpen && <RegenerateDialog webhook={webhook} onClose={() => setOpen(false)} />}
    </Card>
  )
}
